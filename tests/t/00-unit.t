#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
# The pure files in user space, under ASan and UBSan: a result per program.
# TLBBATCH_BTF=<file> is another kernel's BTF than the running one's.
set -u
[ -z "${TLBBATCH_BTF:-}" ] || TLBBATCH_BTF=$(realpath "$TLBBATCH_BTF") || exit 1
cd "$(dirname "$0")/../unit" || exit 1

comment()
{
	sed 's/^/# /'
}

for tool in gcc make; do
	command -v "$tool" >/dev/null || {
		echo "1..0 # SKIP needs $tool (apt install gcc make)"
		exit 0
	}
done

nr=1
if log=$(make -s -j"$(nproc)" all 2>&1); then
	echo "ok 1 - the unit tests build"
else
	echo "not ok 1 - the unit tests build"
	comment <<<"$log"
	echo "1..1"
	exit 1
fi

failed=0
while IFS= read -r program; do
	nr=$((nr + 1))
	out=$("$program" 2>&1)
	status=$?
	checks=$(grep -cE '^(not )?ok ' <<<"$out")
	skipped=$(grep -cE '^ok .* # SKIP ' <<<"$out")
	planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' <<<"$out")
	name="${program##*/}: $checks checks"
	[ "$skipped" -eq 0 ] || name+=", $skipped of them skipped"

	if reason=$(grep -oP '^1\.\.0 # SKIP \K.*' <<<"$out") && [ $status -eq 0 ]; then
		echo "ok $nr - ${program##*/} # SKIP $reason"
	elif [ $status -eq 0 ] && [ "$checks" -gt 0 ] && [ "$checks" = "$planned" ] &&
	     ! grep -q '^not ok' <<<"$out"; then
		echo "ok $nr - $name"
		grep ' # SKIP ' <<<"$out" | comment
	else
		failed=1
		echo "not ok $nr - $name (exit status $status)"
		comment <<<"$out"
	fi
done < <(make -s list)
echo "1..$nr"
exit $failed
