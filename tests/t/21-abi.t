#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: ci
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant release --timeout 400 --name "$kernel-abi" -- tests/guest/abi
