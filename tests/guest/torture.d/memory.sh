# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Torture's memory actors: programs that verify each byte, in groups and outside; and a hog
# that makes the whole system reclaim. To be sourced after lib.sh, choices.sh and actor.sh.

# How long one of these programs acts. Then the next one does other things.
PART_S=$((15 * ${TLBBATCH_TIMEOUT_FACTOR:-1}))
# How long it may take beyond that. A turn of an actor may take longer still (HANG_S).
PATIENCE_S=$((450 * ${TLBBATCH_TIMEOUT_FACTOR:-1}))
# Exit codes of programs that were killed, or could not go on because a processor was away, or ran
# out of time, of which there may be few (few_late). They saw no wrong byte until then.
UNFINISHED="3 4 5 137"

# group_program GROUP OUTPUT PROGRAM OPTION...: OUTPUT is in a tmpfs. A pipe keeps its pages from
# being charged to GROUP.
group_program()
{
	in_group "$1" "$BIN/$3" "${@:4}" 2>&1 | cat >"$2"
	return "${PIPESTATUS[0]}"
}

# memory_program GROUP OUTPUT OPTION...
memory_program()
{
	group_program "$1" "$2" torture "${@:3}"
}

# memory_note NAME STATUS OUTPUT: remember what a program did and how it ended
memory_note()
{
	{
		grep -E '^(kind|skip|bytes) ' "$3"
		echo "part $1 $2"
	} >>"$RUN/memory.$1"
	[[ " 0 $UNFINISHED " = *" $2 "* ]] || {
		echo "$1: exit $2"
		tail -n 20 "$3"
	} >>"$RUN/memory.wrong"
}

# memory_counts: print what all memory programs did so far: KIND COUNT [why it can't]
memory_counts()
{
	cat <("$BIN/torture" --list) "$RUN"/memory.memory? 2>/dev/null | awk '
		NF == 1 { n[$1] += 0 }
		$1 == "kind" { n[$2] += $3 }
		$1 == "skip" && !/ not asked for$/ { why[$2] = $0; sub(/^skip [^ ]* /, "", why[$2]) }
		END { for (kind in n) print kind, n[kind], why[kind] }' | sort
}

# memory_kinds PART NUMBER NR: set REPLY to the kinds of a program. In every other part they are
# shared out between the NR actors, in another way each time, so that even a short run has the
# rare ones.
memory_kinds()
{
	local kinds i chosen=()

	if past "$DEADLINE"; then
		REPLY=$(memory_counts | awk '$2 == 0 && NF == 2 { print $1 }' | paste -sd,)
		return
	fi
	mapfile -t kinds < <("$BIN/torture" --list)
	choices_begin "$SEED" 1000 "$1"
	shuffle ${#kinds[@]}
	for ((i = 0; i < ${#kinds[@]}; i++)); do
		[ $(($1 % 2)) -eq 1 ] || [ $((i % $3)) -eq $(($2 % $3)) ] || continue
		chosen+=("${kinds[SHUFFLED[i]]}")
	done
	REPLY=$(IFS=,; echo "${chosen[*]}")
}

# memory_actor NAME NUMBER NR GROUP: it goes on until DEADLINE. Then what no program did yet is
# tried until LAST.
memory_actor()
{
	local part rc kinds

	ACTOR_NR=$((1000 + $2))
	for ((part = 0; ; part++)); do
		past "$LAST" && return
		memory_kinds "$part" "$2" "$3"
		kinds=$REPLY
		[ -n "$kinds" ] || return 0
		turn_begin "$SEED" "$part" 0
		pick 1000000000
		rc=0
		memory_program "$4" "$RUN/$1.out" --seed "$REPLY" --seconds $PART_S \
			--patience $PATIENCE_S --mib "$MIB" --kinds "$kinds" || rc=$?
		memory_note "$1" $rc "$RUN/$1.out"
	done
}

# Nobody checks its memory. It is what the kernel kills first.
hog_actor()
{
	local part free

	ACTOR_NR=2000
	for ((part = 0; ; part++)); do
		past "$DEADLINE" && return
		turn_begin "$SEED" "$part" 0
		free=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
		pick 60
		(
			echo 1000 >/proc/self/oom_score_adj
			exec "$BIN/writers" --threads 1 --mib $((free * (REPLY + 70) / 100 + 1)) --seconds 6
		) >/dev/null 2>&1
		nap 10000
	done
}
