#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# record.sh [SECONDS]: record what batching does, and what reclaim says of the same folios, with
# trace-cmd; then print how often each event came. The record is trace.dat, for trace-cmd report
# and kernelshark.
set -eu

seconds=${1:-10}
case $seconds in
'' | 0 | *[!0-9]*) echo "usage: record.sh [SECONDS]" >&2; exit 2 ;;
esac
if [ ! -d /sys/kernel/tracing/events/tlbbatch ]; then
	echo "needs root, and the module tlbbatch with its trace events (modprobe tlbbatch)" >&2
	exit 1
fi
command -v trace-cmd >/dev/null || { echo "needs trace-cmd (apt install trace-cmd)" >&2; exit 1; }
trace-cmd record -q -o trace.dat -e tlbbatch -e vmscan:mm_vmscan_write_folio sleep "$seconds"
trace-cmd report -i trace.dat | awk '
	match($0, /[0-9]: +[a-z_]+:/) {
		event = substr($0, RSTART + 2, RLENGTH - 3)
		sub(/^ +/, "", event)
		count[event]++
	}
	END { for (event in count) print count[event], event }' | sort -rn
