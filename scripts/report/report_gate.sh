# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/gate measured into results/gate.json and a table. To be sourced
# after report.sh; the arithmetic is in report_gate.jq.

# report_gate_guest DIR [WHAT]: print a list with what the guest measured that delivered DIR, of
# the gate or of something else that is measured so. kernel_select has chosen the kernel.
report_gate_guest()
{
	jq_with report_gate -s --slurpfile guest "$1/guest.json" \
		--arg what "${2:-gate}" --arg suites "${KERNEL_SUITES[*]}" \
		--argjson commit "${REPORT_COMMIT:-$(report_commit)}" \
		'[gate_report($what; $guest[0]; $suites | split(" "); $commit)]' "$1/gate.jsonl"
}

# report_gate_merge FILE...: one list; of guests with the same kernel and memory the last
report_gate_merge()
{
	jq -s 'add | group_by([.kernel, .mem_mb]) | map(.[-1])' "$@"
}

# report_gate_check FILE: print what is wrong with it; fail if there is anything
report_gate_check()
{
	local wrong

	wrong=$(jq_with report_gate -r gate_complaints "$1") || return
	[ -z "$wrong" ] || note "$1:"$'\n'"$wrong"
	[ -z "$wrong" ]
}

# report_gate_matrix FILE: the table of docs/gate.md, and what it says
report_gate_matrix()
{
	printf '| %s |\n' \
		'kernel | MB | LRU | where | load | sides | off | `pass_min` 96 | and `hold` | could be saved of the former, % | from, to | as posted, % | would be left | more than a third' \
		'--- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | ---'
	jq_with report_gate -r 'gate_rows | map(tostring) | "| \(join(" | ")) |"' "$1"
}

# report_gate_opens FILE: could more than a third of what wider passes leave be saved anywhere?
report_gate_opens()
{
	jq_with report_gate -e gate_opens "$1" >/dev/null
}
