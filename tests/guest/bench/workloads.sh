# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The workloads of the benchmark. Each has a row of the table and two functions. To be
# sourced after measure.sh.
#
#   run_NAME SECONDS   run it in the memory cgroup, output to $WORKLOAD_OUT
#   ops_NAME           print the number of operations that it did
#
# A dash in the name is an underscore in the functions.

# NAME ALLOC_MB WORKERS: the memory that all its workers together touch
# shellcheck disable=SC2034 # read by run-matrix
WORKLOAD_TABLE=(
	"writers 160 4"
	"writers-fixed 160 4"
	"stress-vm 256 4"
	"shmem 160 4"
	"fio-tmpfs 160 4"
)

# Enough to reclaim several thousand pages in 10 s' worth.
FIXED_OPS_PER_S=3500
WORKLOAD_OUT=/tmp/bench-workload.out
FIO_DIR=/tmp/bench-tmpfs

# workload_row NAME: its row, nothing if there is none
workload_row()
{
	local row

	for row in "${WORKLOAD_TABLE[@]}"; do
		if [ "${row%% *}" = "$1" ]; then
			echo "$row"
			return
		fi
	done
	return 1
}

# Threads of one process write to random pages of one anonymous mapping.
run_writers()
{
	bounded "$1" "$BIN/writers" --threads 4 --mib 160 --seconds "$1" \
		>"$WORKLOAD_OUT"
}

# Makes the same number of writes on each side, however long they take. At equal time the
# slower side would still be filling its memory when the other one has long refaulted, and
# pages that came back are younger. So pgsteal / pgscan couldn't be compared.
run_writers_fixed()
{
	bounded "$((12 * $1))" "$BIN/writers" --threads 4 --mib 160 \
		--seconds "$((12 * $1))" --ops "$((FIXED_OPS_PER_S * $1))" \
		>"$WORKLOAD_OUT"
}

# The same on a shared mapping.
run_shmem()
{
	bounded "$1" "$BIN/writers" --threads 4 --mib 160 --seconds "$1" \
		--shared >"$WORKLOAD_OUT"
}

ops_writers()
{
	sed -n 's/^ops=\([0-9]*\) .*/\1/p' "$WORKLOAD_OUT"
}

ops_writers_fixed()
{
	ops_writers
}

ops_shmem()
{
	ops_writers
}

# fwdrev is one of the methods that the default goes through. It checks the clock and counts
# operations throughout its sweeps. Most other methods populate all of the memory between
# two sweeps (MADV_POPULATE_READ). That takes longer than a side lasts, and only SIGKILL
# ends it. So they would be killed there, and report 0.
run_stress_vm()
{
	bounded "$1" stress-ng --vm 4 --vm-bytes 256M --vm-keep \
		--vm-method fwdrev --timeout "$1s" --temp-path /tmp \
		--metrics-brief --yaml "$WORKLOAD_OUT" >&2
}

ops_stress_vm()
{
	awk '$1 == "bogo-ops:" { ops += $2 } END { print ops + 0 }' "$WORKLOAD_OUT"
}

# The file exists before fio starts, without any page. Otherwise fio would first write it in
# full.
run_fio_tmpfs()
{
	local code=0

	mkdir -p "$FIO_DIR"
	mount -t tmpfs -o size=256M tmpfs "$FIO_DIR"
	truncate -s 160M "$FIO_DIR/file"
	bounded "$1" fio --name=tmpfs --filename="$FIO_DIR/file" --size=160M \
		--ioengine=mmap --rw=randwrite --bs=4k --norandommap \
		--thread --numjobs=4 --group_reporting --invalidate=0 \
		--time_based --runtime="$1" \
		--output-format=json --output="$WORKLOAD_OUT" >&2 || code=$?
	# The swap that it used is freed here. Other workloads free theirs at exit.
	umount "$FIO_DIR"
	return "$code"
}

ops_fio_tmpfs()
{
	jq '[.jobs[].write.total_ios] | add' "$WORKLOAD_OUT"
}
