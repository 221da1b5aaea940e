#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: full
kernel=${KERNEL:-6.1}
top=$(dirname "$0")/../..
. "$top/scripts/lib/common.sh"
. "$TLBBATCH_TOP/scripts/vm/kernels.sh"
kernel_select "$kernel"

# With the tools of the kernel's own release; their verdict counts.
out=$("$top/scripts/vm/make-packages" "$kernel") || {
	grep -A 5 '^not ok' <<<"$out"
	echo "Bail out! the packages of $kernel are not good"
	exit 1
}
exec "$top/scripts/vm/run" --kernel "$kernel" \
	--variant none --timeout 2400 --add "$PAYLOAD_DIR/packages" \
	--name "$kernel-package" -- tests/guest/package
