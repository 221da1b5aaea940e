#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 6.12-deb12 flavour
kernel=${KERNEL:-6.1}
timeout=900
[ -z "${FULL:-}" ] || timeout=2700
exec "$(dirname "$0")/../../scripts/vm/run" --kernel "$kernel" \
	--variant release --timeout $timeout --name "$kernel-data-disk-classic" -- tests/guest/data disk classic ${FULL:+full}
