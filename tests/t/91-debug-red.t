#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: debug
#
# A test that passes turns red on a debug kernel if the kernel reports a fault meanwhile, or
# if memory is lost: here scripts/vm/run itself is tested, with faults that a test module
# makes. 90-reports has all faults. TAP.
set -u
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/../../scripts/lib/common.sh"
# shellcheck source=tests/lib/tap.sh
. "$TLBBATCH_TOP/tests/lib/tap.sh"

kernel=${KERNEL:-6.1}

# fault NAME [OPTION]...: run a guest in which it is made, and set $code and $trouble
fault()
{
	local fault=$1 name=$kernel-red-$1

	shift
	code=0
	trouble=$TLBBATCH_RESULTS/guests/$name/trouble.log
	"$TLBBATCH_TOP/scripts/vm/run" --kernel "$kernel" --variant none --name "$name" \
		--timeout 200 "$@" -- sh -c "insmod /opt/tlbbatch/modules/faults.ko fault=$fault
			rmmod faults; true" >/dev/null 2>&1 || code=$?
}

# red FAULT REPORT [OPTION]...
red()
{
	local fault=$1 report=$2

	shift 2
	fault "$fault" "$@"
	is "$fault: the run fails" $code 99
	check "$fault: and says why" grep -q "$report" "$trouble"
}

fault none
is "no fault: the run passes" $code 0
if grep -q '^CONFIG_KASAN=y' "$TLBBATCH_ROOTS/guests/$kernel/tree/usr/src"/linux-*/.config; then
	red use-after-free "KASAN: "
	red leak "kmemleak: [0-9]* new" --append kmemleak=on
else
	red race "KCSAN: data-race"
fi
finish
