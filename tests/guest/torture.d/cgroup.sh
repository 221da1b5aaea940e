# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Torture's actor "cgroup": groups that come and go, shrink, freeze and kill, with verified
# workers inside. To be sourced after lib.sh and memory.sh.

TOP=/sys/fs/cgroup/torture
# Verified workers live here all the time. Their memory (MIB) is larger than ROOM.
HOMES=("$TOP/a" "$TOP/b")
MIB=32
ROOM=28M
# Limits above what workers have locked.
NARROW=(18M 20M 24M)

# group_make DIR MEMORY_MAX
group_make()
{
	mkdir -p "$1" && put "$1/memory.max" "$2"
}

cgroup_begin()
{
	local home

	put /sys/fs/cgroup/cgroup.subtree_control +memory || return
	mkdir -p "$TOP" && put "$TOP/cgroup.subtree_control" +memory || return
	for home in "${HOMES[@]}"; do
		group_make "$home" $ROOM || return
	done
}

# in_group DIR COMMAND...: the actors themselves can't be killed for want of memory, others can
in_group()
{
	(
		echo 0 >/proc/self/oom_score_adj
		echo "$BASHPID" >"$1/cgroup.procs" && exec "${@:2}"
	)
}

# Its tasks end a little later than the kernel says.
group_gone()
{
	until_true 100 rmdir "$1" 2>/dev/null
}

# A small verified worker begins, its group shrinks, the worker ends, the group goes.
group_comes_and_goes()
{
	local group=$TOP/short rc=0 worker

	group_make "$group" 24M || return 1
	pick 1000000
	memory_program "$group" "$RUN/short.out" --seed "$REPLY" --seconds 3 --mib 12 &
	worker=$!
	nap 1500
	choose 10M 12M 14M
	DETAIL=$REPLY
	limit "$group/memory.high" "$REPLY"
	limit "$group/memory.max" "$REPLY"
	wait $worker || rc=$?
	memory_note short $rc "$RUN/short.out"
	group_gone "$group" || wrong "the group doesn't go" || return
	[ $rc -eq 0 ]
}

# limit FILE VALUE: set it. The kernel sets it first, and then reclaims until it holds or a
# signal comes.
limit()
{
	put_within 5 "$1" "$2"
	[ "$(<"$1")" = $((${2%M} << 20)) ]
}

# Reclaim comes first: newer kernels kill if the limit is below what is used.
group_max()
{
	local group rc=0

	choose "${HOMES[@]}"
	group=$REPLY
	choose "${NARROW[@]}"
	DETAIL="${group##*/} $REPLY"
	limit "$group/memory.high" "$REPLY"
	limit "$group/memory.max" "$REPLY" || rc=1
	nap 1500
	put "$group/memory.high" max
	put "$group/memory.max" $ROOM
	return $rc
}

group_high()
{
	local group rc=0

	choose "${HOMES[@]}"
	group=$REPLY
	choose "${NARROW[@]}"
	DETAIL="${group##*/} $REPLY"
	limit "$group/memory.high" "$REPLY" || rc=1
	nap 2000
	put "$group/memory.high" max
	return $rc
}

group_reclaim()
{
	local group before

	choose "${HOMES[@]}" "$TOP"
	group=$REPLY
	[ -e "$group/memory.reclaim" ] || { cannot "no memory.reclaim"; return; }
	before=$(awk '$1 == "pgsteal" { print $2 }' "$group/memory.stat")
	choose 1M 4M 16M
	DETAIL="${group##*/} $REPLY"
	# If it gets less it fails.
	put_within 10 "$group/memory.reclaim" "$REPLY"
	[ "$(awk '$1 == "pgsteal" { print $2 }' "$group/memory.stat")" -gt "$before" ]
}

# group_file FILE VALUE...: one of the values for a moment, then the last one
group_file()
{
	local file=$1

	shift
	choose "${HOMES[@]}"
	[ -e "$REPLY/$file" ] || { cannot "no $file"; return; }
	file=$REPLY/$file
	one_of "$file" "$@" || return
	nap 2000
	put "$file" "${@: -1}"
}

# memory.reclaim of newer kernels has a swappiness of its own.
group_swappiness()
{
	local group before

	choose "${HOMES[@]}"
	group=$REPLY
	choose 0 1 100 200
	DETAIL=$REPLY
	put_within 10 "$group/memory.reclaim" "1K swappiness=$REPLY" && return
	put "$group/memory.reclaim" "1K swappiness=100" ||
		cannot "memory.reclaim has no swappiness"
}

frozen()
{
	until_true 100 grep -q '^frozen 1' "$1/cgroup.events"
}

# Its memory is reclaimed meanwhile.
group_frozen()
{
	local group rc=0

	choose "${HOMES[@]}"
	group=$REPLY
	DETAIL=${group##*/}
	put "$group/cgroup.freeze" 1 || return 1
	frozen "$group" || rc=1
	put_within 10 "$group/memory.reclaim" 8M
	nap 1000
	put "$group/cgroup.freeze" 0 || wrong "$group stays frozen" || return
	return $rc
}

group_stopped()
{
	local group tasks

	choose "${HOMES[@]}"
	group=$REPLY
	DETAIL=${group##*/}
	mapfile -t tasks <"$group/cgroup.procs"
	[ ${#tasks[@]} -gt 0 ] || return 1
	kill -STOP "${tasks[@]}" 2>/dev/null || return 1
	nap 800
	kill -CONT "${tasks[@]}" 2>/dev/null
	return 0
}

# A hog that nobody verifies is killed.
group_oom()
{
	local group=$TOP/hog rc=0

	group_make "$group" 8M && put "$group/memory.swap.max" 0 || return 1
	in_group "$group" "$BIN/writers" --threads 2 --mib 32 --seconds 10 >/dev/null 2>&1 || rc=$?
	grep -q '^oom_kill [1-9]' "$group/memory.events" || rc=0
	group_gone "$group" || wrong "the group doesn't go" || return
	[ $rc -gt 128 ]
}

group_kill()
{
	local group=$TOP/hog hog rc=0

	group_make "$group" 16M || return 1
	[ -e "$group/cgroup.kill" ] || { rmdir "$group"; cannot "no cgroup.kill"; return; }
	in_group "$group" "$BIN/writers" --threads 2 --mib 32 --seconds 20 >/dev/null 2>&1 &
	hog=$!
	nap 2000
	put "$group/cgroup.kill" 1
	wait $hog || rc=$?
	group_gone "$group" || wrong "the group doesn't go" || return
	[ $rc -gt 128 ]
}
