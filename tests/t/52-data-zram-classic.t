#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 7.3 flavour
kernel=${KERNEL:-6.1}
exec "$(dirname "$0")/../../scripts/guest/run" --kernel "$kernel" \
	--variant release --timeout 900 --name "$kernel-data-zram-classic" -- tests/guest/data zram classic ${FULL:+full}
