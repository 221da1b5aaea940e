# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Torture's actor "hotplug": processors and memory go and come, pages move. To be sourced.

MEMORY_BLOCKS=/sys/devices/system/memory
# The kernel tries again and again to empty a block, until a signal comes.
OFFLINE_S=8
FAIR_SERVERS=/sys/kernel/debug/sched/fair_server

# without_fair_server CPU: 6.12 counts its fair server as a task that runs, stops it only
# behind the look for tasks that are left, and warns of it ("not properly vacated").
without_fair_server()
{
	[[ $(uname -r) != 6.12.* ]] || put "$FAIR_SERVERS/$1/runtime" 0
}

cpu_goes_and_comes()
{
	local cpus=(/sys/devices/system/cpu/cpu*/online) cpu

	one_of_two processors || return
	[ -e "${cpus[0]}" ] || { cannot "no hotplug of processors"; return; }
	choose "${cpus[@]}"
	cpu=$REPLY
	DETAIL=${cpu%/online}
	DETAIL=${DETAIL##*/}
	without_fair_server "$DETAIL" || return 1
	apart put "$cpu" 0 || return 1
	nap 1500
	apart put "$cpu" 1 || wrong "$DETAIL doesn't come back"
}

# A block whose pages can all be moved, most likely.
movable_blocks()
{
	local block zones

	for block in "$MEMORY_BLOCKS"/memory*; do
		read -r zones <"$block/valid_zones" || continue
		[ "$zones" != Movable ] || echo "$block"
	done
}

memory_goes_and_comes()
{
	local blocks block

	[ -e "$MEMORY_BLOCKS/block_size_bytes" ] || { cannot "no hotplug of memory"; return; }
	mapfile -t blocks < <(movable_blocks)
	[ ${#blocks[@]} -gt 0 ] || { cannot "no movable block of memory"; return; }
	choose "${blocks[@]}"
	block=$REPLY
	DETAIL=${block##*/}
	put_within $OFFLINE_S "$block/state" offline
	# It may have gone when its time was just up.
	[ "$(<"$block/state")" = offline ] || return 1
	nap 1500
	put "$block/state" online_movable || wrong "$DETAIL doesn't come back"
}

compact()
{
	choose /proc/sys/vm/compact_memory /sys/devices/system/node/node[0-9]*/compact
	DETAIL=$REPLY
	put_within $OFFLINE_S "$REPLY" 1
}
