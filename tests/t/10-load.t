#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: ci flavour
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant release --timeout 600 --name "$kernel-load" -- tests/guest/load
