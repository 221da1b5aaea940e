# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # pids, names: of the function that calls
#
# How torture ends: what is left, what was counted, and the plan of what will be. To be sourced
# after lib.sh, choices.sh, actor.sh and the actors.

# targets_of FEATURE...: print the functions that these features hook
targets_of()
{
	local feature hook

	for feature; do
		needed_hooks "$feature"
	done | while read -r hook; do
		target_of "${hook##*/}"
	done | sort -u
}

# hangs NAME: an actor that took no turn for so long, or goes on after the end
hangs()
{
	local turn=0 rest

	past $((LAST + HANG_S)) && return
	[ ! -s "$RUN/$1.turns" ] || read -r turn rest < <(tail -n 1 "$RUN/$1.turns")
	[ "$turn" -gt 0 ] && past $((turn + HANG_S))
}

# actor_fails NAME TEXT: keep what it said, and end the test
actor_fails()
{
	cp -r "$RUN" "$OUT/"
	bail "$1 $2: $(tail -n 3 "$RUN/$1".{log,turns})"
}

# actors_end: wait for the actors pids, called names. If one hangs, what each task of the guest
# waits for is shown, and the test ends. It ends, too, if one fails: its shell met an error.
actors_end()
{
	local i

	while [ ${#pids[@]} -gt 0 ]; do
		for i in "${!pids[@]}"; do
			if ! kill -0 "${pids[i]}" 2>/dev/null; then
				wait "${pids[i]}" || actor_fails "${names[i]}" "ended early"
				unset "pids[i]"
			elif hangs "${names[i]}"; then
				echo t >/proc/sysrq-trigger
				actor_fails "${names[i]}" hangs
			fi
		done
		[ ${#pids[@]} -eq 0 ] || sleep 5
	done
}

# charged GROUP: print what is charged to it of its workers' memory. What kernels 6.x count as shmem
# drifts: if the pages of a huge page that is collapsed were charged to another group than that huge
# page is, they stay counted there (collapse_file()). Version 1 counts less exactly:
# mem_cgroup_move_account() moves all pages of a huge page, of which only some may count as rss, and
# a page of shmem, even in the swap cache, where it doesn't count. The sizes of the lists are exact.
# Version 1 can empty each processor's batches before.
charged()
{
	local counts='anon|shmem|swap'

	case $(uname -r) in 6.*) counts='anon|inactive_anon|active_anon|swap' ;; esac
	if [ -e "$1/memory.force_empty" ]; then
		put "$1/memory.force_empty" 0
		counts='inactive_anon|active_anon|unevictable|swap'
	fi
	awk -v counts="^($counts)\$" '$1 ~ counts && $2 { print $1, $2 }' "$1/memory.stat"
	[ ! -e "$1/memory.swap.current" ] || awk '$1 { print "swap", $1 }' "$1/memory.swap.current"
}

nothing_charged() { [ -z "$(charged "$1")" ]; }

# groups_end: nothing of the workers' memory may still be charged. It comes after swapoff: until
# then older kernels keep freed swap entries on each processor, and charged.
groups_end()
{
	local home bad=0

	for home in "${HOMES[@]}"; do
		v1_disown "$home"
		until_true 150 nothing_charged "$home" || { echo "$home: $(charged "$home")"; bad=1; }
		group_gone "$home" || bad=1
	done
	return $bad
}

# off FEATURE-FILE VALUE: under pressure there may be no memory for it at first
off()
{
	local tries=10

	until put "$K/$1" "$2"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 1
	done
}

# not_online: print the processors and the blocks of memory that aren't
not_online()
{
	grep -Lx 1 /sys/devices/system/cpu/cpu*/online
	grep -Lx online "$MEMORY_BLOCKS"/memory*/state
}

nothing_hooked()
{
	! grep tlbbatch "$T/enabled_functions" | grep -vE '^tlbbatch_(look_)?dummy '
}

# counted KIND: print how often it took effect
counted()
{
	cat "$RUN"/*.turns | awk -v kind="$1" '$2 == kind && $3 == 0 { n++ } END { print n + 0 }'
}

# kind_told NAME COUNT REASON: a result for a kind, which is skipped for that reason if it never
# took effect; and a line for the host
kind_told()
{
	if [ "$2" -eq 0 ] && [ -n "$3" ]; then
		skip "$1" "$3"
		echo "skip $1 $3" >>"$OUT/torture.list"
	else
		num "$1: $2" "$2" -ge 1
		echo "kind $1 $2" >>"$OUT/torture.list"
	fi
}

# Of what disturbs the system.
kinds_told()
{
	local name reason

	while read -r name; do
		reason=$(awk -v kind="$name" -v cannot="$CANNOT" '$2 == kind && $3 == cannot {
			sub(/^[^ ]* [^ ]* [^ ]* [^ ]* [^ ]* /, ""); print; exit }' "$RUN"/*.turns)
		kind_told "$name" "$(counted "$name")" "$reason"
	done < <(awk -v other="$other" '/^[a-z]/ && $1 != other { print $2 }' "$LIST")
}

# wrongs: print what actors and memory programs found wrong
wrongs()
{
	awk -v wrong="$WRONG" '$3 == wrong' "$RUN"/*.turns
	cat "$RUN/memory.wrong" 2>/dev/null
}

# Of what the memory programs did.
memory_told()
{
	local name count reason verified lost parts finished

	read -r parts finished < <(cat "$RUN"/memory.memory? |
		awk '$1 == "part" { n++; ok += $3 == 0 } END { print n + 0, ok + 0 }')
	diag "memory programs: $parts ran, $finished of them to their end"
	num "most memory programs came to their end" $((2 * finished)) -gt "$parts"
	echo "parts $parts $finished" >>"$OUT/torture.list"
	while read -r name count reason; do
		kind_told "memory-$name" "$count" "$reason"
	done < <(memory_counts)
	read -r verified lost < <(cat "$RUN"/memory.memory? |
		awk '$1 == "bytes" { v += $2; l += $3 } END { printf "%.0f %.0f\n", v, l }')
	num "bytes were verified: $verified" "$verified" -gt 0
	is "bytes that were lost" "$lost" 0
	echo "bytes $verified $lost" >>"$OUT/torture.list"
}

# none_isolated: as nothing_isolated, but 6.1 may count too few. It takes a huge page for one page
# when memory goes offline (do_migrate_range()), and gives back all 512.
none_isolated()
{
	local said

	said=$(nothing_isolated) && return
	echo "$said"
	[[ $(uname -r) = 6.1.* ]] && awk '
		/^off_lru=0$/ { next }
		!/vmstat_refresh: nr_isolated_[a-z]+ -[0-9]+$/ || $NF % 511 { bad = 1 }
		END { exit bad }' <<< "$said"
}

# few_late: no more than one program in 20 was stopped because it ran out of time. memory.high lets
# a program wait for seconds at each page if nothing of its group can be reclaimed.
few_late()
{
	cat "$RUN"/memory.[a-z]* | awk '
		$1 == "part" { all++; late += $3 == 4 }
		END { print late + 0 " of " all + 0 " ran out of time"; exit !all || late * 20 > all }'
}

# verdict: all that must hold at the end
verdict()
{
	is "all processors and all memory are online" "$(not_online)" ""
	check "batching off" off enabled 0
	check "wider passes off" off wide/pass_min 0
	check "holding off" off hold/max_pages 0
	is "nothing is held" "$(<"$K/hold/held")" 0
	check "prune off" off shootdown/prune 0
	check "discarding off" off lazyfree/mode off
	check "tracking and deferral off" off luf/mode off
	check "checking what is held back off" off luf/check 0
	check "every page that was held back is given back" none_lost
	check "watching off" off advise/mode off
	check "nothing is hooked" nothing_hooked
	check_rest "at the end"
	check "swap off" swap_off
	check "the groups are empty, and go" groups_end
	check_isolated "nothing is isolated" none_isolated
	is "nothing is being written back" "$(vmstat_exact nr_writeback)" 0
	counts_note
	is "luf/check noticed nothing, over all loads" "$(counted_in_all luf/check_hits)" 0
	check "unload" unload
	check "nothing is left" nothing_left
	is "the module switched nothing off" "$(dmesg -t | grep -E 'tlbbatch: (switched off|reclaim wrote|luf: (frame|defer is))')" ""
	is "what went wrong" "$(wrongs)" ""
	check "few programs ran out of time" few_late
	kinds_told
	memory_told
	lazyfree_told
	features_told
	cp -r "$RUN" "$OUT/"
}

# plan_print LIST ROUNDS: what each actor will choose: the kind, and a number from its choices
plan_print()
{
	local actor round turn

	for actor in $(awk '/^[a-z]/ { print $1 }' "$1" | uniq); do
		kinds_read "$1" "$actor"
		for ((round = 0; round < $2; round++)); do
			round_begin "$SEED" $round
			for ((turn = 0; turn < ${#ORDER[@]}; turn++)); do
				turn_begin "$SEED" $round $turn
				pick 1000000
				echo "$actor $round.$turn ${KINDS[ORDER[turn]]} $REPLY"
			done
		done
	done
}
