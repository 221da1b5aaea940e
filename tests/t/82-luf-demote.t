#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 7.2
kernel=${KERNEL:-7.2}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" --slow-mb 256 \
	--variant debug --timeout 300 --name "$kernel-luf-demote" -- tests/guest/luf-witness demote
