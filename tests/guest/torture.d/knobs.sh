# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Torture's actor "knobs": the module's own files, and its loading. To be sourced after lib.sh and trace.sh.
# Nobody else writes these files.

# Others may hold a function, and memory may be short. Any other error is wrong.
KNOB_ERRORS="EBUSY ENOMEM"
# An unload waits until each task has left the hooked functions; with the lowest priority under
# single-threaded emulation that can last. When the module is done, the kernel takes klp_mutex. A
# livepatch that goes holds that while it waits for each task, too.
UNLOAD_S=$((500 * KLP_FACTOR))

# knob FILE VALUE...: write one of the values; what is read afterwards is what was written
knob()
{
	local file=$1 got value

	shift
	choose "$@"
	value=$REPLY
	DETAIL=$value
	got=$(write_errno "$K/$file" "$value")
	if [ "$got" = "ok ${#value}" ]; then
		got=$(<"$K/$file")
		[[ " $got " = *" $value "* || $got = *"[$value]"* ]] ||
			wrong "$file reads $got after $value was written"
		return
	fi
	DETAIL+=" $got"
	[[ " $KNOB_ERRORS " != *" $got "* ]] || return 1
	if [ "$got" = EOPNOTSUPP ] && lacks "$file"; then
		cannot "$REPLY"
		return
	fi
	wrong "$file: $value gives $got"
}

# file|value|error
BAD_VALUES=(
	"enabled|2|ERANGE" "enabled|on|EINVAL" "batch_size|0|ERANGE" "batch_size|513|ERANGE"
	"batch_size|-1|EINVAL" "wide/pass_min|257|ERANGE" "wide/pass_min||EINVAL" "hold/max_pages|30|ERANGE"
	"luf/mode|on|EINVAL" "luf/check|3|ERANGE" "lazyfree/mode|1|EINVAL" "advise/mode|on|EINVAL"
	"shootdown/prune|2|ERANGE" "shootdown/defer_min_cpus|0|ERANGE"
)

bad_values()
{
	local file value error got before

	choose "${BAD_VALUES[@]}"
	DETAIL=$REPLY
	IFS='|' read -r file value error <<<"$REPLY"
	before=$(<"$K/$file")
	got=$(write_errno "$K/$file" "$value\n")
	[ "$got" = "$error" ] || wrong "$file: '$value' gives $got" || return
	[ "$(<"$K/$file")" = "$before" ] || wrong "$file changed by '$value'"
}

# again FILE OFF VALUE...: switch a feature off and on again. It stays on until it is its turn again.
# Where OFF is all that can be written, that is what takes effect.
again()
{
	local rc=0

	knob "$1" "$2" || return
	knob "$1" "${@:3}" || rc=$?
	[ $rc -ne "$CANNOT" ] || return 0
	return $rc
}

# Up to 6.9 a pass flushes once anyway.
hold_pages()
{
	[[ $(uname -r) != 6.1.* ]] || cannot "hold/max_pages is for 6.10 and later" || return
	knob hold/max_pages 0 31 96 1024
}

stats_read()
{
	local file text files=0

	while read -r file; do
		text=$(<"$file") || wrong "$file can't be read" || return
		[ -n "$text" ] || wrong "$file is empty" || return
		files=$((files + 1))
	done < <(find "$K" -type f)
	DETAIL="$files files"
	[ $files -gt 20 ]
}

# on_again [WRONG]: what is wrong is told even if something can't be switched on now
on_again()
{
	local rc=0

	features_on || rc=$?
	knob enabled 1 || rc=$?
	[ -z "$1" ] || wrong "$1" || return
	return $rc
}

# Three writers at once.
knob_race()
{
	local i writers=() text

	for i in 1 2 3; do
		pick 1000000
		(
			choices_begin "$REPLY"
			for _ in 1 2; do
				choose enabled enabled batch_size wide/pass_min lazyfree/mode advise/mode \
					luf/mode luf/check shootdown/prune shootdown/defer_min_cpus
				case $REPLY in
				enabled) knob enabled 0 1 ;;
				batch_size) knob batch_size 1 17 64 512 ;;
				wide/pass_min) knob wide/pass_min 0 96 256 ;;
				lazyfree/mode) knob lazyfree/mode off pmd ;;
				advise/mode) knob advise/mode off watch ;;
				luf/mode) knob luf/mode off track defer ;;
				luf/check) knob luf/check 0 1 ;;
				shootdown/prune) knob shootdown/prune 0 1 ;;
				shootdown/defer_min_cpus) knob shootdown/defer_min_cpus 1 2 3 ;;
				esac
				# This kernel may not have it, and another writer may have written since.
				case $?-$REASON in
				"$WRONG"-*" reads "*) REASON='' ;;
				"$WRONG"-*) echo "$REASON"; break ;;
				esac
			done
		) >"$RUN/race.$i" &
		writers[i]=$!
	done
	wait "${writers[@]}"
	text=$(cat "$RUN"/race.?)
	on_again "$text"
}

# While enabled is 0 no pass is batched. So what holds at rest holds now, too.
relations()
{
	local text

	knob enabled 0 || return
	text=$(check_rest "torture" | grep -A 1 '^not ok')
	on_again "${text//$'\n'/ }"
}

# load_again [PARAMETER...]: until it loads, as memory may be short
load_again()
{
	local said

	until said=$(load "$@" 2>&1); do
		sleep 1
		! past "$LAST" || wrong "the module doesn't load again: $said" || return
	done
}

# Whatever the unload comes to, the module is loaded afterwards: all other kinds need it.
reload()
{
	local started=$SECONDS said

	said=$(unload $UNLOAD_S 2>&1) || said="no unload within $UNLOAD_S s: $said"
	DETAIL="unloaded in $((SECONDS - started)) s"
	nothing_left || said+=" the unload left something"
	choose "" enabled=1 "enabled=1 batch_size=512"
	# shellcheck disable=SC2086 # none, or words
	loaded || load_again $REPLY || return
	on_again "$said"
}
