#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.1 7.2 flavour
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant release --threads single --timeout 400 --name "$kernel-preflight" -- tests/guest/preflight
