# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the variables are common.sh's
#
# fio: 4 threads read and write pages of a file on a disk through a mapping, at random. These are
# pages of a file, which the module doesn't batch. An operation is a page that is read or written.

FIO_FILE=$DISK_WORK/fio
FIO_MB=192

start()
{
	dd if=/dev/zero of="$FIO_FILE" bs=1M count=$FIO_MB conv=fsync 2>"$OUT"
}

run()
{
	in_cgroup timeout -k 10 "$RUN_MAX_S" fio --name=mmap --filename="$FIO_FILE" --size=${FIO_MB}M --ioengine=mmap \
		--rw=randrw --bs=4k --norandommap --thread --numjobs=4 --invalidate=0 \
		--io_size=$(($1 / 4 * 4))k --group_reporting --output-format=json --output="$OUT"
}

operations()
{
	sed -n '/^{/,$p' "$OUT" | jq '[.jobs[] | .read.total_ios, .write.total_ios] | add'
}

stop()
{
	rm -f "$FIO_FILE"
}
