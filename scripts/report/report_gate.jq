# SPDX-License-Identifier: GPL-2.0-only
#
# The gate: what wider passes leave of the receivers of read-only scans, and what putting
# flushes off could still save of that (tests/guest/bench/gate). jq 1.6.

include "report";

def gate_arms: ["0", "96", "96/track", "96/hold"];
# A side's receivers per 1000 file pages
def gate_receivers: .tlb_shootdowns * 1000 / .pgsteal_file;
# How many percent of the receivers that reclaim's flushes interrupt could be saved
def gate_saved($of): .luf["ipis_avoided" + $of] * 100 / ([.luf.ipis, 1] | max);
# Of sides: what would be left of the receivers
def gate_left: gate_receivers * (100 - gate_saved("")) / 100;

# Did the side put flushes off?
def gate_defers: .arm | test("/defer[0-9]*$");
# The flushes that deferral left out in a side, and those that it sent for them, whatever made them due
def defer_left_out: .luf.flushes_deferred;
def defer_sent:
	[.luf["flushes_" + ("age", "call", "cow", "full", "guard", "isolate", "low", "off", "oom", "open",
			    "truncate")]] | add;

# The gate is open if somewhere more than this share of what wider passes leave could be saved.
def gate_percent: 100 / 3;

# Makes one object for a guest from its sides, its guest.json, and the suites of its kernel. $what
# is the gate, or another question that is asked in the same way.
def gate_report($what; $guest; $suites; $commit):
	{
		what: $what, kernel: $guest.kernel, cpus: $guest.cpus, mem_mb: $guest.mem_mb,
		suites: $suites, sides: .
	} + provenance($guest; $commit) | .settings.command = $guest.command;

# What is wrong with a list of such objects: a line for each complaint
def gate_complaints:
	if type != "array" or length == 0 then "no list, or empty"
	else
		.[] | "\(.kernel), \(.mem_mb) MB: " + (
			provenance_complaints,
			(select(.sides | type != "array" or length == 0) | "no sides"),
			(.sides[]? | "\(.workload), \(.where), \(.lru), round \(.round), \(.arm): " + (
				(select(.pgsteal_file <= 0) | "nothing was reclaimed"),
				(select(.oom_kill > 0) | "something was killed for want of memory"),
				(select((gate_defers or (.arm | endswith("/track"))) != has("luf")) | "what did LUF count?"),
				(select(.workload | startswith("read-")) |
					(select(.arm | endswith("/track")) | select(.luf.flushes <= 0) |
						"tracking saw no flush"),
					(select(gate_defers) | select(defer_left_out <= 0) |
						"no flush was put off")),
				(select(gate_defers) | select(defer_sent > defer_left_out) |
					"more flushes were sent than were put off"),
				(select(gate_defers) | select(.luf.pages_held != .luf.pages_released) |
					"pages are held back at the end"),
				(select(has("luf")) | select(.luf.ipis_avoided > .luf.ipis) |
					"more was saved than there was"))))
	end;

# Each group of sides of one guest, LRU, load and place, by arm
def gate_groups($arms):
	sort_by(.kernel, .mem_mb)[] | .kernel as $kernel | .mem_mb as $mem | .cpus as $cpus |
	.sides | group_by([.lru, .where, .workload])[] |
	. as $sides |
	{ kernel: $kernel, mem_mb: $mem, cpus: $cpus, lru: .[0].lru, where: .[0].where, workload: .[0].workload,
	  arms: [$arms[] as $arm | $sides | map(select(.arm == $arm))] };

def gate_median(f): [.[] | f] | median;
def gate_cell: if . == null then "-" else rounded | tostring end;
# How many times fewer than the base that is
def gate_fewer($base): gate_cell +
	(if (. // 0) == 0 or $base == null then "" else " (\($base / . | rounded)x)" end);

# A row for each: receivers without the module, with wider passes, and with holding, too; how
# many times fewer; how many percent of what wider passes leave an ideal LUF could save, from
# and to, and LUF as posted; what would be left; whether that is enough to go on
def gate_rows:
	gate_groups(gate_arms) | .arms as [$off, $wide, $track, $hold] |
	($off | gate_median(gate_receivers)) as $base |
	($wide | gate_median(gate_receivers)) as $rest |
	($track | map(gate_saved(""))) as $saved |
	[.kernel, .mem_mb, .lru, .where, .workload, ([$off, $wide, $track | length] | min),
	 ($base | gate_cell),
	 ($rest | gate_fewer($base)),
	 ($hold | gate_median(gate_receivers) | gate_fewer($base)),
	 ($saved | median | gate_cell),
	 (if $saved == [] then "-" else "\($saved | min | rounded) to \($saved | max | rounded)" end),
	 ($track | gate_median(gate_saved("_as_posted")) | gate_cell),
	 ($track | gate_median(gate_left) | gate_cell),
	 (if $saved == [] then "-" elif ($saved | median) > gate_percent then "yes" else "no" end)];

# Is there a row in which more than a third could be saved?
def gate_opens: any(gate_rows; .[-1] == "yes");
