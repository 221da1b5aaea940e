#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.1
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant release --timeout 2400 --name "$kernel-fail-nth" -- tests/guest/fail-nth ${FULL:+full}
