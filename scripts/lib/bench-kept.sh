# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scripts/bench sets them
#
# Measurements of which what is there of other kernels stays. A part of scripts/bench, to be sourced
# by it.

# keep KIND FILE NAME: add what the guest NAME measured to FILE, if all of that can be right
keep()
{
	"report_$1_guest" "$TLBBATCH_RESULTS/guests/$3/files" >"$tmp/$1-guest.json"
	[ -e "$2" ] || echo '[]' >"$2"
	"report_$1_merge" "$2" "$tmp/$1-guest.json" >"$tmp/$1.json"
	"report_$1_check" "$tmp/$1.json" || return
	mv "$tmp/$1.json" "$2"
}

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
	keep lazyfree "$lazyfree_result" "$name"
}

# gate_guests KERNEL: reclaim of a large guest's whole memory comes when it has read 192 MB
gate_guests()
{
	local mem options failed=0

	for mem in ${GATE_MEM:-512 4096}; do
		options=()
		[ "$mem" -lt 4096 ] || options=(--wheres global --file-mb 512 --left-mb 192)
		gate_guest "$1" "$mem" "${options[@]}" || failed=1
	done
	return $failed
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
	keep gate "$gate_result" "$name"
}
