# SPDX-License-Identifier: GPL-2.0-only
#
# What report_rounds.sh computes from measurements in randomised blocks
# (tests/guest/bench/progress, sweep, wide, bystander and advise). jq 1.6.

include "report";
include "report_flusher";

# Makes one object for a kernel from the objects of a guest's .jsonl, its guest.json, and
# the suites of its kernel. It keeps all of the sides.
def rounds_report($what; $guest; $suites; $commit):
	{
		what: $what, kernel: $guest.kernel, cpus: $guest.cpus, mem_mb: $guest.mem_mb,
		suites: $suites, sides: .
	} + ($guest | with_entries(select(.key == "cgroup1"))) + provenance($guest; $commit) | .settings.command = $guest.command;

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

# Wider passes: pages of both types, since they are for clean pages, too
def stolen: .pgsteal_anon + .pgsteal_file;
def scanned: .pgscan_anon + .pgscan_file;
def wide_receivers: .tlb_shootdowns * 1000 / stolen;
def wide_arm: .arm | split("/");
# Of the pages that calls freed, how many percent were beyond the 32 that they asked for
def wide_beyond:
	(.memcg_beyond + .direct_beyond) * 100 / ([.memcg_freed + .direct_freed, 1] | max);

# Each group of sides of one kernel, workload, swap and LRU, with the figures of the arm off/0
def wide_groups:
	.[] | select(.what == "wide") | .kernel as $kernel |
	.sides | map(select(stolen > 0)) | group_by([.workload, .swap, .lru])[] |
	{ kernel: $kernel, off: map(select(.arm == "off/0")), arms: group_by([(wide_arm[0] != "off"),
		(wide_arm[1] | tonumber)]) };

# A time of sides, as a multiple of that of the arm off/0
def times($off; f): [.[] | f] | median as $on | ([$off[] | f] | median) as $base |
	if ($base // 0) == 0 then "-" else $on / $base | of_1000 end;

# One row for each kernel, LRU and workload: receivers without the module; then for each of
# these settings the receivers, and how many times fewer that is
def wide_settings: ["64/0", "64/32", "64/64", "64/96", "64/128", "64/256", "off/96"];
def wide_matrix:
	wide_groups as {$kernel, $off, $arms} |
	([$off[] | wide_receivers] | median) as $base |
	[$kernel, $off[0].lru, $off[0].workload, ($base | of_1000)] +
	[wide_settings[] as $setting |
	 [$arms[][] | select(.arm == $setting) | wide_receivers] |
	 if length == 0 then "-"
	 else median | "\(of_1000) (\($base / . | of_1000)x)"
	 end];

# Rows with what each setting took
def wide_rows:
	wide_groups as {$kernel, $arms} | $arms[] |
	[$kernel, .[0].lru, .[0].workload, .[0].arm, length,
	 (map(.taken / ([.passes, 1] | max)) | median | of_1000),
	 (map(wide_receivers) | median | of_1000),
	 (map(.pgscan_anon * 100 / scanned) | median | of_1000),
	 (map(stolen * 100 / scanned) | median | of_1000),
	 (map(.workingset_refault_anon * 1000 / stolen) | median | of_1000),
	 (map(.workingset_refault_file * 1000 / stolen) | median | of_1000),
	 (map(.pgdeactivate * 1000 / stolen) | median | of_1000),
	 (map(.slabs_scanned * 1000 / stolen) | median | of_1000)];

# Rows with what each setting cost
def wide_costs:
	wide_groups as {$kernel, $off, $arms} | $arms[] |
	[$kernel, .[0].lru, .[0].workload, .[0].arm,
	 (map(wide_beyond) | median | of_1000),
	 ((if .[0].workload | IN("global", "direct") then "direct_us" else "memcg_us" end) as $call |
		times($off; .[$call][0]), times($off; .[$call][1])),
	 times($off; .pass_us[0]), times($off; .pass_us[1]),
	 times($off; .isolate_us[0]), times($off; .isolate_us[1]),
	 (map(.memcg_zero + .direct_zero) | add), (map(.oom_kill) | add),
	 (map(.kswapd_slept * 100) | median | of_1000)];

# Bystanders: each group of sides of one kernel, workload, swap and LRU, by arm. A side in which
# something was killed for want of memory, or nothing reclaimed, isn't measured.
def bystander_measured: .oom == 0 and .pgsteal_anon > 0;
def bystander_groups:
	.[] | select(.what == "bystander") | .kernel as $kernel |
	.sides | group_by([.workload, .swap, .lru])[] |
	{ kernel: $kernel, sides: ., arms: group_by(
		if .arm == "off" then [0, 0] else [(.arm | split("/") | length), (.arm | split("/")[0] | tonumber)] end) };
def bystander_arm($arm): map(select(.arm == $arm and bystander_measured));
def bystander_place: "\(.[0].workload), \(.[0].swap), \(.[0].lru), \(.[0].arm)";

def bystander_complaints:
	select(.what == "bystander" and (.sides | type == "array")) | [.] |
	bystander_groups | .arms[] | bystander_place as $place |
	map(select(bystander_measured)) as $good |
	(select($good | length < 3) | "\($place): only \($good | length) sides of \(length) were measured"),
	(select((.[0].arm | endswith("/prune")) and
		([$good[].shootdown.receivers_pruned // 0] | add // 0) == 0) |
		"\($place): no CPU was left out");

# Receivers per 1000 pages that are counted in this member
def receivers_in($name): .[$name] * 1000 / .pgsteal_anon;
# How many percent of these had nothing to flush
def empty_share($of): .["empty_" + $of] * 100 / ([.["tlb_" + $of], 1] | max);
def receivers_of($whom): [.[] | receivers_in("tlb_" + $whom)];

# Of the sides of an arm: the change of the median against off, and against the same without prune
def bystander_changes($sides; $whom):
	.[0].arm as $arm | (receivers_of($whom) | median) as $now |
	(if $arm == "off" then null
	 else $now | against($sides | bystander_arm("off") | receivers_of($whom) | median) end),
	(if $arm | endswith("/prune") then $now |
		against($sides | bystander_arm($arm | rtrimstr("/prune")) | receivers_of($whom) | median)
	 else null end);

# One row for each kernel, LRU, workload and arm: sides, and how many of these weren't measured; the
# median of the bystanders' receivers, their least and most, the changes, and how many had nothing to
# flush; then the same of the writers; then CPUs that were left out
def bystander_rows:
	bystander_groups as {$kernel, $sides, $arms} |
	$arms[] | length as $all | map(select(bystander_measured)) | select(length > 0) |
	receivers_of("bystanders") as $others |
	[$kernel, .[0].lru, .[0].swap, .[0].workload, .[0].arm, length, $all - length,
	 ($others | median | of_1000), "\($others | min | of_1000) to \($others | max | of_1000)",
	 (bystander_changes($sides; "bystanders") | of_1000),
	 (map(empty_share("bystanders")) | median | of_1000),
	 (receivers_of("writers") | median | of_1000),
	 (bystander_changes($sides; "writers") | of_1000),
	 (map(.shootdown.receivers_pruned * 1000 / .pgsteal_anon) | median | of_1000)];

# What prune must reach, both against the same without it: so many percent fewer receivers on the
# bystanders' CPUs, and no more on the writers'
def bystander_bound: -95;
def bystander_verdicts:
	bystander_groups as {$kernel, $sides, $arms} |
	$arms[] | select(.[0].arm | endswith("/prune")) | (.[0].arm | rtrimstr("/prune")) as $without |
	map(select(bystander_measured)) | select(length > 0) |
	[bystander_changes($sides; "bystanders")][1] as $others |
	[bystander_changes($sides; "writers")][1] as $own |
	($sides | bystander_arm($without) | receivers_of("writers") | max) as $most |
	[$kernel, .[0].lru, .[0].swap, .[0].workload, .[0].arm, ($others | of_1000), ($own | of_1000),
	 if $others == null or $own == null then "not measured"
	 elif $others > bystander_bound then "fails: bystanders"
	 elif $own <= 0 then "passes"
	 elif receivers_of("writers") | median <= $most then "passes, writers within what \($without) spreads"
	 else "fails: writers" end];

# advise: each group of sides of one kernel, workload, swap and LRU. A side in which something was
# killed for want of memory isn't measured.
def advise_groups:
	.[] | select(.what == "advise") | .kernel as $kernel |
	.sides | group_by([.swap, .lru, .workload])[] |
	{ kernel: $kernel, sides: map(select(.oom == 0)), all: length, on: ([.[] | .arm | select(test("^[0-9]+$"))][0]) };
def advise_arm($arm): [.[] | select(.arm == $arm)];

# Receivers of a side: for each 1000 pages, or of all where each side does the same work
def advise_receivers:
	if .workload | IN("madvise", "apart", "mixed") then .tlb_shootdowns
	else .tlb_shootdowns * 1000 / .pgsteal_anon end;
def advise_receivers_of($arm): [advise_arm($arm)[] | advise_receivers];

# Of all receivers of a watched side, how many percent wouldn't be with batching
def advise_predicted:
	.advise | ([to_entries[] | select(.key | startswith("receivers_")) | .value] | add) as $all |
	(.whatif_receivers - .whatif_receivers_left) * 100 / ([$all, 1] | max);

# The most that a prediction may be off, in percentage points
def advise_bound: 10;

# One row for each kernel, LRU, swap device and workload
def advise_rows:
	[advise_groups as {$kernel, $sides, $all, $on} |
	($sides | advise_receivers_of("off") | median) as $off |
	($sides | advise_receivers_of("watch") | median) as $watch |
	($sides | advise_receivers_of($on)) as $batched |
	(100 - ($batched | median) * 100 / $off) as $measured |
	([$sides | advise_arm("watch")[] | advise_predicted]) as $predictions |
	($predictions | median) as $predicted |
	[$kernel, $sides[0].lru, $sides[0].swap, $sides[0].workload, ($sides | length), $all - ($sides | length),
	 ($off | of_1000), ($watch | against($off) | of_1000), ($batched | median | of_1000),
	 ($predicted | of_1000), "\($predictions | min | of_1000) to \($predictions | max | of_1000)",
	 ($measured | of_1000), (($predicted - $measured) | of_1000),
	 if $predicted - $measured | fabs > advise_bound then "fails" else "passes" end]] |
	sort_by(.[0:4])[];

def advise_complaints:
	select(.what == "advise" and (.sides | type == "array")) | [.] | advise_groups as {$sides, $on} |
	("off", "watch", $on) as $arm | ($sides | advise_arm($arm)) as $good |
	select($good | length < 3) |
	"\($sides[0].workload), \($sides[0].swap), \($sides[0].lru), \($arm): only \($good | length) sides were measured";

# What is wrong with a list of such objects: a line for each complaint
def rounds_complaints:
	if type != "array" or length == 0 then "no list, or empty"
	else
		.[] | "\(.kernel), \(.what): " + (
			provenance_complaints,
			(select(.sides | type != "array" or length == 0) | "no sides"),
			(select([.sides[]? | select((.events_lost // 0) > 0)] | length > 0) |
				"events were lost"),
			flusher_complaints, bystander_complaints, advise_complaints)
	end;
