# SPDX-License-Identifier: GPL-2.0-only
#
# What scripts/compare-patch computes from results/compare-patch.json. jq 1.6.
#
#   {boots: [{kernel: "stock" or "patch", ..., sides: [{row, arm, verdict, ...}]}]}
#
# verdict: good; oom: something was killed for want of memory; short: too few pages.

include "report";

# The file, with one side's object on each line, so that people can read it.
def compare_print:
	"{\"boots\": [",
	(.boots | length) as $n |
	(.boots | to_entries[] | .key as $nr | .value |
		(del(.sides) | tojson | .[:-1] + ", \"sides\": ["),
		(.sides | length) as $sides |
		(.sides | to_entries[] |
			" " + (.value | tojson) + (if .key + 1 < $sides then "," else "" end)),
		"]}" + (if $nr + 1 < $n then "," else "" end)),
	"]}";

def compare_sides: [.boots[].sides[]];

# A list of sides: the figures of those that count
def figures: [.[] | select(.verdict == "good") | tlb_per_1000];

# For two lists of figures: the share of pairs in which the first list's figure is lower,
# and how many standard deviations this share is away from a half (Mann and Whitney). A tie
# counts as a half.
def ranks($a; $b):
	($a | length) as $n | ($b | length) as $m |
	if $n == 0 or $m == 0 then null
	else
		([$a[] as $x | $b[] | if $x < . then 1 elif $x == . then 0.5 else 0 end] |
			add) as $u |
		{lower: ($u / ($n * $m)),
		 z: (($u - $n * $m / 2) / ($n * $m * ($n + $m + 1) / 12 | sqrt))}
	end;

# Two-sided, 5%
def significant: 1.96;

def row_rank:
	{"writers": 0, "stress-vm": 4}[.[0]] + {"zram": 0, "disk": 2}[.[1]] +
	{"mglru": 0, "classic": 1}[.[2]];

def arm_rank: {"stock": -2, "patch": -1}[.] // tonumber;

# The comparison's rows, each with its arms
def compare_rows:
	compare_sides | group_by(.row) |
	map(
		(.[0].row | split(",")) as $row |
		. as $sides |
		([.[] | select(.arm == "patch")] | figures) as $patch |
		{
			row: $row,
			arms: [group_by(.arm)[] | {
				arm: .[0].arm,
				figures: figures,
				median: (figures | median),
				ooms: (map(select(.verdict == "oom")) | length),
				sides: (map(select(.verdict != "short")) | length),
				pages: ([.[] | select(.verdict == "good") | .pgsteal_anon] | min),
				against: ranks(figures; $patch)
			}] | sort_by(.arm | arm_rank)
		}) |
	sort_by(.row | row_rank);

def lru_name: {"mglru": "MGLRU", "classic": "classic"}[.];

def number: . as $x | if $x < 100 then $x * 10 | round / 10 else $x | round end | tostring;

def cell:
	if .median == null then "none"
	else "\(.median | number) (\(.figures | min | number) to \(.figures | max | number))"
	end;

# How an arm of the module compares with the patch
def verdict:
	if .against == null then "-"
	else
		"\(.against.lower * 100 | round)%" +
		(if .against.z > significant then ", lower"
		 elif .against.z < -significant then ", higher"
		 else "" end)
	end;

def compare_table:
	compare_rows as $rows |
	([$rows[].arms[].arm] | unique | sort_by(arm_rank)) as $arms |
	([$arms[] | select(test("^[0-9]+$"))]) as $sizes |
	def line: "| \(join(" | ")) |";
	def title: if test("^[0-9]") then "module, \(.)" else . end;
	def of($arm): .arms | map(select(.arm == $arm)) | first;
	"Receivers per 1000 pages, median (range):", "",
	(["workload", "swap", "LRU"] + ($arms | map(title)) | line),
	(["---", "---", "---"] + ($arms | map("---")) | line),
	($rows[] | . as $row |
		[.row[0], .row[1], (.row[2] | lru_name)] +
		[$arms[] as $arm | $row | of($arm) | if . then cell else "-" end] | line),
	"", "Of all pairs of a module's side and a patch's side, the share in which the module's is lower. \"lower\" or \"higher\" marks a difference that is more than chance:", "",
	(["workload", "swap", "LRU"] + ($sizes | map(title)) | line),
	(["---", "---", "---"] + ($sizes | map("---")) | line),
	($rows[] | . as $row |
		[.row[0], .row[1], (.row[2] | lru_name)] +
		[$sizes[] as $arm | $row | of($arm) | if . then verdict else "-" end] | line),
	"", "Sides that were measured, and how many of them had an OOM kill (these aren't in the figures). The last column has the fewest pages that a side in the figures reclaimed:", "",
	(["workload", "swap", "LRU"] + ($arms | map(title)) + ["pages"] | line),
	(["---", "---", "---"] + ($arms | map("---")) + ["---"] | line),
	($rows[] | . as $row |
		[.row[0], .row[1], (.row[2] | lru_name)] +
		[$arms[] as $arm | $row | of($arm) |
			if . then "\(.sides), \(.ooms)" else "-" end] +
		[[.arms[].pages | values] | min | tostring] | line);

# A line for each row and arm in which the module is worse than the patch
def compare_worse:
	compare_rows[] | .row as $row | .arms[] |
	select((.arm | test("^[0-9]+$")) and .against != null and .against.z < -significant) |
	"\($row | join(" ")), batch_size \(.arm): \(.median | number)";
