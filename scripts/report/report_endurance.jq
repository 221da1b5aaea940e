# SPDX-License-Identifier: GPL-2.0-only
#
# What scripts/endurance keeps of its guests, and its tables.

include "report";

# Makes one object of the lines that a guest wrote. $what is unload or toggles.
def endurance_report($what; $key; $guest; $commit):
	{
		what: $what, key: $key, kernel: $guest.kernel, cpus: $guest.cpus,
		mem_mb: $guest.mem_mb, command: $guest.command
	} + provenance($guest; $commit) +
	if $what == "toggles" then {knobs: .}
	else {parts: [group_by(.part)[] | {
		part: .[0].part,
		grace_ms: [.[].grace_ms | values],
		load_ms: [.[].load_ms | values],
		unload_ms: [.[].unload_ms | values]
	}]}
	end;

# How often the part was done, or the knob was written
def times_done($key; $what; $part):
	[.[] | select(.key == $key and .what == $what) |
	 (.parts[]? | select(.part == $part) | .unload_ms | length),
	 (.knobs[]? | select(.knob == $part) | .writes)] | add // 0;

def seconds: if . == null then "-" else . / 100 | round / 10 | "\(.) s" end;

# All unloads, in ms, and all waits of the kernel's own tracer
def unloads: [.[].parts[]?.unload_ms[]];
def graces: [.[].parts[]?.grace_ms[]];

def unload_table:
	(["kernel", "part", "unloads", "median", "slowest", "tracer: median", "slowest"],
	 [range(7) | "---"] | cells),
	([.[] | select(.what == "unload") | . as $guest | .parts[] | {kernel: $guest.kernel} + .] |
	 group_by([.kernel, .part])[] |
	 [.[].unload_ms[]] as $unloads | [.[].grace_ms[]] as $graces |
	 [.[0].kernel, "`\(.[0].part)`", ($unloads | length),
	  ($unloads | median, max | seconds), ($graces | median, max | seconds)] | cells);

def toggle_table:
	(["kernel", "knob", "writes", "met work", "went on after it", "mean", "slowest"],
	 [range(7) | "---"] | cells),
	([.[] | select(.what == "toggles") | . as $guest | .knobs[] | {kernel: $guest.kernel} + .] |
	 group_by([.kernel, .knob])[] |
	 def sum(f): map(f) | add;
	 [.[0].kernel, "`\(.[0].knob)`", sum(.writes), sum(.met), sum(.went_on),
	  "\(sum(.sum_ms) / sum(.writes) * 10 | round / 10) ms", (map(.slowest_ms) | max | seconds)] | cells);
