# SPDX-License-Identifier: GPL-2.0-only
#
# What report_apps.sh computes from measurements of applications (tests/guest/bench/apps): in each
# round batching was off once and on once. jq 1.6.
#
# The interval of a median makes no assumption about how the figures are distributed. Of n sorted
# figures, it is from the k-th to the (n + 1 - k)-th. The true median is below the k-th with the
# probability that fewer than k of n throws of a coin show heads. k is the largest for which that is
# at most 2.5%, and the same holds above. So at least 95% are covered: 97.9% by the 2nd to the 9th
# of 10. Fewer than 6 figures have no such interval. See W. J. Conover, Practical Nonparametric
# Statistics, 3rd ed., section 3.2.

include "report";

# Makes an object for each application and swap device from the sides of a guest
def apps_report($guest; $suites; $commit):
	group_by([.app, .swap])[] |
	{
		what: "apps", app: .[0].app, swap: .[0].swap, kernel: $guest.kernel, cpus: $guest.cpus,
		mem_mb: $guest.mem_mb, suites: $suites, lru: $guest.lru, counted: $guest.counted,
		packages: $guest.packages, instructions_note: $guest.instructions_note, sides: .
	} + provenance($guest; $commit) | .settings.command = $guest.command;

# Of several lists: of the same kernel, LRU, application, swap device and kind of clock the last
def apps_merge: add | group_by([.kernel, .lru, .app, .swap, .counted]) | map(.[-1]);

# How many ways there are to choose 0, 1, ... of n
def choices($n): reduce range($n) as $i ([1]; . + [.[-1] * ($n - $i) / ($i + 1)]);
# k, or 0 if there is none
def interval_rank($n):
	choices($n) as $ways | (pow(2; $n) * 0.025) as $bound |
	[range(1; $n + 1) as $k | select(($ways[:$k] | add) <= $bound) | $k] | max // 0;
# Of figures: [from, to], or null
def median_interval:
	sort as $figures | length as $n | interval_rank($n) as $k |
	if $k == 0 then null else [$figures[$k - 1], $figures[$n - $k]] end;

# A count per so many; null if there is no count
def apps_per($count; $of): if $count == null or ($of // 0) == 0 then null else $count / $of end;

# Figures of one side, or null. Of all of them less is better.
def apps_pages: .pgsteal_anon + .pgsteal_file;
def apps_measured: .killed == 0 and apps_pages > 0 and (.operations // 0) > 0;
def apps_counted: ["instructions a page", "instructions an operation"];
# The tables: which figures each has
def apps_tables: [
	["receivers per 1000 pages", "major faults per 1000 operations", "refaults per 1000 operations",
	 "OOM kills"],
	["seconds per 1000 operations", "a reclaim call, µs: median", "99th percentile"],
	apps_counted];
def apps_names: apps_tables | add;
def apps_figure($name):
	if $name == "receivers per 1000 pages" then apps_per(.tlb_shootdowns; apps_pages / 1000)
	elif $name == "instructions a page" then apps_per(.instructions; apps_pages)
	elif $name == "instructions an operation" then apps_per(.instructions; .operations)
	elif $name == "seconds per 1000 operations" then apps_per(.seconds; .operations / 1000)
	elif $name == "major faults per 1000 operations" then apps_per(.pgmajfault; .operations / 1000)
	elif $name == "refaults per 1000 operations" then
		apps_per(.workingset_refault_anon + .workingset_refault_file; .operations / 1000)
	elif $name == "OOM kills" then .oom_kill
	elif $name == "a reclaim call, µs: median" then .memcg_us[0]
	elif $name == "99th percentile" then .memcg_us[1]
	else error("no figure \($name)") end;

# Of sides with one swap device: the rounds' figures, {off, on}. A round in which something was
# killed tells of kills only.
def apps_pairs($name):
	group_by(.round) |
	map(select(length == 2 and ($name == "OOM kills" or all(.[]; apps_measured))) |
	    map({(.side): apps_figure($name)}) | add | select(.off != null and .on != null));

# Of such pairs: the change in percent; where a figure is 0 with batching off, the difference
def apps_change:
	if length == 0 then null
	else
		all(.[]; .off > 0) as $relative |
		map(if $relative then (.on - .off) * 100 / .off else .on - .off end) |
		{ unit: (if $relative then "%" else "" end), median: median, interval: median_interval }
	end;
def apps_verdict:
	if . == null or .interval == null then "not told"
	elif .interval[1] < 0 then "better"
	elif .interval[0] > 0 then "worse"
	else "not told" end;

# A figure for a table, and one with its sign
def apps_number: if fabs >= 100 then round else rounded end + 0 | tostring;
def apps_signed: apps_number as $text | if . > 0 and $text != "0" then "+" + $text else $text end;
# It says so if it comes of other pairs than so many.
def apps_cell($pairs):
	apps_change as $change | length as $count |
	if $change == null then "-"
	else
		"\(map(.off) | median | apps_number) → \(map(.on) | median | apps_number) (" +
		"\($change.median | apps_signed)\($change.unit)" +
		($change.interval | if . == null then ""
			else ", \(.[0] | apps_signed) to \(.[1] | apps_signed)\($change.unit)" end) +
		(if $count == $pairs then ")" else "; \($count) pairs)" end)
	end;

# Of a list: an object for each kernel, LRU, application and swap device
def apps_groups:
	group_by([.kernel, .lru, .app])[] | . as $objects | .[0] as $first |
	[.[].sides[].swap] | unique | reverse[] as $swap |
	($first | { kernel, lru, app }) + {
		swap: $swap,
		timed: [$objects[] | select(.counted | not) | .sides[] | select(.swap == $swap)],
		counted: [$objects[] | select(.counted) | .sides[] | select(.swap == $swap)]
	};
# Of such an object: the pairs of a figure
def apps_pairs_of($name):
	(if apps_counted | index($name) then .counted else .timed end) | apps_pairs($name);

# Rows of the table of these figures: pairs, then a cell for each figure
def apps_rows($names):
	apps_groups | . as $group |
	(apps_pairs_of($names[0]) | length) as $pairs |
	[.kernel, .lru, .app, .swap, $pairs] +
	[$names[] as $name | $group | apps_pairs_of($name) | apps_cell($pairs)];

# Rows of the verdict: which figures' intervals are below 0, above it, and neither
def apps_verdicts:
	apps_groups | . as $group |
	[apps_names[] as $name | { name: $name,
		verdict: ($group | apps_pairs_of($name) | apps_change | apps_verdict) }] as $all |
	[.kernel, .lru, .app, .swap] +
	[("better", "worse", "not told") as $verdict |
	 [$all[] | select(.verdict == $verdict) | .name] | if length == 0 then "-" else join("; ") end];

# What is wrong with the sides of an object, of one swap device
def apps_swap_complaints($counted):
	"\(.[0].swap): " + (
		(group_by(.round)[] | select(map(.side) | sort != ["off", "on"]) |
			"round \(.[0].round) has the sides \(map(.side) | join(" "))"),
		([.[] | select(.killed == 0) | .operations] | select(length > 0) |
			select(min == null or min <= 0 or max > min * 1.01) |
			"the sides' work differs: \(min) to \(max) operations"),
		(.[] | "round \(.round), \(.side): " + (
			(select(.seconds <= 0) | "took no time"),
			(select(.killed == 0 and apps_pages <= 0) | "nothing was reclaimed"),
			(select(.events_lost != 0) | "events were lost"),
			(select($counted and (.instructions | type != "number")) | "no instructions"),
			(select(.side == "off" and .module.folios_deferred > 0) |
				"folios were deferred"))),
		(select([.[] | select(.side == "on") | .module.passes] | add // 0 | . == 0) |
			"batching saw no pass"));
def apps_complaints:
	if type != "array" or length == 0 then "no list, or empty"
	else
		.[] | "\(.kernel), \(.app): " + (
			provenance_complaints,
			(select(.what != "apps" or (.app | type != "string")) | "no measurement of an application"),
			(select(.swap as $swap | .sides | type == "array" and any(.[]; .swap != $swap)) |
				"sides of another swap device than \(.swap)"),
			(select(.sides | type != "array" or length == 0) | "no sides"),
			(select(.counted | type != "boolean") | "counted: \(.counted)"),
			(select(.counted == false and (.instructions_note // "") == "") |
				"no instructions, and no instructions_note that says why"),
			(select(.sides | type == "array") | .counted as $counted |
				.sides | group_by(.swap)[] | apps_swap_complaints($counted)))
	end;
