# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # homes: of the test
#
# Torture's actor "mm": knobs of the kernel's memory management. To be sourced.

THP=/sys/kernel/mm/transparent_hugepage
KSM=/sys/kernel/mm/ksm
DAMON=/sys/module/damon_reclaim/parameters
DAMON_STAT=/sys/module/damon_stat/parameters/enabled

# While it isn't 0, the kernel may kill the largest process.
lru_min_ttl()
{
	one_of /sys/kernel/mm/lru_gen/min_ttl_ms 50 200 1000 || return
	nap 1000
	put /sys/kernel/mm/lru_gen/min_ttl_ms 0
}

mthp()
{
	# 8 KiB are for shmem alone.
	local sizes=("$THP"/hugepages-*kB/enabled)

	[ -e "${sizes[0]}" ] || { cannot "no huge pages of several sizes"; return; }
	choose "${sizes[@]}"
	one_of "$REPLY" always inherit madvise never
}

# 2 separates all pages again, and takes long.
ksm()
{
	[ -e "$KSM/run" ] || { cannot "no KSM"; return; }
	put "$KSM/pages_to_scan" 500
	put "$KSM/sleep_millisecs" 20
	choose 1 1 1 2 0
	DETAIL=$REPLY
	put_within 20 "$KSM/run" "$REPLY" || return 1
	nap 2000
}

# The watermarks are in thousandths of free memory: it always works.
damon_reclaim()
{
	local pid

	[ -e "$DAMON/enabled" ] || { cannot "no DAMON"; return; }
	# Only one of DAMON's users works at a time.
	[ ! -e $DAMON_STAT ] || put $DAMON_STAT N
	put "$DAMON/wmarks_high" 1000
	put "$DAMON/wmarks_mid" 1000
	put "$DAMON/wmarks_low" 0
	put "$DAMON/quota_ms" 100
	choose 20000 200000 1000000
	DETAIL="older than $REPLY us"
	put "$DAMON/min_age" "$REPLY"
	put "$DAMON/enabled" Y || return 1
	nap 4000
	read -r pid <"$DAMON/kdamond_pid"
	put "$DAMON/enabled" N
	[ "$pid" -gt 0 ]
}

# More than a group's room, if it isn't the whole system: its reclaim meets dirty pages of files.
dirty_files()
{
	local file=/var/tmp/torture.dirty rc=0

	choose "${homes[@]}"
	DETAIL=${REPLY##*/}
	in_group "$REPLY" timeout -k 5 60 dd if=/dev/zero of="$file" bs=256k count=$((MIB * 4)) \
		2>/dev/null || rc=1
	nap 1000
	rm -f "$file"
	return $rc
}
