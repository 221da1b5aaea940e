# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/apps measured into results/apps.json and tables. To be sourced after
# report.sh; the arithmetic is in report_apps.jq.

# report_apps_guest DIR: print a list with what the guest measured that delivered DIR, an object for
# each application and swap device. kernel_select has chosen the kernel.
report_apps_guest()
{
	jq_with report_apps -s --slurpfile guest "$1/guest.json" \
		--arg suites "${KERNEL_SUITES[*]}" \
		--argjson commit "${REPORT_COMMIT:-$(report_commit)}" \
		'[apps_report($guest[0]; $suites | split(" "); $commit)]' "$1/apps.jsonl"
}

# report_apps_merge FILE...: one list
report_apps_merge()
{
	jq_with report_apps -s apps_merge "$@"
}

# report_apps_check FILE: print what is wrong with it; fail if there is anything
report_apps_check()
{
	local wrong

	wrong=$(jq_with report_apps -r apps_complaints "$1") || return
	[ -z "$wrong" ] || note "$1:"$'\n'"$wrong"
	[ -z "$wrong" ]
}

# report_apps_matrix FILE: the tables of docs/bench-apps.md: faults and receivers, times, instructions
report_apps_matrix()
{
	local table names gap=

	while read -r table; do
		mapfile -t names < <(jq -r '.[]' <<<"$table")
		[ -z "$gap" ] || echo
		report_rows_table report_apps "$1" "apps_rows($table)" kernel LRU application swap pairs \
			"${names[@]}"
		gap=1
	done < <(jq_with report_apps -nc 'apps_tables[]')
}

# report_apps_verdict FILE: what got better, what got worse?
report_apps_verdict()
{
	report_rows_table report_apps "$1" apps_verdicts kernel LRU application swap better worse \
		'not told'
}
