# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # the dollar signs are jq's
#
# Turn what guests measured into results/*.json and into tables.  To be sourced
# after common.sh; the arithmetic is in report.jq.

REPORT_FLOORS=${REPORT_FLOORS:-$TLBBATCH_TOP/tests/guest/bench/floors}

# module_version: print the version that dkms.conf has
module_version()
{
	sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$TLBBATCH_TOP/dkms.conf"
}

# report_jq [OPTION]... PROGRAM [FILE]...: jq with report.jq at hand
report_jq()
{
	jq_with report "$@"
}

# jq_with MODULE [OPTION]... PROGRAM [FILE]...: jq with MODULE.jq at hand
jq_with()
{
	local module=$1 options=()

	shift
	while [[ $1 = -* ]]; do
		case $1 in
		--arg* | --slurpfile) options+=("$1" "$2" "$3"); shift 3 ;;
		*) options+=("$1"); shift ;;
		esac
	done
	local program="include \"$module\"; $1"

	shift
	jq -L "$TLBBATCH_TOP/scripts/report" "${options[@]}" "$program" "$@"
}

# report_rows_table MODULE FILE ROWS HEADER...: a table of the rows that MODULE.jq makes of FILE. A
# header may hold several columns, with "|" between them.
report_rows_table()
{
	local module=$1 file=$2 rows=$3 header

	shift 3
	header=$(IFS='|'; echo "$*")
	echo "| ${header//|/ | } |"
	sed 's/[^|][^|]*/ --- /g; s/.*/|&|/' <<<"$header"
	jq_with "$module" -r "$rows | map(tostring) | \"| \\(join(\" | \")) |\"" "$file"
}

# report_commit: print git's name for the tree, as JSON, or null without git. A repository
# around the tree isn't the tree's own.
report_commit()
{
	local top commit=

	top=$(git -C "$TLBBATCH_TOP" rev-parse --show-toplevel 2>/dev/null) &&
		[ "$top" -ef "$TLBBATCH_TOP" ] &&
		commit=$(git -C "$TLBBATCH_TOP" describe --always --dirty --abbrev=12)
	[ -z "$commit" ] || commit="\"$commit\""
	echo "${commit:-null}"
}

# report_guest DIR: print a list with the one kernel that was measured by the guest that
# delivered DIR. kernel_select has chosen the kernel.
report_guest()
{
	report_jq -s --slurpfile guest "$1/guest.json" \
		--arg suites "${KERNEL_SUITES[*]}" \
		--argjson commit "${REPORT_COMMIT:-$(report_commit)}" \
		'[kernel_report($guest[0]; $suites | split(" "); $commit)]' "$1/sides.jsonl"
}

# report_merge FILE...: one list of all their kernels
report_merge()
{
	report_jq -s 'add | merge_kernels' "$@"
}

# report_floors: the table of floors as JSON
report_floors()
{
	awk '
		BEGIN { printf "[" }
		!/^#/ && NF {
			if (NF != 6) {
				printf "%s:%d: six fields\n", FILENAME, FNR >"/dev/stderr"
				exit 1
			}
			printf "%s{\"kernel\": \"%s\", \"workload\": \"%s\", \"swap\": \"%s\", \"lru\": \"%s\", \"floor\": %s, \"pair_share\": %s}",
				comma, $1, $2, $3, $4, $5, $6
			comma = ", "
		}
		END { print "]" }
	' "$REPORT_FLOORS"
}

# A line of N characters C
report_line()
{
	printf '%*s\n' "$2" '' | tr ' ' "$1"
}

# report_centered TEXT WIDTH
report_centered()
{
	printf '%*s%s\n' "$((($2 - ${#1}) / 2))" '' "$1"
}

REPORT_WIDTH=78

# report_table RESULTS GUEST: a table for each run of the file RESULTS,
# with a header from the file GUEST
report_table()
{
	local runs run

	runs=$(jq -c ".[].runs[]" "$1")
	while IFS= read -r run; do
		report_line "=" "$REPORT_WIDTH"
		report_centered "$(jq -r '"tlbbatch: \(.workload), swap on \(.swap), \(.lru) LRU"' \
			<<<"$run")" "$REPORT_WIDTH"
		report_line "=" "$REPORT_WIDTH"
		jq -r --slurpfile guest "$2" '
			. as $run | $guest[0] | .workloads[$run.workload] as $load |
			"  Kernel: \(.kernel)   CPUs: \(.cpus)   tlbbatch: \(.module)",
			"  MemTotal: \(.mem_mb)M   SwapTotal: \(.swap_mb)M   batch_size: \($run.batch_size)",
			"  memcg limit: \(.memcg_limit)   alloc: \($load.alloc_mb)M   workers: \($load.workers)   duration: \(.seconds)s",
			"  Medians of \($run.pairs | length) pairs, off and on in turns in one boot",
			($run.pairs[0].wide.pass_min // empty | "  Wider: batching, and wide/pass_min is \(.)")
		' <<<"$run"
		report_line - "$REPORT_WIDTH"
		printf '%-25s%11s%21s' Metric Off "Batching"
		[ "$(report_jq is_wide <<<"$run")" = false ] || printf '%21s' Wider
		echo
		report_line - "$REPORT_WIDTH"
		report_jq -r 'table | @tsv' <<<"$run" | report_rows
		report_line - "$REPORT_WIDTH"
	done <<<"$runs"
}

# Rows of a table from report.jq's: what comes after the first figure is compared with it
report_rows()
{
	awk -F'\t' '
		$2 == "" { print $1; next }
		{
			number = "%." $2 "f"
			printf "%-25s%11s", $1, sprintf(number, $3)
			for (i = 4; i <= NF; i++) {
				share = $3 == 0 ? "n/a" : sprintf("%+.1f%%", ($i - $3) * 100 / $3)
				printf "%11s %9s", sprintf(number, $i), "(" share ")"
			}
			print ""
		}'
}

# report_summary RESULTS: a line for each run, against its floor
report_summary()
{
	printf '%-16s %-10s %-4s %-7s  %8s %8s  %7s %7s %7s %6s  %6s %6s  %7s  %s\n' \
		kernel workload swap lru off on fewer 'min' wider floor \
		'eff.off' 'eff.on' 'fl/pass' verdict
	report_jq -r --argjson floors "$(report_floors)" '
		summary($floors) |
		[.kernel, .workload, .swap, .lru, .off, .on, .saved, .saved_min,
		 .saved_wide // "-", .floor // "-", .efficiency_off, .efficiency_on,
		 .flushes_per_pass // "-", .verdict] | @tsv' "$1" |
		awk -F'\t' '
			function number(format, value) {
				return value == "-" ? value : sprintf(format, value)
			}
			{
				printf "%-16s %-10s %-4s %-7s  %8.1f %8.1f  %6.1fx %6.1fx %7s %6s  %6.1f%% %5.1f%%  %7s  %s\n",
					$1, $2, $3, $4, $5, $6, $7, $8, number("%.1fx", $9),
					number("%.1f", $10), $11 * 100, $12 * 100,
					number("%.2f", $13), $14
			}'
}

# report_matrix RESULTS: a table of docs/benchmarks.md, how many times fewer
report_matrix()
{
	printf '| %s |\n' \
		'kernel | suite | hooks | workload | disk, MGLRU | disk, classic | zram, MGLRU | zram, classic' \
		'--- | --- | --- | --- | --- | --- | --- | ---'
	report_jq -r 'matrix | "| \(join(" | ")) |"' "$1"
}

# report_details RESULTS: a table of docs/benchmarks.md, with what the summary has
report_details()
{
	printf '| %s |\n' \
		'kernel | workload | swap | LRU | receivers, off | on | reclaimed of scanned, off | on | flushes per deferring pass' \
		'--- | --- | --- | --- | --- | --- | --- | --- | ---'
	report_jq -r '
		def percent: . * 1000 | round / 10 | "\(.)%";
		summary([]) |
		[.kernel, .workload, .swap, .lru, (.off, .on | round),
		 (.efficiency_off, .efficiency_on | percent),
		 (.flushes_per_pass * 100 | round / 100)] | cells' "$1"
}

# report_counters RESULTS: print the counters of the first kernel's writers on a disk with
# MGLRU, for the first pair. Counters that are 0 are left out.
report_counters()
{
	jq -r '[.[0].runs[] | select(.workload == "writers" and .swap == "disk" and .lru == "mglru")][0] |
		.pairs[0].on.module | to_entries[] | select(.value != 0) | [.key, .value] | @tsv' "$1" |
		awk -F'\t' '{ printf "%-28s%9d\n", $1, $2 }'
}

# report_oom RESULTS: print a line for each run with sides that ended in an OOM kill and
# were measured again. Sides off and on are counted apart.
report_oom()
{
	jq -r 'def ooms(side): [.pairs[] | side | .oom_sides // 0] | add;
		.[] | .kernel as $kernel | .runs[] |
		select(ooms(.off) + ooms(.on) > 0) |
		"\($kernel): \(.workload) \(.swap) \(.lru): OOM kills in \(ooms(.off)) sides off, \(ooms(.on)) on; measured again"' "$1"
}

# report_missed RESULTS "WORKLOAD...": for each kernel, print a line for each floor of these
# workloads that was not reached, or not measured
report_missed()
{
	report_jq -r --argjson floors "$(report_floors)" --arg workloads "$2" '
		def where: "\(.workload) \(.swap) \(.lru)";
		($workloads | split(" ")) as $asked |
		(summary($floors) |
			select(.verdict | startswith("MISSED")) |
			"\(.kernel): \(where): \(.saved | rounded) times fewer, worst pair \(.saved_min | rounded)\(
				if .saved_wide then ", with wider passes \(.saved_wide | rounded)" else "" end); the floors are \(.floor) and \(.pair_floor | rounded)"),
		(.[] | .kernel as $kernel |
			(.runs | map(where)) as $measured |
			[$floors[] |
			 select(.workload as $name | $asked | index($name)) | where] |
			(unique - $measured)[] | "\($kernel): \(.): not measured")
	' "$1"
}

# report_unsaved RESULTS STATS: print a line for each run in which batching saved nothing,
# and one if the module's counters say that it avoided no flush
report_unsaved()
{
	report_jq -r 'summary([]) |
		select(.saved > 1 | not) |
		"\(.workload) \(.swap) \(.lru): \(.off | round) TLB shootdowns per 1000 pages off, \(.on | round) on"' "$1"
	jq -r 'select(.flushes_avoided == 0) |
		"the module avoided no flush"' "$2"
}

# report_gain RESULTS: print a line for each run that says what batching saved, and what it
# saved with wider passes
report_gain()
{
	report_jq -r 'summary([]) |
		"\(.workload), swap on \(.swap), \(.lru) LRU: \(.saved | rounded) times fewer TLB shootdowns per page reclaimed" +
		if .saved_wide then ", \(.saved_wide | rounded) times with wider passes." else "." end' "$1"
}

# report_guest_code CODE WHAT: end the script if a guest failed, and say how
report_guest_code()
{
	case $1 in
	0) ;;
	98) die "$2: the guest crashed" ;;
	99) die "$2: the guest's kernel complained" ;;
	124) die "$2: timeout" ;;
	125) die "$2: the guest could not be made or started" ;;
	*) die "$2: failed in the guest ($1)" ;;
	esac
}
