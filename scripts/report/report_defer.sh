# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what tests/guest/bench/gate measured of luf/mode=defer into results/defer.json and a table.
# To be sourced after report_gate.sh; the arithmetic is in report_defer.jq.

# report_defer_guest DIR: as report_gate_guest
report_defer_guest()
{
	report_gate_guest "$1" defer
}

report_defer_merge()
{
	report_gate_merge "$@"
}

report_defer_check()
{
	report_gate_check "$@"
}

# report_defer_matrix FILE: the table of docs/defer.md
report_defer_matrix()
{
	report_rows_table report_defer "$1" defer_rows kernel MB LRU where load sides off defer \
		'less by, %' 'saved, %' 'with a batch of 4096, %' '`track` says, %' 'points apart' \
		'left out' 'sent' 'work with `track`, %' 'with `defer`, %'
}
