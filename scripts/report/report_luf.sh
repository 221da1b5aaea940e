# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/luf measured into results/luf.json and into tables.  To be
# sourced after report.sh; the arithmetic is in report_luf.jq.

# What LUF's cover letter says of itself (v10, 20 May 2024: "tlb flushes are reduced about
# 95%"): llama.cpp, whose weights are mapped read-only, on 64 cores, without swap.
LUF_SEED_PERCENT=-95

# By how much tests/guest/luf-witness lets the module and the kernel differ.
LUF_WITNESS_PERCENT=$(sed -n 's/^PERCENT=//p' "$TLBBATCH_TOP/tests/guest/luf-witness")

luf_jq()
{
	jq_with report_luf "$@"
}

# report_luf_guest DIR: a list with the one kernel that was measured by the guest that
# delivered DIR; kernel_select has chosen it
report_luf_guest()
{
	luf_jq -s --slurpfile guest "$1/guest.json" --arg suites "${KERNEL_SUITES[*]}" \
		--argjson commit "${REPORT_COMMIT:-$(report_commit)}" \
		'[luf_report($guest[0]; $suites | split(" "); $commit)]' "$1/luf.jsonl"
}

# report_luf_merge FILE...: one list of all their kernels
report_luf_merge()
{
	jq -s add "$@"
}

# report_luf_check FILE RUNS: prints what is wrong with it, and fails
report_luf_check()
{
	local wrong

	wrong=$(luf_jq -r --argjson runs "$2" --argjson percent "$LUF_WITNESS_PERCENT" \
		'luf_complaints($runs; $percent)' "$1") || return
	[ -z "$wrong" ] || note "$1:"$'\n'"$wrong"
	[ -z "$wrong" ]
}

# report_luf_table RESULTS
report_luf_table()
{
	echo "What lazy flushing (LUF) would save; its cover letter: $LUF_SEED_PERCENT% (llama.cpp, 64 cores)"
	printf '%-19s %-6s %-20s %8s  %-24s %-24s %7s %7s  %-22s %9s %5s\n' \
		workload where kernel flushes "saved as posted" "ideal LUF (min to max)" \
		mixed needed 'given up (most)' untracked open
	luf_jq -r 'luf_table | @tsv' "$1" | awk -F'\t' '{
		printf "%-19s %-6s %-20s %8d  %-24s %-24s %7d %7d  %-22s %9d %5d\n",
			$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
	}'
}

# report_luf_matrix RESULTS: the table of docs/benchmarks.md
report_luf_matrix()
{
	luf_jq -r --arg seed "$LUF_SEED_PERCENT" \
		'luf_matrix($seed) | "| \(join(" | ")) |"' "$1"
}
