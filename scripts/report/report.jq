# SPDX-License-Identifier: GPL-2.0-only
#
# What the reports compute from what guests measured.  jq 1.6; used by report.sh
# and report-check.

def median:
	sort | length as $n |
	if $n == 0 then null
	elif $n % 2 == 1 then .[($n - 1) / 2]
	else (.[$n / 2 - 1] + .[$n / 2]) / 2
	end;

# For one side: a count per 1000 pages reclaimed
def per_1000(count): count * 1000 / .pgsteal_anon;
def tlb_per_1000: per_1000(.tlb_shootdowns);
def efficiency: .pgsteal_anon / .pgscan_anon;

# For one pair: how many times fewer receivers there were. A side without receivers counts
# as if it had one, so no gain is infinite.
def saved(on): (.off | tlb_per_1000) / (on | per_1000([.tlb_shootdowns, 1] | max));
def saved: saved(.on);

# A row of a table in Markdown
def cells: "| \(map(tostring) | join(" | ")) |";

def rounded: . * 10 | round / 10;
def of_1000: if . == null then "-" else rounded | if . == 0 then "0" else tostring end end;

# A figure as a change against another one, in percent; null where there is none
def against($base):
	if . == null or ($base // 0) == 0 or ($base | isinfinite) or isinfinite then null
	else (. - $base) * 100 / $base end;

# For one run: median over the pairs of a figure of one side
def of_side(side; figure): [.pairs[] | side | figure] | median;

# For one run: flushes per reclaim pass that deferred anything, all pairs
def flushes_per_pass:
	[.pairs[].on.module | values] |
	(map(.passes_deferring) | add // 0) as $passes |
	if $passes > 0
	then (map(.flushes_in_deferring_passes) | add) / $passes
	else null
	end;

# The order in which runs are listed
def rank: [.workload, .swap, {"mglru": 0, "classic": 1}[.lru], .batch_size];

# From a guest's guest.json: what was measured, and how. $commit is git's name for the tree
# that the module was built from, or null without git.
def provenance($guest; $commit):
	{commit: $commit} +
	(if $commit == null then {commit_note: "measured in a tree without git"} else {} end) +
	{
		module_version: $guest.module,
		settings: ($guest | with_entries(select(.key as $name |
			["seconds", "pairs", "runs", "batch_size", "pass_min", "memcg_limit", "swap_mb", "lru"] |
			index($name))))
	};

# Makes one object for a kernel from the objects of a guest's sides.jsonl, its guest.json,
# and the suites of its kernel. A pair that lacks a side is left out. The run that lost that
# side has failed.
def kernel_report($guest; $suites; $commit):
	def figures: del(.workload, .swap, .lru, .batch_size, .pair, .side);
	def pair:
		map({(.side): figures}) | add | select(.off and .on) |
		{off, on} + if .wide then {wide} else {} end;
	{
		kernel: $guest.kernel,
		cpus: $guest.cpus,
		mem_mb: $guest.mem_mb,
		suites: $suites,
		hooks_armed: $guest.hooks_armed,
		runs: ([
			group_by([.workload, .swap, .lru, .batch_size])[] |
			(.[0] | {workload, swap, lru, batch_size}) +
			{pairs: [group_by(.pair)[] | pair]}
		] | sort_by(rank))
	} + provenance($guest; $commit);

# From a list with an object for each kernel: the rows of the table in docs/benchmarks.md.
# There is a row for each kernel and workload, with the median and the worst pair of each
# combination.
def times: if . < 10 then . * 10 | floor / 10 else floor end | "\(.)x";
def matrix:
	[["disk", "mglru"], ["disk", "classic"], ["zram", "mglru"], ["zram", "classic"]]
		as $cells |
	.[] | . as $kernel | .runs | group_by(.workload)[] | . as $runs |
	[$kernel.kernel, ($kernel.suites | last), ($kernel.hooks_armed | length),
	 .[0].workload] +
	[$cells[] | . as [$swap, $lru] |
	 [$runs[] | select(.swap == $swap and .lru == $lru) | .pairs[] | saved] |
	 if length == 0 then "-" else "\(median | times) (\(min | times))" end];

# Merges several such objects, some of the same kernel, into one object for each kernel. If
# the parts were measured on different commits, the whole has no commit.
def merge_kernels:
	group_by([.kernel, .cpus, .mem_mb]) |
	map((map(.commit) | unique) as $commits |
		.[0] + {runs: (map(.runs) | add | sort_by(rank))} +
		if $commits | length > 1
		then {commit: null, commit_note: "several: \($commits | map(. // "unknown") | join(", "))"}
		else {} end);

# Complaints about the provenance that a kernel's object states. Only an object without a
# commit may lack the rest.
def provenance_complaints:
	def text: type == "string" and . != "";
	if .commit | text then
		(select(.module_version | text | not) | "module_version: \(.module_version)"),
		(select(.settings | type != "object") | "settings: \(.settings)")
	elif .commit != null or (.commit_note | text | not) then
		"no commit, and no commit_note that says why"
	else empty end;

# For one run: has each pair a side with wider passes?
def is_wide: .pairs | length > 0 and all(.[]; .wide);

# Rows of the table of one run: name, decimals, then a figure for each kind of side
def table:
	def row(name; decimals; figure):
		[name, decimals, of_side(.off; figure), of_side(.on; figure)] +
		if is_wide then [of_side(.wide; figure)] else [] end;
	row("bogo ops/s"; 2; .bogo_ops / .seconds),
	row("TLB shootdowns"; 0; .tlb_shootdowns),
	row("Function call IPIs"; 0; .call_ipis),
	row("pgscan_anon (pages)"; 0; .pgscan_anon),
	row("pgsteal_anon (pages)"; 0; .pgsteal_anon),
	row("pswpout (pages)"; 0; .pswpout),
	["per 1000 pages reclaimed:", "", "", ""],
	row("  TLB shootdowns"; 1; tlb_per_1000),
	row("  Function call IPIs"; 1; per_1000(.call_ipis));

# From a list with an object for each kernel, and the floors: the rows of the summary
def summary($floors):
	.[] | .kernel as $kernel | .runs | sort_by(rank)[] |
	. as $run |
	([$floors[] |
		select(.kernel as $begin | $begin == "*" or
			($kernel | startswith($begin))) |
		select(.workload == $run.workload and
			.swap == $run.swap and .lru == $run.lru)] | first) as $floor |
	[.pairs[] | saved] as $saved |
	{
		kernel: $kernel,
		workload, swap, lru,
		off: of_side(.off; tlb_per_1000),
		on: of_side(.on; tlb_per_1000),
		saved: ($saved | median),
		saved_min: ($saved | min),
		saved_wide: (if is_wide then [.pairs[] | saved(.wide)] | median else null end),
		floor: ($floor.floor // null),
		pair_floor: (if $floor then $floor.floor * $floor.pair_share else null end),
		efficiency_off: of_side(.off; efficiency),
		efficiency_on: of_side(.on; efficiency),
		flushes_per_pass: flushes_per_pass
	} |
	. + {
		verdict: (
			if .floor == null then "-"
			elif .saved < .floor then "MISSED"
			elif .saved_min < .pair_floor then "MISSED: pair"
			elif (.saved_wide // .floor) < .floor then "MISSED: wider"
			else "ok"
			end)
	};
