# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Read tests/kernels.list.  To be sourced after common.sh.

KERNELS_LIST=$TLBBATCH_TOP/tests/kernels.list

# kernel_keys: the keys of all kernels, one per line.
kernel_keys()
{
	awk '!/^#/ && NF { print $1 }' "$KERNELS_LIST"
}

# kernel_select KEY
#
# Set KERNEL_KEY, KERNEL_SUITES (an array), KERNEL_IMAGE, KERNEL_HEADERS and
# GUEST_DIR, the directory of everything made for that kernel.
# shellcheck disable=SC2034 # read by the scripts that source this
kernel_select()
{
	local line suites

	line=$(awk -v key="$1" '!/^#/ && $1 == key' "$KERNELS_LIST")
	[ -n "$line" ] ||
		die "no kernel '$1'; there is: $(kernel_keys | xargs)"
	read -r KERNEL_KEY suites KERNEL_IMAGE KERNEL_HEADERS <<<"$line"
	IFS=, read -r -a KERNEL_SUITES <<<"$suites"
	[ -n "${KERNEL_HEADERS:-}" ] ||
		die "$KERNELS_LIST: '$1' needs four fields"
	GUEST_DIR=$TLBBATCH_CACHE/guests/$KERNEL_KEY
}
