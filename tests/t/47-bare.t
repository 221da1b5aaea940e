#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: full
kernel=${KERNEL:-6.1}
if [ "$kernel" != 6.1 ]; then
	echo "1..0 # SKIP what is tested is the same for every kernel: 6.1 only"
	exit 0
fi
KERNEL=$kernel exec "$(dirname "$0")/../host/bare"
