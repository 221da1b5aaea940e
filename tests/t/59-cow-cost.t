#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 7.2
# What the hook of UFFDIO_MOVE costs those who never use it: TAP for bench/cost.
kernel=${KERNEL:-7.2}
run=$(dirname "$0")/../../scripts/guest/run
echo 1..1
what="copy-on-write faults, enabled 0 and 1, differ by less than 0.5 %"
out=$("$run" --kernel "$kernel" --variant release --threads counted --cpus 1 \
	--timeout 600 --append clearcpuid=erms,fsrm --name "$kernel-cow-cost" \
	-- tests/guest/bench/cost --of hooks --pairs "${PAIRS:-3}")
code=$?
while read -r line; do echo "# $line"; done <<<"$out"
if [ $code -ne 0 ]; then
	echo "not ok 1 - $what"
	exit 1
elif [[ $out = *"no measurement: "* ]]; then
	echo "ok 1 - $what # SKIP ${out##*no measurement: }"
else
	echo "ok 1 - $what"
fi
