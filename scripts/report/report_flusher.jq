# SPDX-License-Identifier: GPL-2.0-only
#
# What report_rounds.sh computes from measurements of dirty file pages: objects that report_rounds.jq
# made. The feature has gone (docs/flusher.md).

include "report";

# Of dirty file pages: in the set-up ext4, and in no other, a cgroup has a flusher of its own.
def flusher_complaints:
	select(.what == "flusher") | .sides[]? |
	select((.own_flusher == 1) != (.setup == "ext4")) |
	"\(.setup), round \(.round), \(.arm): " +
		if .own_flusher == 1 then "a cgroup's own flusher wrote"
		else "no cgroup's own flusher wrote" end;

# Dirty file pages. A side in which the reader or the writer was killed has null for what that one
# would have told. Such a writer is the slowest of all, and such a reader has read nothing.
def is_killed: .write_s == null or .reads == null;
def reads_per_s: if .reads == null then 0 else .reads / ([.read_s, 0.001] | max) end;
def of_sides(f): [.[] | f | values] | median;
# What was written to the other disk. To wake all flushers costs its owner writes.
def bystander_rate: .bystander_kb / 1024 / ((.taken_s // .write_s) | select(. != null and . > 0));
# Each figure of a list of sides; the less the better, but for the reads
def flusher_names: ["refaults", "seconds of writing", "reads a second", "OOM kills a side",
	"killed sides, %", "MB/s to the other disk"];
def flusher_figure($name):
	if length == 0 then null
	elif $name == "refaults" then of_sides(.workingset_refault_file)
	elif $name == "seconds of writing" then map(.write_s // infinite) | median
	elif $name == "reads a second" then map(reads_per_s) | median
	elif $name == "OOM kills a side" then (map(.oom_kill) | add) / length
	elif $name == "killed sides, %" then (map(select(is_killed)) | length) * 100 / length
	else of_sides(bystander_rate)
	end;
def flusher_setups: ["ext4", "shared", "vfat"];
def flusher_arms: ["wake", "account", "every"];
def of_flusher: if . != null and isinfinite then "killed" else of_1000 end;

def flusher_sides($kernel; $setup; $arm):
	[.[] | select(.what == "flusher" and (.kernel | startswith($kernel))) | .sides[] |
	 select(.setup == $setup and .arm == $arm)];

# How many percent worse than off a figure is; negative if it is better
def worse($off; $name):
	if . == null or $off == null then null
	elif . == $off then 0
	elif isinfinite or ($off == 0 and $name != "reads a second") then infinite
	else against($off) | if . != null and $name == "reads a second" then -. else . end
	end;

# 7.2 is better than 6.12 by so many percent at least, or there is no gap between them. A kill in
# every other side is the least that counts. What the other disk gets is a price: there is none.
def gap_least: 10;
def is_gap($from; $to; $name):
	$name != "MB/s to the other disk" and
	$from != null and $to != null and ([$from, $to] | any(isinfinite) | not) and
	($to | worse($from; $name)) <= -gap_least and
	($name != "OOM kills a side" or $from - $to >= 0.5);
# How much of the way from 6.12 to 7.2 an arm goes, in percent; null where there is no gap
def gap_closed($from; $to; $name):
	if . == null or isinfinite or (is_gap($from; $to; $name) | not) then null
	else ($from - .) * 100 / ($from - $to) + 0 end;

# Of a list: an object for each set-up and figure, with 6.12 as it is, each arm, and 7.2 as it is
def flusher_gaps:
	. as $all | flusher_setups[] as $setup | flusher_names[] as $name |
	($all | flusher_sides("6.12."; $setup; "off") | flusher_figure($name)) as $from |
	($all | flusher_sides("7.2."; $setup; "off") | flusher_figure($name)) as $to |
	{
		setup: $setup, name: $name, from: $from, to: $to,
		arms: [flusher_arms[] as $arm | $all | flusher_sides("6.12."; $setup; $arm) |
			flusher_figure($name) |
			{ arm: $arm, figure: ., worse: worse($from; $name), against: against($from),
			  closed: gap_closed($from; $to; $name) }]
	};

# Rows: a set-up, a figure, 6.12 as it is, then with each arm, how much of the way to 7.2 that is
# where there is a gap, and the change against off; then 7.2 as it is
def flusher_gap:
	flusher_gaps | [.setup, .name, (.from | of_flusher)] +
	[.arms[] | (.figure | of_flusher) + (.closed | if . == null then "" else " (\(round)%)" end),
	 (.against | of_1000)] +
	[.to | of_flusher];

# What a mode must reach: half of the gap in one of these figures in one set-up, and no figure of
# any set-up worse than off by more. What the other disk gets is a price, and isn't judged.
def flusher_half: ["refaults", "seconds of writing", "OOM kills a side"];
def flusher_worse: 3;
def flusher_least: 3;
def flusher_place: "\(.setup), \(.name)";
def flusher_verdicts:
	. as $all | [flusher_gaps] as $gaps |
	def lengths($kernel; $arm): [flusher_setups[] as $setup |
		$all | flusher_sides($kernel; $setup; $arm) | length | select(. > 0)];
	("wake", "account") as $arm |
	[lengths("6.12."; "off"), lengths("7.2."; "off"), lengths("6.12."; $arm)] as $lengths |
	[$gaps[] | { setup, name } + (.arms[] | select(.arm == $arm) | { worse, closed })] as $figures |
	[$figures[] | select((.name | IN(flusher_half[])) and .closed != null)] as $closed |
	($closed | max_by(.closed)) as $best |
	([$figures[] | select(.name != "MB/s to the other disk" and .worse != null)] | max_by(.worse)) as $worst |
	[$arm,
	 ($best | if . == null then "-" else "\(.closed | round)% (\(flusher_place))" end),
	 ($worst | if . == null then "-"
		else "\(.worse | if isinfinite then "without bound" else "\(rounded)%" end) (\(flusher_place))" end),
	 if $worst == null or any($lengths[]; length == 0) then "not measured"
	 elif $lengths | flatten | min < flusher_least then "too few sides"
	 elif $best == null then "fails: no gap"
	 elif $best.closed < 50 then "fails: less than half of a gap"
	 elif $worst.worse > flusher_worse then "fails: something is worse"
	 else "passes" end];

# Rows with all figures: medians, and of the writer's time the extremes
def flusher_rows:
	.[] | select(.what == "flusher") | .kernel as $kernel |
	.sides | group_by([.setup, .arm])[] |
	[$kernel, .[0].lru, .[0].setup, .[0].arm, length,
	 (flusher_figure("seconds of writing") | of_flusher),
	 ([.[] | .write_s | values] |
		if length == 0 then "-" else "\(min | of_1000) to \(max | of_1000)" end),
	 (of_sides(.sync_s) | of_1000),
	 (of_sides(.write_p99_ms) | of_1000), (of_sides(.write_max_ms) | of_1000),
	 (flusher_figure("reads a second") | of_1000), (of_sides(.read_p99_ms) | of_1000),
	 (of_sides(.workingset_refault_file) | of_1000),
	 (of_sides(.pgscan_file) | of_1000), (of_sides(.pgsteal_file) | of_1000),
	 (of_sides(.wakes) | of_1000), (of_sides(.starts_vmscan) | of_1000),
	 (of_sides(.starts_elsewhere) | of_1000),
	 (of_sides(.throttled_ms) | of_1000),
	 (of_sides(.bystander_kb / 1024) | of_1000), (of_sides(bystander_rate) | of_1000),
	 (map(select(.write_s == null)) | length), (map(select(.reads == null)) | length),
	 (flusher_figure("OOM kills a side") | of_1000)];

# What each kernel answers who asks for a memory controller of cgroup version 1
def flusher_cgroup1:
	.[] | select(.what == "flusher") |
	# mount says where to look for more in a second line.
	[.kernel, (.cgroup1.config // "-"), (.cgroup1.mount // "" | split("\n")[0] // "-")];
