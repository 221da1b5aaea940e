# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Torture's actor "cgroup1": the memory controller of cgroups version 1, where the kernel has
# it. It takes the place of the actor "cgroup": a kernel has one of the two at a time. To be
# sourced after cgroup.sh.

V1=/run/cgroup1
V1_HOMES=("$V1/a" "$V1/b")

# v1_begin: version 1 takes the controller over
v1_begin()
{
	local home

	mkdir -p "$V1"
	put /sys/fs/cgroup/cgroup.subtree_control -memory || return
	mount -t cgroup -o memory cgroup "$V1" 2>/dev/null || return
	for home in "${V1_HOMES[@]}"; do
		mkdir -p "$home" && put "$home/memory.limit_in_bytes" "$ROOM" || return
	done
}

# v1_disown GROUP: this shell's pages leave it. A worker is a copy of this shell at first. If it then
# entered while pages move with tasks, those that it shared with this shell went with it. Nothing
# moves under version 2.
v1_disown()
{
	[ -e "$V1/memory.move_charge_at_immigrate" ] || return 0
	put "$V1/memory.move_charge_at_immigrate" 1 && put "$1/cgroup.procs" $$ &&
		put "$V1/cgroup.procs" $$
}

# The kernel reclaims until the new limit holds, or refuses it.
v1_limit()
{
	local group

	choose "${V1_HOMES[@]}"
	group=$REPLY
	choose "${NARROW[@]}"
	DETAIL="${group##*/} $REPLY"
	put_within 20 "$group/memory.limit_in_bytes" "$REPLY" || return 1
	nap 1500
	put "$group/memory.limit_in_bytes" "$ROOM"
}

# v1_file FILE VALUE...
v1_file()
{
	choose "${V1_HOMES[@]}"
	one_of "$REPLY/$1" "${@:2}"
}

# All tasks of a group go into the other one and back; with 3 their pages go, too.
v1_moved()
{
	local task from to

	choose 0 1
	from=${V1_HOMES[REPLY]} to=${V1_HOMES[1 - REPLY]}
	choose 0 3
	DETAIL="${from##*/} $REPLY"
	[ -e "$to/memory.move_charge_at_immigrate" ] || { cannot "no move_charge"; return; }
	put "$to/memory.move_charge_at_immigrate" "$REPLY" || return 1
	put "$from/memory.move_charge_at_immigrate" "$REPLY" || return 1
	mapfile -t tasks <"$from/cgroup.procs"
	for task in "${tasks[@]}"; do
		put "$to/cgroup.procs" "$task"
	done
	nap 500
	for task in "${tasks[@]}"; do
		put "$from/cgroup.procs" "$task"
	done
	[ ${#tasks[@]} -gt 0 ]
}

v1_emptied()
{
	choose "${V1_HOMES[@]}"
	DETAIL=${REPLY##*/}
	put_within 10 "$REPLY/memory.force_empty" 0
}

v1_oom()
{
	local group=$V1/hog rc=0

	mkdir -p "$group" && put "$group/memory.limit_in_bytes" 8M &&
		put "$group/memory.swappiness" 0 || return 1
	in_group "$group" "$BIN/writers" --threads 2 --mib 32 --seconds 10 >/dev/null 2>&1 || rc=$?
	group_gone "$group" || wrong "the group doesn't go" || return
	[ $rc -gt 128 ]
}
