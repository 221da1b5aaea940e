#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
# LUF's bookkeeping with 256 threads that play CPUs: which cache lines they contend for,
# before and now. Under ThreadSanitizer it also checks that they don't break the
# bookkeeping.
set -u
cd "$(dirname "$0")/../model" || exit 1
# shellcheck source=tests/lib/tap.sh
. ../lib/tap.sh
SECONDS_MAX=240

for tool in gcc make; do
	command -v "$tool" >/dev/null || skip_all "needs $tool (apt install gcc make)"
done

log=$(make -s 2>&1)
ok $? "the model builds" "$log"
[ "$tap_failed" -eq 0 ] || finish

# An older ThreadSanitizer finds no room if many bits of addresses are random.
fixed=()
! setarch -R true 2>/dev/null || fixed=(setarch -R)

for program in luf_scale luf_scale.tsan; do
	rc=0
	out=$("${fixed[@]}" timeout "$SECONDS_MAX" ../../.cache/model/$program 2>&1) || rc=$?
	if [ "$rc" -eq 0 ] && grep -q '^1\.\.' <<<"$out" && ! grep -q '^not ok' <<<"$out" &&
		! grep -q 'WARNING: ThreadSanitizer' <<<"$out"; then
		ok 0 "$program"
	else
		ok 1 "$program (exit status $rc)"
	fi
	diag "$out"
done
finish
