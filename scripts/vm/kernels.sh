# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Read tests/kernels.list.  To be sourced after common.sh.

KERNELS_LIST=$TLBBATCH_TOP/tests/kernels.list

# kernel_keys [TESTS...]
#
# Print the keys of the kernels on which these TESTS run ("all" by default), one per line,
# in the order of the list.
kernel_keys()
{
	[ $# -gt 0 ] || set -- all
	awk -v kinds=" $* " '!/^#/ && NF && index(kinds, " " $5 " ") { print $1 }' \
		"$KERNELS_LIST"
}

# kernel_select KEY
#
# Set KERNEL_KEY, KERNEL_SUITES (an array), KERNEL_IMAGE, KERNEL_HEADERS,
# KERNEL_TESTS; GUEST_DIR, where the root made for that kernel is, and
# PAYLOAD_DIR, where what is built on it goes.
# shellcheck disable=SC2034 # read by the scripts that source this
kernel_select()
{
	local line suites

	line=$(awk -v key="$1" '!/^#/ && $1 == key' "$KERNELS_LIST")
	[ -n "$line" ] || die "no kernel '$1'; there is:" \
		"$(kernel_keys all flavour watch | xargs)"
	read -r KERNEL_KEY suites KERNEL_IMAGE KERNEL_HEADERS KERNEL_TESTS <<<"$line"
	IFS=, read -r -a KERNEL_SUITES <<<"$suites"
	case ${KERNEL_TESTS:-} in
	all | flavour | watch) ;;
	*) die "$KERNELS_LIST: '$1' needs five fields" ;;
	esac
	GUEST_DIR=$TLBBATCH_ROOTS/guests/$KERNEL_KEY
	PAYLOAD_DIR=$TLBBATCH_CACHE/guests/$KERNEL_KEY
}
