#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 7.2
# What the hook of UFFDIO_MOVE costs those who never use it: TAP for bench/cost.
kernel=${KERNEL:-7.2}
run=$(dirname "$0")/../../scripts/vm/run
echo 1..1
"$run" --kernel "$kernel" --variant release --threads counted --cpus 1 \
	--timeout 600 --append clearcpuid=erms,fsrm --name "$kernel-cow-cost" \
	-- tests/guest/bench/cost --of hooks --pairs "${PAIRS:-3}" | sed 's/^/# /'
if [ "${PIPESTATUS[0]}" -eq 0 ]; then
	echo "ok 1 - copy-on-write faults, enabled 0 and 1, differ by less than 0.5 %"
else
	echo "not ok 1 - copy-on-write faults, enabled 0 and 1, differ by less than 0.5 %"
	exit 1
fi
