# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Reclaim that goes on while a test does something else: checksummed writers, readers of a file
# that doesn't fit, and a way to see that reclaim moves. To be sourced after lib.sh.

PRESSURE_MAX=20M
PRESSURE_MB=40
# With huge pages in the group, too: these have room besides.
PRESSURE_HUGE_MAX=28M
# How many writers there are: one on each CPU, or this many
PRESSURE_CPUS=
# The OOM killer spares them: MGLRU calls it too early now and then (tests/guest/aging).
PRESSURE_SPARED=(choom -n -1000 --)
PRESSURE_FILE=/var/tmp/pressure
PRESSURE_FILE_MB=40

# Wait up to a bound: under TCG a counter may stand still for a moment.
# moved FILE BEFORE: wait until the number in FILE (of stats, or a path) is larger
moved()
{
	local file=$1

	[[ $file = /* ]] || file=$K/stats/$file
	until_true 600 is_beyond "$file" "$2"
}

# pressure_start SECONDS [files]: checksummed writers in a cgroup that is too small for them;
# with "files", readers of a mapped file, too
pressure_start()
{
	echo "$PRESSURE_MAX" > "$CG/memory.max"
	in_cgroup_start "${PRESSURE_SPARED[@]}" "$BIN/verify" --seconds "$1" --mib "$PRESSURE_MB" \
		--mode plain ${PRESSURE_CPUS:+--cpus "$PRESSURE_CPUS"} > /tmp/verify.out 2>&1
	verify_pid=$!
	readers_pid=
	[ "${2-}" = files ] || return 0
	[ -s $PRESSURE_FILE ] ||
		dd if=/dev/urandom of=$PRESSURE_FILE bs=1M count=$PRESSURE_FILE_MB conv=fsync 2>&2 ||
		bail "no room for $PRESSURE_FILE"
	# What the cgroup reads again is its own, and is reclaimed at its limit.
	echo 3 > /proc/sys/vm/drop_caches
	in_cgroup_start "${PRESSURE_SPARED[@]}" "$BIN/luf_scan" --do scan --threads 2 \
		--file $PRESSURE_FILE --pages 1000000000 --seconds "$1" > /tmp/readers.out 2>&1
	readers_pid=$!
}

# pressure_died: what is known of writers that failed: all that they said, and whether their group
# or the whole guest ran out of memory
pressure_died()
{
	diag "$(</tmp/verify.out)"
	diag "$(grep . "$CG"/memory.{events,peak,swap.current,swap.events} 2>&1)"
	diag "$(dmesg -t | grep -A 40 'invoked oom-killer' | tail -n 80)"
}

# pressure_stop WHEN: a result: every byte of the writers is as it should be
pressure_stop()
{
	local rc=0 limit

	if [ -n "$readers_pid" ]; then
		kill "$readers_pid"
		wait "$readers_pid" 2> /dev/null
	fi
	# Then pages are only swapped in, so the last check of every page is quick.
	echo max > "$CG/memory.max"
	kill "$verify_pid"
	wait "$verify_pid" || rc=$?
	is "$1: every byte" "$rc" 0
	diag "$(tail -n 1 /tmp/verify.out)"
	[ $rc -eq 0 ] || pressure_died
	# Reclaim that finds nothing would be out of memory nearly each time. This is a hundred times
	# what MGLRU does by itself.
	limit=$(cgroup_value memory.events max)
	num "$1: out of memory, of $limit times at the limit" \
		"$(cgroup_value memory.events oom)" -le $((limit / 100 + 1))
}

# huge_start SECONDS: behind pressure_start, two tasks of its group give up a huge page each by MADV_FREE,
# write to some, and page them out
huge_start()
{
	echo "$PRESSURE_HUGE_MAX" > "$CG/memory.max"
	in_cgroup_start "${PRESSURE_SPARED[@]}" "$BIN/lazyfree" --seconds "$1" --workers 2 --huge 1 \
		--ways plain > /tmp/lazyfree.out 2>&1
	huge_pages=$!
}

# huge_stop WHEN: a result: nothing that was written to them was lost. Before pressure_stop.
huge_stop()
{
	local rc=0

	kill "$huge_pages"
	wait "$huge_pages" || rc=$?
	is "$1: every byte of the huge pages" $rc 0
	diag "$(tail -n 1 /tmp/lazyfree.out)"
}
