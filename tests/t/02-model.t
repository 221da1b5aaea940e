#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
# LUF's bookkeeping with 256 threads that play CPUs: what they fight for, before and now,
# and under ThreadSanitizer that they don't break it.
set -u
cd "$(dirname "$0")/../model" || exit 1
SECONDS_MAX=240

for tool in gcc make; do
	command -v "$tool" >/dev/null || {
		echo "1..0 # SKIP needs $tool (apt install gcc make)"
		exit 0
	}
done

comment()
{
	sed 's/^/# /'
}

if ! log=$(make -s 2>&1); then
	echo "not ok 1 - the model builds"
	comment <<<"$log"
	echo "1..1"
	exit 1
fi
echo "ok 1 - the model builds"

# An older ThreadSanitizer finds no room where addresses are random in many bits.
fixed=()
! setarch -R true 2>/dev/null || fixed=(setarch -R)

nr=1
failed=0
for program in luf_scale luf_scale.tsan; do
	nr=$((nr + 1))
	rc=0
	out=$("${fixed[@]}" timeout "$SECONDS_MAX" ../../.cache/model/$program 2>&1) || rc=$?
	if [ "$rc" -eq 0 ] && grep -q '^1\.\.' <<<"$out" && ! grep -q '^not ok' <<<"$out" &&
		! grep -q 'WARNING: ThreadSanitizer' <<<"$out"; then
		echo "ok $nr - $program"
	else
		failed=1
		echo "not ok $nr - $program (exit status $rc)"
	fi
	comment <<<"$out"
done
echo "1..$nr"
exit $failed
