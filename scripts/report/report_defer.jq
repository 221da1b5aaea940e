# SPDX-License-Identifier: GPL-2.0-only
#
# What luf/mode=defer saves of the receivers of loads that read files, and what tracking says of
# the same (tests/guest/bench/gate). jq 1.6.

include "report";
include "report_gate";

def defer_arms: ["0", "0/track", "0/defer", "0/defer4096"];

# Of an arm's sides: what f says of each, in percent of what it says of the same round without
# deferral
def defer_of($off; f):
	[.[] | . as $side | ($off[] | select(.round == $side.round) | f) as $base | select($base > 0) |
	 ($side | f) * 100 / $base];
def defer_pace: .work | values | .done / .ms;

# Can what these sides saved be deferral's, in each round? It added no flush, and each that it left out
# would have gone to all other CPUs at most.
def defer_explains($off; $cpus):
	all(.[]; . as $side | $off[] | select(.round == $side.round) |
		(gate_receivers - ($side | gate_receivers)) * $side.pgsteal_file / 1000 |
		. > 0 and . <= ($side | defer_left_out) * ($cpus - 1));
# How many percent fewer receivers there were, in each round
def defer_less($off): defer_of($off; gate_receivers) | map(100 - .);
# The same, and [] if deferral can't explain it
def defer_saved($off; $cpus): if defer_explains($off; $cpus) then defer_less($off) else [] end;

# How many pages share a flush of a load that reads from end to end in a cgroup, without deferral: one for
# each side
def defer_shared($lru):
	[.[].sides[] |
	 select(.arm == "0/track" and .where == "cgroup" and .lru == $lru and (.workload | startswith("read-"))) |
	 .pgsteal_file / .luf.flushes];

# A row for each: receivers per 1000 file pages; how many percent fewer that is from and to; the
# median, if deferral explains it; the same with a larger luf/batch; how many percent tracking says
# could be saved, and by how many points that is off; how many flushes deferral left out, and how many
# it sent; how much work is done in the same time with tracking and with deferral, in percent
def defer_rows:
	gate_groups(defer_arms) | .cpus as $cpus | .arms as [$off, $track, $defer, $more] |
	($defer | defer_less($off)) as $less |
	($defer | defer_saved($off; $cpus) | median) as $measured | ($track | gate_median(gate_saved(""))) as $said |
	[.kernel, .mem_mb, .lru, .where, .workload, ([$off, $track, $defer | length] | min),
	 ($off | gate_median(gate_receivers) | gate_cell),
	 ($defer | gate_median(gate_receivers) | gate_cell),
	 (if $less == [] then "-" else "\($less | min | rounded) to \($less | max | rounded)" end),
	 ($measured | gate_cell),
	 ($more | defer_saved($off; $cpus) | median | gate_cell),
	 ($said | gate_cell),
	 (if $measured == null or $said == null then "-" else $measured - $said | gate_cell end),
	 ($defer | gate_median(defer_left_out) | gate_cell),
	 ($defer | gate_median(defer_sent) | gate_cell),
	 ($track, $defer | defer_of($off; defer_pace) | median | gate_cell)];

# What is saved where files are read from end to end: the medians
def defer_reads($where):
	[defer_rows | select(.[3] == $where and (.[4] | startswith("read-"))) | .[9] | tonumber];
