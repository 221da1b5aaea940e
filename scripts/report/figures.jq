# SPDX-License-Identifier: GPL-2.0-only
#
# Functions with which tests/host/figures computes the documents' figures. It also uses
# report.jq and report_luf.jq. jq 1.6.

include "report";
include "report_rounds";

# Of a list of kernels: those whose release begins with $begin; "" is all
def of_kernel($begin): .[] | select(.kernel | startswith($begin));

# Runs of a bench.json; "" is any
def runs_of($begin; $workload; $swap; $lru):
	of_kernel($begin).runs[] |
	select(($workload == "" or .workload == $workload) and
		($swap == "" or .swap == $swap) and ($lru == "" or .lru == $lru));

# For one run: receivers per 1000 pages, off and on
def off_on: [of_side(.off; tlb_per_1000), of_side(.on; tlb_per_1000)];

# For one run: folios deferred by a pass that deferred any; pages reclaimed by any pass
def deferred_per_pass:
	([.pairs[].on.module.folios_deferred] | add) / ([.pairs[].on.module.passes_deferring] | add);
def reclaimed_per_pass:
	([.pairs[].on.pgsteal_anon] | add) / ([.pairs[].on.module.passes] | add);

# Of a bench.json: the side whose counters scripts/bench --counters prints
def example:
	[.[0].runs[] | select(.workload == "writers" and .swap == "disk" and .lru == "mglru")][0].pairs[0].on;

# Rows of a luf.json whose workload matches; "" is any kernel
def rows_of($begin; workload):
	of_kernel($begin).rows[] | select(.workload | test(workload));

# Drivers of a cost.json
def cost_of($of; $cpus; $driver):
	.[] | select(.of == $of and .cpus == $cpus) | .drivers[] | select(.driver == $driver);

# The sides of a progress.json that have this arm, and the row of their table
def arm_of($arm): .[0].sides[] | select(.arm == $arm);
def zero_of($arm): [arm_of($arm) | [.zero_calls, .calls]];

# The median over the sides of a sweep.json that have this size. One interrupt for each page
# is 1000.
def sweep_of($swap; $lru; $size):
	[.[0].sides[] | select(.swap == $swap and .lru == $lru and .batch_size == $size) |
		tlb_per_1000] | median;

# Of a wide.json: the median of a figure over the sides of a setting
def wide_figure($begin; $lru; $workload; $arm; figure):
	[of_kernel($begin).sides[] |
	 select(.lru == $lru and .workload == $workload and .arm == $arm) | figure] | median;
# A time of a setting as a multiple of that without the module
def wide_time($begin; $lru; $workload; $arm; time):
	wide_figure($begin; $lru; $workload; $arm; time) /
	wide_figure($begin; $lru; $workload; "off/0"; time);

def extent: [min, max];
def percent(part; whole): part * 100 / whole;
