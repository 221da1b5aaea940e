# SPDX-License-Identifier: GPL-2.0-only
#
# What report_rounds.sh computes from measurements in randomised blocks
# (tests/guest/bench/progress, sweep, wide, bystander and flusher). jq 1.6.

include "report";

# Makes one object for a kernel from the objects of a guest's .jsonl, its guest.json, and
# the suites of its kernel. It keeps all of the sides.
def rounds_report($what; $guest; $suites; $commit):
	{
		what: $what, kernel: $guest.kernel, cpus: $guest.cpus, mem_mb: $guest.mem_mb,
		suites: $suites, sides: .
	} + ($guest | with_entries(select(.key == "cgroup1"))) + provenance($guest; $commit) | .settings.command = $guest.command;

# Of dirty file pages: in the set-up ext4, and in no other, a cgroup has a flusher of its own.
def flusher_complaints:
	select(.what == "flusher") | .sides[]? |
	select((.own_flusher == 1) != (.setup == "ext4")) |
	"\(.setup), round \(.round), \(.arm): " +
		if .own_flusher == 1 then "a cgroup's own flusher wrote"
		else "no cgroup's own flusher wrote" end;

# What is wrong with a list of such objects: a line for each complaint
def rounds_complaints:
	if type != "array" or length == 0 then "no list, or empty"
	else
		.[] | "\(.kernel), \(.what): " + (
			provenance_complaints,
			(select(.sides | type != "array" or length == 0) | "no sides"),
			(select([.sides[]? | select((.events_lost // 0) > 0)] | length > 0) |
				"events were lost"),
			flusher_complaints)
	end;

def of_1000: if . == null then "-" else rounded | tostring end;

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

# Bystanders: each group of sides of one kernel, workload, swap and LRU, by arm
def bystander_groups:
	.[] | select(.what == "bystander") | .kernel as $kernel |
	.sides | map(select(.oom == 0 and .pgsteal_anon > 0)) | group_by([.workload, .swap, .lru])[] |
	{ kernel: $kernel, off: map(select(.arm == "off")), arms: group_by(
		if .arm == "off" then [0, 0] else [(.arm | split("/") | length), (.arm | split("/")[0] | tonumber)] end) };

# Receivers per 1000 pages that are counted in this member
def receivers_in($name): .[$name] * 1000 / .pgsteal_anon;
# How many percent of these had nothing to flush
def empty_share($of): .["empty_" + $of] * 100 / ([.["tlb_" + $of], 1] | max);

# One row for each kernel, LRU, workload and arm: the median of the bystanders' receivers, their
# least and most, how many percent fewer than off, and how many had nothing to flush; then the same
# of the writers; then CPUs that were left out
def bystander_rows:
	bystander_groups as {$kernel, $off, $arms} |
	([$off[] | receivers_in("tlb_bystanders")] | median) as $base |
	([$off[] | receivers_in("tlb_writers")] | median) as $own |
	$arms[] | [.[] | receivers_in("tlb_bystanders")] as $all |
	[$kernel, .[0].lru, .[0].swap, .[0].workload, .[0].arm, length,
	 ($all | median | of_1000), "\($all | min | of_1000) to \($all | max | of_1000)",
	 (if .[0].arm == "off" or ($base // 0) == 0 then "-"
	  else (($all | median) - $base) * 100 / $base | of_1000 end),
	 (map(empty_share("bystanders")) | median | of_1000),
	 (map(receivers_in("tlb_writers")) | median | of_1000),
	 (if .[0].arm == "off" or ($own // 0) == 0 then "-"
	  else ((map(receivers_in("tlb_writers")) | median) - $own) * 100 / $own | of_1000 end),
	 (map(.shootdown.receivers_pruned * 1000 / .pgsteal_anon) | median | of_1000)];

# Dirty file pages. A side in which the reader or the writer was killed has null for what
# that one would have told.
def reads_per_s: if .reads == null then null else .reads / ([.read_s, 0.001] | max) end;
def of_sides(f): [.[] | f | values] | median;
def flusher_figure($name):
	if $name == "refaults" then of_sides(.workingset_refault_file)
	elif $name == "seconds of writing" then of_sides(.write_s)
	elif $name == "reads a second" then of_sides(reads_per_s)
	else map(.oom_kill) | add
	end;
def flusher_names: ["refaults", "seconds of writing", "reads a second", "OOM kills"];
def flusher_setups: ["ext4", "shared", "vfat"];
def flusher_arms: ["wake", "account", "every"];

def flusher_sides($kernel; $setup; $arm):
	[.[] | select(.what == "flusher" and (.kernel | startswith($kernel))) | .sides[] |
	 select(.setup == $setup and .arm == $arm)];

# How much of the way from 6.12 to 7.2 an arm goes, in percent; null where there is no way
def gap_closed($from; $to): if $from == null or $to == null or $from == $to then null
	else ($from - .) * 100 / ($from - $to) end;

# Rows: a set-up, a figure, 6.12 as it is, with each arm, and 7.2 as it is
def flusher_gap:
	. as $all | flusher_setups[] as $setup | flusher_names[] as $name |
	($all | flusher_sides("6.12."; $setup; "off") |
		if length > 0 then flusher_figure($name) else null end) as $from |
	($all | flusher_sides("7.2."; $setup; "off") |
		if length > 0 then flusher_figure($name) else null end) as $to |
	[$setup, $name, ($from | of_1000)] +
	[flusher_arms[] as $arm | $all | flusher_sides("6.12."; $setup; $arm) |
	 if length == 0 then "-"
	 else flusher_figure($name) | of_1000 + (if . == null then "" else
		gap_closed($from; $to) | if . == null then "" else " (\(round)%)" end end)
	 end] +
	[($to | of_1000)];

# Rows with all figures: medians, and of the writer's time the extremes
def flusher_rows:
	.[] | select(.what == "flusher") | .kernel as $kernel |
	.sides | group_by([.setup, .arm])[] |
	[$kernel, .[0].lru, .[0].setup, .[0].arm, length,
	 (of_sides(.write_s) | of_1000),
	 ([.[] | .write_s | values] |
		if length == 0 then "-" else "\(min | of_1000) to \(max | of_1000)" end),
	 (of_sides(.sync_s) | of_1000),
	 (of_sides(.write_p99_ms) | of_1000), (of_sides(.write_max_ms) | of_1000),
	 (of_sides(reads_per_s) | of_1000), (of_sides(.read_p99_ms) | of_1000),
	 (of_sides(.workingset_refault_file) | of_1000),
	 (of_sides(.pgscan_file) | of_1000), (of_sides(.pgsteal_file) | of_1000),
	 (of_sides(.wakes) | of_1000), (of_sides(.starts_vmscan) | of_1000),
	 (of_sides(.starts_elsewhere) | of_1000),
	 (of_sides(.throttled_ms) | of_1000),
	 (of_sides(.bystander_kb / 1024) | of_1000),
	 (map(.oom_kill) | add)];

# What each kernel answers who asks for a memory controller of cgroup version 1
def flusher_cgroup1:
	.[] | select(.what == "flusher") |
	[.kernel, (.cgroup1.config // "-"), (.cgroup1.mount // "" | if . == "" then "-" else . end)];
