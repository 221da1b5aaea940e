#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# runs: once
# Runs the pure files in user space, under ASan and UBSan: a result for each program.
# Arguments name some of the programs (test_wide_policy); without any all run.
# TLBBATCH_BTF=<file> names the BTF of another kernel than the running one.
set -u
[ -z "${TLBBATCH_BTF:-}" ] || TLBBATCH_BTF=$(realpath "$TLBBATCH_BTF") || exit 1
cd "$(dirname "$0")/../unit" || exit 1
# shellcheck source=tests/lib/tap.sh
. ../lib/tap.sh

for tool in gcc make; do
	command -v "$tool" >/dev/null || skip_all "needs $tool (apt install gcc make)"
done

mapfile -t programs < <(make -s list | grep -E "/($(IFS='|'; echo "${*:-.*}"))\$")
[ ${#programs[@]} -ge $# ] || bail "there are no such programs: $*"
log=$(make -s -j"$(nproc)" "${programs[@]}" 2>&1)
ok $? "the unit tests build" "$log"
[ "$tap_failed" -eq 0 ] || finish

for program in "${programs[@]}"; do
	out=$("$program" 2>&1)
	status=$?
	checks=$(grep -cE '^(not )?ok ' <<<"$out")
	skipped=$(grep -cE '^ok .* # SKIP ' <<<"$out")
	planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' <<<"$out")
	name="${program##*/}: $checks checks"
	[ "$skipped" -eq 0 ] || name+=", $skipped of them skipped"

	if reason=$(grep -oP '^1\.\.0 # SKIP \K.*' <<<"$out") && [ $status -eq 0 ]; then
		skip "${program##*/}" "$reason"
	elif [ $status -eq 0 ] && [ "$checks" -gt 0 ] && [ "$checks" = "$planned" ] &&
	     ! grep -q '^not ok' <<<"$out"; then
		ok 0 "$name"
		[ "$skipped" -eq 0 ] || diag "$(grep ' # SKIP ' <<<"$out")"
	else
		ok 1 "$name (exit status $status)" "$out"
	fi
done
finish
