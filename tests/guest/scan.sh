# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # used by whoever sources this
#
# Four threads use a mapped file in a small cgroup, for tests of what read-only scans cost.
# Sourced behind lib.sh.

SCAN_FILE=/var/tmp/scan.file
SCAN_MB=192

# pages_wanted [--pages N] [PART]...: set $PAGES and, for part(), $PARTS
pages_wanted()
{
	PAGES=200000
	[ "${1:-}" = --pages ] || return 0
	PAGES=$2
	PARTS=("${@:3}")
}

# scan_make: the file, and the cgroup. A file of holes is read quickly.
scan_make()
{
	[ -d "$CG" ] || cgroup_make 64M || return
	echo 64M >"$CG/memory.max"
	[ -e $SCAN_FILE ] || truncate -s ${SCAN_MB}M $SCAN_FILE
}

# scan_starts OPTION...: they use it as fio's OPTIONs say (--rw=read --readonly). Its pages must be
# of that cgroup, and what an earlier load read must not be reclaimed first.
scan_starts()
{
	[ $# -gt 0 ] || set -- --rw=read --readonly
	sync
	echo 1 >/proc/sys/vm/drop_caches
	in_cgroup_start fio --name=scan --filename=$SCAN_FILE --size=${SCAN_MB}M --ioengine=mmap \
		--bs=64k --norandommap --thread --numjobs=4 --invalidate=0 --time_based \
		--runtime=7200 "$@" >/dev/null 2>&1
}

# scan_ends
scan_ends()
{
	echo 1 >"$CG/cgroup.kill"
	wait
}

# scan PAGES: they read it until so many pages were reclaimed
scan()
{
	local until=$(($(vmstat pgsteal_file) + $1)) deadline=$((SECONDS + 600 + $1 / 4000))

	scan_starts
	while [ "$(vmstat pgsteal_file)" -lt "$until" ] && [ "$SECONDS" -lt "$deadline" ]; do
		sleep 0.5
	done
	scan_ends
	[ "$(vmstat pgsteal_file)" -ge "$until" ]
}

# scan_receivers PAGES: print receivers per 1000 file pages of such a scan
scan_receivers()
{
	local tlb pages

	tlb=$(receivers_now)
	pages=$(vmstat pgsteal_file)
	scan "$1" || return
	echo $((($(receivers_now) - tlb) * 1000 / ($(vmstat pgsteal_file) - pages)))
}
