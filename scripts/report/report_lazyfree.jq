# SPDX-License-Identifier: GPL-2.0-only
#
# What tests/guest/bench/lazyfree measured: the time to reclaim huge pages that MADV_FREE gave up.

include "report";

# Makes one object of the sides of a guest
def lazyfree_report($guest; $suites; $commit):
	{
		what: "lazyfree", kernel: $guest.kernel, cpus: $guest.cpus, mem_mb: $guest.mem_mb,
		suites: $suites, sides: .
	} + provenance($guest; $commit) | .settings.command = $guest.command;

def lazyfree_complaints:
	if type != "array" or length == 0 then "no list, or empty"
	else
		.[] | "\(.kernel): " + (
			provenance_complaints,
			(("off", "pmd") as $side | [.sides[] | select(.side == $side)] |
			 select(length < 3) | "only \(length) sides \($side)"),
			(.sides[] | select(.seconds <= 0 or .pages <= 0) | "pair \(.pair): nothing was reclaimed"),
			(.sides[] | select((.side == "pmd") != (.discarded > 0)) |
			 "pair \(.pair), \(.side): \(.discarded) pages were discarded"),
			(select([.sides[].lru] | unique | length > 1) | "sides of several LRUs"),
			(.sides[] | select(.huge * 2 < .mib * 0.9) | "pair \(.pair): the memory had no huge pages"))
	end;

# Seconds for a GiB
def seconds_per_gib: .seconds * 1024 * 256 / .pages;
def lazyfree_median($side): [.sides[] | select(.side == $side) | seconds_per_gib] | median;
def lazyfree_extent($side): [.sides[] | select(.side == $side) | seconds_per_gib] | [min, max];

# How many times faster: the median of the pairs
def lazyfree_times:
	[.sides | group_by(.pair)[] |
	 (map(select(.side == "off"))[0] | seconds_per_gib) / (map(select(.side == "pmd"))[0] | seconds_per_gib)] |
	median;

# Of a list: the kernel
def lazyfree_of($begin): .[] | select(.kernel | startswith($begin));

def thousandths: . * 1000 | round / 1000;

# The LRU of an object's sides. Early files don't say it.
def lazyfree_lru: [.sides[].lru // "-"] | unique | join(" ");

# Rows of the table
def lazyfree_rows:
	sort_by(.kernel, lazyfree_lru)[] |
	[.kernel, lazyfree_lru, (.sides | map(.mib) | max), (.sides | map(.pair) | max),
	 (("off", "pmd") as $side | (lazyfree_median($side) | thousandths),
	  (lazyfree_extent($side) | map(thousandths) | "\(.[0]) to \(.[1])")),
	 "\(lazyfree_times * 10 | round / 10)x"];

# What pmd must reach: at most so many seconds for a GiB. 7.2 discards whole by itself; there it
# must not be slower.
def lazyfree_bound: 0.05;
def lazyfree_by_itself: startswith("7.2.");

# Rows of the verdict: kernel, LRU, what is asked for, what was measured, and whether that passes
def lazyfree_verdicts:
	sort_by(.kernel, lazyfree_lru)[] | lazyfree_median("pmd") as $pmd |
	[.kernel, lazyfree_lru] +
	if .kernel | lazyfree_by_itself then
		(1 / lazyfree_times) as $factor |
		["not slower than off", "\($factor | thousandths) of its time",
		 if $factor <= 1 then "passes"
		 elif $pmd <= lazyfree_extent("off")[1] then "passes, within what off spreads"
		 else "fails" end]
	else
		["at most \(lazyfree_bound) s for a GiB", "\($pmd | thousandths) s",
		 if $pmd <= lazyfree_bound then "passes" else "fails" end]
	end;
