# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Torture's memory actors: programs that verify each byte, in groups and outside; and a hog
# that makes the whole system reclaim. To be sourced after lib.sh, choices.sh and actor.sh.

# A part of a run. Kinds of memory operations are chosen anew in each.
PART_S=20
# Exit codes of programs that were killed, or could not go on because a processor was away. They
# saw no wrong byte until then.
UNFINISHED="3 5 137"
# memory_program GROUP SEED SECONDS MIB OUTPUT: OUTPUT is in a tmpfs. A pipe keeps its pages from
# being charged to GROUP.
memory_program()
{
	in_group "$1" "$BIN/torture" --seed "$2" --seconds "$3" --mib "$4" 2>&1 | cat >"$5"
	return "${PIPESTATUS[0]}"
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

# memory_actor NAME NUMBER GROUP MIB
memory_actor()
{
	local part rc

	ACTOR_NR=$((1000 + $2))
	for ((part = 0; ; part++)); do
		past "$DEADLINE" && return
		turn_begin "$SEED" "$part" 0
		pick 1000000000
		rc=0
		memory_program "$3" "$REPLY" $PART_S "$4" "$RUN/$1.out" || rc=$?
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
