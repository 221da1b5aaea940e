# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are common.sh's
#
# fio: 4 threads read and write pages of a file on a disk through a mapping, at random. These are
# pages of a file, which the module doesn't batch. An operation is a page that is read or written.
# Each run has a seed of its own: with the same one it would find the last run's pages in memory.

FIO_FILE=$DISK_WORK/fio
FIO_MB=192
FIO_SEED=0

# Pages belong to the cgroup that reads or writes them first: outside of it, its limit wouldn't
# meet them.
start()
{
	in_cgroup dd if=/dev/zero of="$FIO_FILE" bs=1M count=$FIO_MB conv=fsync 2>"$OUT"
}

run()
{
	FIO_SEED=$((FIO_SEED + 1))
	in_cgroup timeout -k 10 "$RUN_MAX_S" fio --name=mmap --filename="$FIO_FILE" \
		--size=${FIO_MB}M --ioengine=mmap --rw=randrw --bs=4k --norandommap --thread \
		--numjobs=4 --invalidate=0 --randseed=$FIO_SEED --io_size=$(($1 / 4 * 4))k \
		--group_reporting --eta=never --output-format=json --output="$OUT"
}

operations()
{
	sed -n '/^{/,$p' "$OUT" | jq '[.jobs[] | .read.total_ios, .write.total_ios] | add'
}

stop()
{
	rm -f "$FIO_FILE"
}
