#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.1 6.12 7.2
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant debug --timeout 900 --name "$kernel-luf-witness" -- tests/guest/luf-witness
