# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The workloads of the LUF estimate.  To be sourced after measure.sh.
#
#   luf_NAME_files cgroup|global     make its files, and leave nothing cached
#   luf_NAME SECONDS cgroup|global   run it, with its output in $WORKLOAD_OUT
#
# A dash in the name is an underscore in the functions.  The files are on the guest's
# disk, in ext4; other memory goes to the swap disk.

# shellcheck disable=SC2034 # read by luf
LUF_WORKLOADS="read-threads read-processes randread-threads randread-processes mixed text"
LUF_DIR=/var/tmp/bench-luf
WORKLOAD_OUT=/tmp/bench-luf.out
FIO_JOBS=4
# The file is four times the cgroup's limit, and of what is left of the guest's memory.
FILE_MB=256
CGROUP_MAX=64M
LEFT_MB=64
BALLAST=/run/bench-luf.ballast
# This has room for a compiler's own memory, and for less than all of its text.
TEXT_MAX=${TEXT_MAX:-48M}
TEXT_LEFT_MB=40
TEXT_JOBS=4

# memory_for cgroup|global [LEFT_MB]: leave only that much of the guest's memory. The rest
# goes to huge pages that nobody uses: an emulator would need longer to fill it than a run
# lasts. What is left because it isn't contiguous goes to files that are never reclaimed.
memory_for()
{
	local left wanted=${2:-$LEFT_MB}

	echo 0 >/proc/sys/vm/nr_hugepages
	ballast_drop
	nothing_cached
	[ "$1" = global ] || return 0
	left=$(meminfo_mb MemAvailable)
	((left <= wanted)) || echo $(((left - wanted) / 2)) >/proc/sys/vm/nr_hugepages
	left=$(meminfo_mb MemAvailable)
	((left <= wanted)) || ballast $((left - wanted))
	left=$(meminfo_mb MemAvailable)
	[ "$left" -le $((wanted + wanted / 4)) ] ||
		fail "$left MB are left of the guest's memory, not $wanted"
}

ballast()
{
	mkdir -p "$BALLAST"
	mount -t ramfs none "$BALLAST" || fail "no ramfs"
	dd if=/dev/zero of="$BALLAST/file" bs=1M count="$1" 2>/dev/null || fail "no room"
}

ballast_drop()
{
	! mountpoint -q "$BALLAST" || umount "$BALLAST" || fail "$BALLAST stays"
}

# luf_file NAME MB: make a file of that size. The next reader reads it from the disk. It is
# written in full, since ext4 doesn't read blocks from the disk that were only allocated.
luf_file()
{
	local file=$LUF_DIR/$1

	mkdir -p "$LUF_DIR"
	if [ "$(du -m --apparent-size "$file" 2>/dev/null | cut -f1)" != "$2" ]; then
		rm -f "$file"
		dd if=/dev/zero of="$file" bs=1M count="$2" conv=fsync 2>/dev/null ||
			fail "no room for $file ($2 MB)"
	fi
}

nothing_cached()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

read_files()
{
	luf_file file "$FILE_MB"
	memory_for "$1"
}

luf_read_threads_files() { read_files "$1"; }
luf_read_processes_files() { read_files "$1"; }
luf_randread_threads_files() { read_files "$1"; }
luf_randread_processes_files() { read_files "$1"; }
luf_text_files() { memory_for "$1" "$TEXT_LEFT_MB"; }

luf_mixed_files()
{
	luf_file written "$((FILE_MB / 2))"
	read_files "$1"
}

# where_run SECONDS cgroup|global COMMAND...: run it in the memory cgroup, or outside of it
where_run()
{
	local limit=$(($1 + GRACE_S)) where=$2

	shift 2
	case $where in
	cgroup) in_cgroup timeout -k 10 "$limit" "$@" ;;
	global) timeout -k 10 "$limit" "$@" ;;
	esac
}

# fio_read SECONDS WHERE OPTION...: each of the jobs reads the whole file again and again,
# as the weights of a model are read. Each job reads all of it, since fio maps a file from
# its start, and maps each block anew if a job has another part.
fio_read()
{
	local seconds=$1 where=$2

	shift 2
	echo "$CGROUP_MAX" >"$CG/memory.max"
	where_run "$seconds" "$where" fio --name=luf --filename="$LUF_DIR/file" \
		--ioengine=mmap --bs=64k --norandommap --invalidate=0 \
		--numjobs="$FIO_JOBS" --group_reporting --time_based \
		--runtime="$seconds" --size="${FILE_MB}M" --output-format=json \
		--output="$WORKLOAD_OUT" "$@" >&2
}

# Threads share one mm. Each process maps the same pages into its own mm.
luf_read_threads()
{
	fio_read "$1" "$2" --rw=read --thread
}

luf_read_processes()
{
	fio_read "$1" "$2" --rw=read
}

luf_randread_threads()
{
	fio_read "$1" "$2" --rw=randread --bs=4k --thread
}

luf_randread_processes()
{
	fio_read "$1" "$2" --rw=randread --bs=4k
}

# Two jobs read a file through a mapping, one writes to it by write(2), and one writes to
# another file through a mapping.
luf_mixed()
{
	echo "$CGROUP_MAX" >"$CG/memory.max"
	where_run "$1" "$2" fio --invalidate=0 --norandommap --time_based \
		--runtime="$1" --group_reporting --thread \
		--output-format=json --output="$WORKLOAD_OUT" \
		--name=read --filename="$LUF_DIR/file" --size="${FILE_MB}M" \
		--ioengine=mmap --rw=read --bs=64k --numjobs=2 \
		--name=write --filename="$LUF_DIR/file" --size="${FILE_MB}M" \
		--ioengine=psync --rw=randwrite --bs=4k --rate_iops=200 \
		--name=map --filename="$LUF_DIR/written" --size="$((FILE_MB / 2))M" \
		--ioengine=mmap --rw=randrw --bs=4k --rate_iops=500,500 >&2
}

# The compiler is the largest program of the guest. Every guest has perl.
text_program()
{
	if gcc -print-prog-name=cc1 2>/dev/null | grep -q /; then
		printf '%s\n' gcc -S -O1 -Itests/programs/lib tests/programs/writers.c -o /dev/null
	else
		# shellcheck disable=SC2016 # perl's
		printf '%s\n' perl -MPOSIX -MStorable -MEncode -e \
			'my %h; $h{$_} = sqrt($_) for 1 .. 50000; sort keys %h'
	fi
}

# text_loop UNTIL COMMAND...: one of the processes. It prints how many of its runs ended well.
text_loop()
{
	local until=$1 runs=0 bad=0

	shift
	while [ "$SECONDS" -lt "$until" ]; do
		if "$@" >/dev/null 2>&1; then
			runs=$((runs + 1))
		else
			bad=$((bad + 1))
		fi
	done
	echo "$runs $bad"
}

luf_text()
{
	local until=$((SECONDS + $1)) command nr loops=()

	mapfile -t command < <(text_program)
	echo "$TEXT_MAX" >"$CG/memory.max"
	rm -f "$WORKLOAD_OUT"
	for ((nr = 0; nr < TEXT_JOBS; nr++)); do
		(
			[ "$2" = global ] || echo "$BASHPID" >"$CG/cgroup.procs"
			text_loop "$until" "${command[@]}" >>"$WORKLOAD_OUT"
		) &
		loops+=($!)
	done
	wait "${loops[@]}"
	awk '{ good += $1; bad += $2 }
		END {
			printf "%d runs of the program, %d failed\n", good, bad
			exit !(good > 0 && !bad)
		}' "$WORKLOAD_OUT" >&2
}

# luf_work NAME: print what that workload has done since it began, as members of a JSON object. "done" is
# pages that were read, or runs of the program; "ms" is the time that they took.
luf_work()
{
	case $1 in
	text)
		awk -v s="$SECONDS_TAKEN" '{ good += $1 }
			END { printf "\"done\": %d, \"ms\": %d", good, s * 1000 }' "$WORKLOAD_OUT"
		;;
	*) jq -r '.jobs[0].read | "\"done\": \(.io_bytes / 4096 | floor), \"ms\": \(.runtime)"' "$WORKLOAD_OUT" ;;
	esac
}
