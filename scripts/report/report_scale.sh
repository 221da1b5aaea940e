# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/scale measured into results/scale.json and a table. To be sourced
# after report.sh; the arithmetic is in report_scale.jq.

# report_scale_guest DIR: print a list with what the guest measured that delivered DIR.
# kernel_select has chosen the kernel.
report_scale_guest()
{
	jq_with report_scale -s --slurpfile guest "$1/guest.json" \
		--arg suites "${KERNEL_SUITES[*]}" \
		--argjson commit "${REPORT_COMMIT:-$(report_commit)}" \
		'[scale_report($guest[0]; $suites | split(" "); $commit)]' "$1/scale.jsonl"
}

# report_scale_merge FILE...: one list; of guests with the same kernel, processors and build the last
report_scale_merge()
{
	jq -s 'add | group_by([.kernel, .cpus, .variant // "release"]) | map(.[-1])' "$@"
}

# report_scale_check FILE: print what is wrong with it; fail if there is anything
report_scale_check()
{
	local wrong

	wrong=$(jq_with report_scale -r scale_complaints "$1") || return
	[ -z "$wrong" ] || note "$1:"$'\n'"$wrong"
	[ -z "$wrong" ]
}

# report_scale_matrix FILE: the table of docs/benchmarks.md
report_scale_matrix()
{
	printf '| %s |\n' \
		'kernel | CPUs | step | off | batching | track | difference of batching | of track | noise' \
		'--- | --- | --- | --- | --- | --- | --- | --- | ---'
	jq_with report_scale -r 'scale_rows | map(tostring) | "| \(join(" | ")) |"' "$1"
}

# report_events_matrix FILE: what trace events cost that nobody listens to
report_events_matrix()
{
	printf '| %s |\n' \
		'kernel | CPUs | step | state | without events | with events | difference | noise' \
		'--- | --- | --- | --- | --- | --- | --- | ---'
	jq_with report_scale -r 'events_rows | map(tostring) | "| \(join(" | ")) |"' "$1"
}
