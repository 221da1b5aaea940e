# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/lazyfree measured into results/lazyfree.json and a table. To be
# sourced after report.sh; the arithmetic is in report_lazyfree.jq.

# report_lazyfree_guest DIR: print a list with what the guest measured that delivered DIR.
# kernel_select has chosen the kernel.
report_lazyfree_guest()
{
	jq_with report_lazyfree -s --slurpfile guest "$1/guest.json" \
		--arg suites "${KERNEL_SUITES[*]}" \
		--argjson commit "${REPORT_COMMIT:-$(report_commit)}" \
		'[lazyfree_report($guest[0]; $suites | split(" "); $commit)]' "$1/lazyfree.jsonl"
}

# report_lazyfree_merge FILE...: one list; of guests with the same kernel and LRU the last
report_lazyfree_merge()
{
	jq_with report_lazyfree -s 'add | group_by([.kernel, lazyfree_lru]) | map(.[-1])' "$@"
}

# report_lazyfree_check FILE: print what is wrong with it; fail if there is anything
report_lazyfree_check()
{
	local wrong

	wrong=$(jq_with report_lazyfree -r lazyfree_complaints "$1") || return
	[ -z "$wrong" ] || note "$1:"$'\n'"$wrong"
	[ -z "$wrong" ]
}

# report_lazyfree_matrix FILE: the table of docs/bench-lazyfree.md
report_lazyfree_matrix()
{
	report_rows_table report_lazyfree "$1" lazyfree_rows kernel LRU MiB pairs 'off: seconds for a GiB' \
		'from, to' pmd 'from, to' 'times faster'
}

# report_lazyfree_verdict FILE: is it as fast as it should be?
report_lazyfree_verdict()
{
	report_rows_table report_lazyfree "$1" lazyfree_verdicts kernel LRU 'asked for' measured verdict
}
