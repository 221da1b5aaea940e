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

# lazyfree_guests KERNEL: what it measured is kept at once
lazyfree_guests()
{
	local name=bench-$1-lazyfree code=0 options=()

	read -ra options <<<"${LAZYFREE_OPTIONS:-}"
	"$TLBBATCH_TOP/scripts/vm/run" --kernel "$1" --name "$name" --variant release \
		--mem "${LAZYFREE_MEM:-3072}" --timeout $((600 + 120 * pairs)) -- \
		tests/guest/bench/describe tests/guest/bench/lazyfree \
		--pairs $((pairs > 3 ? pairs : 3)) "${options[@]}" || code=$?
	(report_guest_code "$code" "$name") || return
	keep lazyfree "$TLBBATCH_RESULTS/lazyfree.json" "$name"
}

# reads_guests WHAT KERNEL SMALL OPTION...: one with 512 MB, which has the options in SMALL, too, and
# one with 4 GB. There reclaim comes when it has read 192 MB.
reads_guests()
{
	local mem=${1^^}_MEM options small failed=0

	mapfile -t small < <(xargs -r -n 1 printf '%s\n' <<<"$3")
	for mem in ${!mem:-512 4096}; do
		options=("${small[@]}")
		[ "$mem" -lt 4096 ] || options=(--wheres global --file-mb 512 --left-mb 192)
		reads_guest "$1" "$2" "$mem" "${options[@]}" "${@:4}" || failed=1
	done
	return $failed
}

# reads_guest WHAT KERNEL MEM_MB OPTION...: one that reads files, in arms; what it measured is
# kept at once
reads_guest()
{
	local name=bench-$2-$1-$3 more=${1^^}_OPTIONS options code=0

	mapfile -t options < <(xargs -r -n 1 printf '%s\n' <<<"${!more:-}")
	"$TLBBATCH_TOP/scripts/vm/run" --kernel "$2" --name "$name" --variant release \
		--mem "$3" --timeout "${ROUNDS_TIMEOUT:-7200}" -- tests/guest/bench/describe \
		tests/guest/bench/gate "${@:4}" "${options[@]}" || code=$?
	(report_guest_code "$code" "$name") || return
	keep "$1" "$TLBBATCH_RESULTS/$1.json" "$name"
}

# gate_guests KERNEL
gate_guests()
{
	reads_guests gate "$1" ''
}

# defer_guests KERNEL: an emulator reclaims so slowly that the default age would come before the
# batch is full.
defer_guests()
{
	reads_guests defer "$1" \
		"--wheres cgroup --workloads 'read-threads read-processes randread-threads randread-processes mixed text'" \
		--arms "0 0/track 0/defer 0/defer4096" --age-ms 1000 --swap none
}
