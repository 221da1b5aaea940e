# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/progress and sweep measured into results/progress.json,
# results/sweep.json and tables.  To be sourced after report.sh; the arithmetic is in
# report_rounds.jq.

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

# report_rounds_matrix RESULTS: a table for the documents
report_rounds_matrix()
{
	case $(jq -r '.[0].what' "$1") in
	progress)
		printf '| %s |\n' \
			'kernel | LRU | swap | load | arm | rounds | calls | that found nothing | per 1000 | rounds with such | OOM kills | receivers per 1000 pages | dropped: mapped | gone' \
			'--- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | ---'
		rounds_jq -r 'progress_rows | map(tostring) | "| \(join(" | ")) |"' "$1"
		;;
	sweep)
		printf '| %s |\n' \
			'kernel | workload | swap | LRU | `batch_size` | sides | receivers per 1000 pages | least to most | with an OOM kill' \
			'--- | --- | --- | --- | --- | --- | --- | --- | ---'
		rounds_jq -r 'sweep_rows | map(tostring) | "| \(join(" | ")) |"' "$1"
		;;
	esac
}
