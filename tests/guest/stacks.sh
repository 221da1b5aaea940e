# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A histogram of the kernel's stacks from which an event of the kernel came: a witness
# that knows nothing of the module.  To be sourced.

# stacks_start EVENT [FILTER]: count from here on; EVENT is a directory of tracefs
stacks_start()
{
	local key

	STACKS_EVENT=$1
	# "stacktrace" until 6.2; then that of the event is "common_stacktrace".
	for key in common_stacktrace stacktrace; do
		STACKS_TRIGGER="hist:keys=$key:size=16384${2:+ if $2}"
		echo "$STACKS_TRIGGER" 2>&2 > "$STACKS_EVENT/trigger" && return
	done 2>/dev/null
	return 1
}

stacks_stop()
{
	echo "!$STACKS_TRIGGER" > "$STACKS_EVENT/trigger"
}

# stacks_count WITH [WITHOUT]: events in whose stack there is the function WITH and not
# the function WITHOUT; (A|B) is either
stacks_count()
{
	awk -v with="$1" -v without="${2:-}" '
		function is(name) {
			return name != "" &&
				$0 ~ "^[ \t]+" name "([.][a-z0-9.]+)?([+]|$)"
		}
		/^[{]/ { found = spoilt = 0 }
		is(with) { found = 1 }
		is(without) { spoilt = 1 }
		/^[}].* hitcount: / && found && !spoilt {
			sub(/.* hitcount: */, "")
			sum += $1
		}
		END { print sum + 0 }' "$STACKS_EVENT/hist"
}

# stacks_whole: the histogram has nearly all. CPUs that add at once may drop one.
stacks_whole()
{
	awk '$1 == "Hits:" { hits = $2 }
		$1 == "Dropped:" { dropped = $2 }
		END { exit !(hits > 0 && dropped * 500 <= hits) }' "$STACKS_EVENT/hist"
}
