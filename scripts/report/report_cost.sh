# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/cost and folio-cost measured into results/cost.json and
# into a table.  To be sourced after report.sh.

# report_cost_guest FILE: print a list with the object in the FILE that a guest delivered.
# kernel_select has chosen the kernel.
report_cost_guest()
{
	report_jq --arg suites "${KERNEL_SUITES[*]}" \
		--argjson commit "${REPORT_COMMIT:-$(report_commit)}" \
		'[. + {suites: ($suites | split(" "))} + provenance(.; $commit) | del(.module)]' "$1"
}

# report_cost_merge FILE...: one list
report_cost_merge()
{
	jq -s add "$@"
}

# report_cost_check FILE: print what is wrong with it; fail if there is anything
report_cost_check()
{
	local wrong

	wrong=$(report_jq -r '
		if type != "array" or length == 0 then "no list, or empty"
		else
			.[] | "\(.kernel), \(.of), \(.cpus) CPUs: " + (
				provenance_complaints,
				if .of == "folio" then select(.own_to_write | type != "number") | "no ratio"
				elif (.drivers | length) == 0 then "no drivers"
				else .drivers[] | select(.difference_percent | type != "number") |
					"\(.driver): no difference"
				end)
		end' "$1") || return
	[ -z "$wrong" ] || note "$1:"$'\n'"$wrong"
	[ -z "$wrong" ]
}

# report_cost_matrix RESULTS: the table of docs/benchmarks.md
report_cost_matrix()
{
	printf '| %s |\n' \
		'kernel | CPUs | what | load | pages per second, without | with | difference | noise' \
		'--- | --- | --- | --- | --- | --- | --- | ---'
	report_jq -r '
		{"module": "loaded, `enabled` 0", "luf": "`luf/mode` track", "defer": "`luf/mode` defer",
		 "hooks": "`enabled` 1"} as $what |
		.[] | select(.drivers) | . as $one | .drivers[] |
		[.off // .absent, .track // .defer // .loaded // .on] as $sides |
		[$one.kernel, $one.cpus, $what[$one.of], .driver, ($sides[] | .median | round),
		 "\(.difference_percent + 0)%",
		 if $one.settings.pairs > 1 then "\(.noise_percent)%" else "one pair" end] | cells' "$1"
}
