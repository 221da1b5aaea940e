#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: full
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant none --timeout 900 --name "$kernel-dkms" -- tests/guest/dkms
