#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: 7.2 late
# variant: release
# timeout: 600
# threads: counted
# cpus: 1
# append: clearcpuid=erms,fsrm
#
# What does the hook of UFFDIO_MOVE cost tasks that never use UFFDIO_MOVE? TAP for bench/cost.
#
#   PAIRS=N   how often without and with it (3)
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/../../scripts/lib/common.sh"
# shellcheck source=tests/lib/header.sh
. "$TLBBATCH_TOP/tests/lib/header.sh"
# shellcheck source=tests/lib/tap.sh
. "$TLBBATCH_TOP/tests/lib/tap.sh"

guest_kernel "$0"
guest_options "$0" "$REPLY"
what="copy-on-write faults, enabled 0 and 1, differ by less than 0.5 %"
out=$("$TLBBATCH_TOP/scripts/vm/run" "${GUEST_OPTIONS[@]}" \
	-- tests/guest/bench/cost --of hooks --pairs "${PAIRS:-3}")
code=$?
diag "$out"
if [ $code -eq 0 ] && [[ $out = *"no measurement: "* ]]; then
	skip "$what" "${out##*no measurement: }"
elif [ $code -eq 0 ] && [[ $out = *"nothing can be told"* ]]; then
	skip "$what" "the figures differ by more among themselves"
else
	[ $code -eq 0 ] && [[ $out = *"pages per second: "* ]]
	ok $? "$what" "exit code $code"
fi
finish
