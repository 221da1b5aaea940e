# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scripts/bench sets them
#
# Measurements of which what is there of other kernels stays. A part of scripts/bench, to be sourced
# by it.

# lazyfree_guest KERNEL: what it measured is kept at once
lazyfree_guest()
{
	local name=bench-$1-lazyfree code=0 options=()

	read -ra options <<<"${LAZYFREE_OPTIONS:-}"
	"$TLBBATCH_TOP/scripts/vm/run" --kernel "$1" --name "$name" --variant release \
		--mem "${LAZYFREE_MEM:-3072}" --timeout $((600 + 120 * pairs)) -- \
		tests/guest/bench/describe tests/guest/bench/lazyfree \
		--pairs $((pairs > 3 ? pairs : 3)) "${options[@]}" || code=$?
	(report_guest_code "$code" "$name") || return
	report_lazyfree_guest "$TLBBATCH_RESULTS/guests/$name/files" >"$tmp/lazyfree-guest.json"
	[ -e "$lazyfree_result" ] || echo '[]' >"$lazyfree_result"
	report_lazyfree_merge "$lazyfree_result" "$tmp/lazyfree-guest.json" >"$tmp/lazyfree.json"
	report_lazyfree_check "$tmp/lazyfree.json" || return
	mv "$tmp/lazyfree.json" "$lazyfree_result"
}

# gate_guest KERNEL MEM_MB OPTION...: what it measured is kept at once
gate_guest()
{
	local name=bench-$1-gate-$2 options code=0

	mapfile -t options < <(xargs -r -n 1 printf '%s\n' <<<"${GATE_OPTIONS:-}")
	"$TLBBATCH_TOP/scripts/vm/run" --kernel "$1" --name "$name" --variant release \
		--mem "$2" --timeout "${ROUNDS_TIMEOUT:-7200}" -- tests/guest/bench/describe \
		tests/guest/bench/gate "${@:3}" "${options[@]}" || code=$?
	(report_guest_code "$code" "$name") || return
	report_gate_guest "$TLBBATCH_RESULTS/guests/$name/files" >"$tmp/gate-guest.json"
	[ -e "$gate_result" ] || echo '[]' >"$gate_result"
	report_gate_merge "$gate_result" "$tmp/gate-guest.json" >"$tmp/gate.json"
	report_gate_check "$tmp/gate.json" || return
	mv "$tmp/gate.json" "$gate_result"
}
