# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # homes: of the test
#
# Torture's actor "lazyfree": huge pages that MADV_FREE gives up, and each way that they can go
# before they are reclaimed (tests/programs/lazyfree). To be sourced after lib.sh, choices.sh,
# actor.sh, memory.sh and verdict.sh.

# A file system that bears O_DIRECT.
LAZYFREE_DIR=/var/tmp

# Is this build one that discards unsafely on purpose?
lazyfree_control=0

# lazyfree_begin: set that; when the module has just been loaded
lazyfree_begin()
{
	! log_has "NEGATIVE CONTROL: lazyfree" >/dev/null || lazyfree_control=1
}

# lazyfree_ways: print those that can be gone here. MADV_PAGEOUT of 7.2 loses pages if another
# thread gives up their page table meanwhile (docs/testing.md). That way does where pages are small.
# A control goes only the way on which stores come while reclaim decides. Else it would take hours to be
# found out.
lazyfree_ways()
{
	if [ $lazyfree_control -eq 1 ]; then
		echo late
		return
	fi
	"$BIN/lazyfree" --list | case $(uname -r) in
	7.2.*) grep -vx dontneed ;;
	*) cat ;;
	esac
}

# lazyfree_counts: print how many rounds each way had so far: WAY ROUNDS [why it can't]
lazyfree_counts()
{
	cat <(lazyfree_ways) "$RUN/memory.lazyfree" 2>/dev/null | awk '
		NF == 1 { n[$1] += 0 }
		$1 == "way" { n[$2] += $3 }
		$1 == "missing" { why[$2] = "it cannot be gone here" }
		END { for (way in n) print way, n[way], why[way] }' | sort
}

# lazyfree_wanted: set REPLY to the ways that are left to go: all of them until DEADLINE
lazyfree_wanted()
{
	if past "$DEADLINE"; then
		REPLY=$(lazyfree_counts | awk '$2 == 0 && NF == 2 { print $1 }' | paste -sd' ')
	else
		REPLY=$(lazyfree_ways | paste -sd' ')
	fi
}

# lazyfree_note STATUS OUTPUT: remember what the program did and how it ended. A pin that writes and
# that the kernel doesn't mark may lose pages without the module, too ("short").
lazyfree_note()
{
	{
		awk '
			function of(name) {
				if (!match($0, " " name "=[0-9]+"))
					return 0
				return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2)
			}
			!sub(/^way=/, "") { next }
			$2 ~ /^missing/ { print "missing", $1; next }
			{ print "way", $1, of("rounds"), of("huge"), of("rewritten"),
				($NF == "short" ? 0 : of("lost")) + of("wrong") }' "$2"
		echo "ran $1"
	} >>"$RUN/memory.lazyfree"
	[[ " 0 $UNFINISHED " = *" $1 "* ]] || {
		echo "lazyfree: exit $1"
		tail -n 30 "$2"
	} >>"$RUN/memory.wrong"
}

# lazyfree_actor: it goes on until DEADLINE. Then ways that had no round yet are tried until LAST.
lazyfree_actor()
{
	local part rc ways group size

	ACTOR_NR=3000
	for ((part = 0; ; part++)); do
		past "$LAST" && return
		lazyfree_wanted
		ways=$REPLY
		[ -n "$ways" ] || return 0
		turn_begin "$SEED" "$part" 0
		choose "${homes[@]}" "${homes[-1]}" "${homes[-1]}"
		group=$REPLY size=2 rc=0
		# The small groups have little room for huge pages.
		[ "$group" = "${homes[-1]}" ] || size=1
		group_program "$group" "$RUN/lazyfree.out" lazyfree --seconds "$PART_S" \
			--workers "$size" --huge "$size" --dir "$LAZYFREE_DIR" --ways "$ways" || rc=$?
		lazyfree_note $rc "$RUN/lazyfree.out"
	done
}

# lazyfree_told: a result for each way, and for the pages. In a long run MADV_FREE must have met
# huge pages: actors switch them off now and then.
lazyfree_told()
{
	local way rounds reason huge written lost ran finished

	while read -r way rounds reason; do
		kind_told "lazyfree-$way" "$rounds" "$reason"
	done < <(lazyfree_counts)
	: >>"$RUN/memory.lazyfree"
	read -r ran finished huge written lost < <(awk '
		$1 == "ran" { n++; ok += $2 == 0 }
		$1 == "way" { huge += $4; written += $5; lost += $6 }
		END { print n + 0, ok + 0, huge + 0, written + 0, lost + 0 }' "$RUN/memory.lazyfree")
	diag "lazyfree: $ran programs ran, $finished of them to their end; $huge rounds met a huge page"
	num "lazyfree: pages were written again: $written" "$written" -gt 0
	is "lazyfree: pages that were lost" "$lost" 0
	if is_long; then
		num "lazyfree: most programs came to their end" $((2 * finished)) -gt "$ran"
		num "lazyfree: rounds met huge pages: $huge" "$huge" -gt 0
	fi
	printf 'count lazyfree-%s\n' "huge $huge" "written $written" "lost $lost" >>"$OUT/torture.list"
}
