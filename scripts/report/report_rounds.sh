# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/progress, sweep, wide, bystander and advise measured into
# results/progress.json and so on, and into tables. The same for readme-flusher.json, of a feature that has gone (docs/flusher.md). To be sourced after report.sh;
# the arithmetic is in report_rounds.jq and report_flusher.jq.

rounds_jq()
{
	jq_with report_rounds "$@"
}

# report_rounds_guest WHAT DIR: print a list with the one kernel that was measured by the
# guest that delivered DIR. kernel_select has chosen the kernel.
report_rounds_guest()
{
	rounds_jq -s --slurpfile guest "$2/guest.json" --arg what "$1" \
		--arg suites "${KERNEL_SUITES[*]}" \
		--argjson commit "${REPORT_COMMIT:-$(report_commit)}" \
		'[rounds_report($what; $guest[0]; $suites | split(" "); $commit)]' "$2/$1.jsonl"
}

# report_rounds_check FILE: print what is wrong with it; fail if there is anything
report_rounds_check()
{
	local wrong

	wrong=$(rounds_jq -r rounds_complaints "$1") || return
	[ -z "$wrong" ] || note "$1:"$'\n'"$wrong"
	[ -z "$wrong" ]
}

# report_rounds_table RESULTS ROWS HEADER...: a table of the rows that report_rounds.jq makes
report_rounds_table()
{
	report_rows_table report_rounds "$@"
}

# report_rounds_matrix RESULTS: a table for the documents
report_rounds_matrix()
{
	local settings

	case $(jq -r '.[0].what' "$1") in
	progress)
		report_rounds_table "$1" progress_rows kernel LRU swap load arm rounds calls \
			'that found nothing' 'per 1000' 'rounds with such' 'OOM kills' \
			'receivers per 1000 pages' 'dropped: mapped' gone
		;;
	sweep)
		report_rounds_table "$1" sweep_rows kernel workload swap LRU '`batch_size`' sides \
			'receivers per 1000 pages' 'least to most' 'with an OOM kill'
		;;
	wide)
		mapfile -t settings < <(rounds_jq -nr 'wide_settings[]')
		report_rounds_table "$1" wide_matrix kernel LRU workload off "${settings[@]}"
		;;
	bystander)
		report_rounds_table "$1" bystander_rows kernel LRU swap workload setting sides \
			'not measured (OOM)' 'bystanders: receivers per 1000 pages' 'least to most' \
			'against off, %' 'against the same without prune, %' 'nothing to flush, %' \
			'writers: receivers per 1000 pages' 'against off, %' \
			'against the same without prune, %' 'left out per 1000 pages'
		;;
	advise)
		report_rounds_table "$1" advise_rows kernel LRU swap workload sides 'not measured (OOM)' \
			'receivers: off' 'watched, against off, %' batched 'predicted to be saved, %' \
			'least to most' 'saved, %' 'difference, points' 'within 10'
		;;
	flusher)
		report_rows_table report_flusher "$1" flusher_gap set-up figure 6.12 wake 'against off, %' \
			account 'against off, %' every 'against off, %' 7.2
		;;
	esac
}

# report_rounds_verdict RESULTS: does it show what the feature is there for? A table
report_rounds_verdict()
{
	case $(jq -r '.[0].what' "$1") in
	bystander)
		report_rounds_table "$1" bystander_verdicts kernel LRU swap workload setting \
			'bystanders against the same without prune, %' 'writers, %' verdict
		;;
	flusher)
		report_rows_table report_flusher "$1" flusher_verdicts mode 'most of a gap to 7.2' \
			'worst against off' verdict
		;;
	*) return 1 ;;
	esac
}

# report_rounds_details RESULTS: of a wide.json, what each setting took, and what it cost; of a
# readme-flusher.json, all figures, and what kernels say of cgroup version 1
report_rounds_details()
{
	if jq -e '.[0].what == "flusher"' "$1" >/dev/null; then
		report_rows_table report_flusher "$1" flusher_rows kernel LRU set-up arm sides \
			'seconds of writing' 'least to most' 'seconds of sync' \
			'a write, ms: p99' longest 'reads a second' 'a read, ms: p99' \
			refaults scanned reclaimed 'wake-ups' \
			'writeback starts for reclaim' 'on the other disk' \
			'throttled, ms' 'MB to the other disk' 'MB/s' 'killed: writers' readers \
			'OOM kills a side'
		echo
		report_rows_table report_flusher "$1" flusher_cgroup1 kernel configuration 'mount -o memory'
		return
	fi
	report_rounds_table "$1" wide_rows kernel LRU workload setting sides 'pages a pass' \
		'receivers per 1000 pages' 'anonymous, % of scanned' 'freed, % of scanned' \
		'refaults per 1000 pages: anonymous' file \
		'deactivated' 'slab objects scanned'
	echo
	report_rounds_table "$1" wide_costs kernel LRU workload setting \
		'freed beyond 32 a call, %' 'call: p50' p99 'pass: p50' p99 'lru_lock: p50' p99 \
		'calls that found nothing' 'OOM kills' 'kswapd slept, %'
}
