#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 7.2 6.12 7.3 watch
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant debug --timeout 600 --name "$kernel-uffd-move" -- tests/guest/uffd-move
