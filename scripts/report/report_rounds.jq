# SPDX-License-Identifier: GPL-2.0-only
#
# What report_rounds.sh computes from measurements in randomised blocks
# (tests/guest/bench/progress and sweep). jq 1.6.

include "report";

# Makes one object for a kernel from the objects of a guest's .jsonl, its guest.json, and
# the suites of its kernel. It keeps all of the sides.
def rounds_report($what; $guest; $suites; $commit):
	{
		what: $what, kernel: $guest.kernel, cpus: $guest.cpus, mem_mb: $guest.mem_mb,
		suites: $suites, sides: .
	} + provenance($guest; $commit) | .settings.command = $guest.command;

# What is wrong with a list of such objects: a line for each complaint
def rounds_complaints:
	if type != "array" or length == 0 then "no list, or empty"
	else
		.[] | "\(.kernel), \(.what): " + (
			provenance_complaints,
			(select(.sides | type != "array" or length == 0) | "no sides"),
			(select([.sides[]? | select((.events_lost // 0) > 0)] | length > 0) |
				"events were lost"))
	end;

def of_1000: if . == null then "-" else . * 10 | round / 10 | tostring end;

# From pairs [zero, calls], one for each round: calls that found nothing per 1000, and the
# margin of error (95%, jackknife over the rounds, since calls of a round are alike)
def zero_rate: (map(.[0]) | add) * 1000 / ([map(.[1]) | add, 1] | max);
def zero_margin:
	. as $all | length as $n |
	if $n < 3 then null
	else
		[range($n) as $i | $all[:$i] + $all[$i + 1:] | zero_rate] |
		(add / $n) as $mean |
		1.96 * (map(pow(. - $mean; 2)) | add * ($n - 1) / $n | sqrt)
	end;

# Rows of the table of calls that found nothing: kernel, LRU, swap, load, arm, ...
def progress_rows:
	.[] | select(.what == "progress") | .kernel as $kernel |
	.sides | group_by([.mib, .lru, .swap, .arm])[] |
	map([.zero_calls, .calls]) as $calls |
	[$kernel, .[0].lru, .[0].swap, "\(.[0].mib) MB", .[0].arm, length,
	 ($calls | map(.[1]) | add), ($calls | map(.[0]) | add),
	 "\($calls | zero_rate | of_1000)" +
		($calls | zero_margin | if . == null then "" else " ± \(of_1000)" end),
	 (map(select(.zero_calls > 0)) | length), (map(.oom_kills) | add),
	 (map(select(.pgsteal_anon > 0) | tlb_per_1000) | median | of_1000),
	 ([.[].module.folios_dropped_mapped | values] | if length > 0 then add else "-" end),
	 ([.[].module.folios_dropped_gone | values] | if length > 0 then add else "-" end)];

# Rows of the sweep: kernel, workload, swap, LRU, batch_size (0 is off), median, range, OOMs
def sweep_rows:
	.[] | select(.what == "sweep") | .kernel as $kernel |
	.sides | group_by([.workload, .swap, .lru, .batch_size])[] |
	[.[] | select(.oom == 0 and .pgsteal_anon > 0) | tlb_per_1000] as $figures |
	[$kernel, .[0].workload, .[0].swap, .[0].lru,
	 (.[0].batch_size | if . == 0 then "off" else tostring end), length,
	 ($figures | median | of_1000),
	 "\($figures | min | of_1000) to \($figures | max | of_1000)",
	 (map(.oom) | add)];
