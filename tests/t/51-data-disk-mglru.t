#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.12 flavour
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/guest/run" --kernel "$kernel" \
	--variant release --timeout 900 --name "$kernel-data-disk-mglru" -- tests/guest/data disk mglru ${FULL:+full}
