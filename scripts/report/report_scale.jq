# SPDX-License-Identifier: GPL-2.0-only
#
# What tests/guest/bench/scale measured: small steps of the kernel, as processors grow.

include "report";

# Makes one object of the rounds of a guest
def scale_report($guest; $suites; $commit):
	{
		what: "scale", kernel: $guest.kernel, cpus: $guest.cpus, mem_mb: $guest.mem_mb,
		suites: $suites, steps: .
	} + ($guest | with_entries(select(.key == "variant"))) + provenance($guest; $commit) | .settings.command = $guest.command;

def scale_complaints:
	if type != "array" or length == 0 then "no list, or empty"
	else
		.[] | "\(.kernel), \(.cpus) CPUs: " + (
			provenance_complaints,
			(["off", "batching", "track"][] as $state | ["loop", "dirty", "clean", "flush", "alloc"][] as $step |
			 select([.steps[] | select(.state == $state and .step == $step and .ns > 0)] | length == 0) |
			 "no \($step) with \($state)"))
	end;

def ns($state; $step):
	[.steps[] | select(.state == $state and .step == $step) | .ns / .units] | median;

# For one guest: the median of the rounds, in instructions. A guest's clock goes on by 8 ns with
# each instruction (scripts/vm/run --threads counted). The step "loop" has instructions of a known
# number, and tells how much of the clock those that wait take meanwhile.
def instructions($state; $step): ns($state; $step) / ns($state; "loop");
def difference($state; $step): instructions($state; $step) - instructions("off"; $step);

# Of a list: the guest
def scale_of($begin; $cpus): .[] | select((.kernel | startswith($begin)) and .cpus == $cpus);

def scale_kinds: ["dirty", "clean", "flush", "alloc"];

# What each further CPU adds to a step, from the fewest to the most of them
def scale_growth($begin; $state; $step):
	[.[] | select(.kernel | startswith($begin))] | sort_by(.cpus) |
	((.[-1] | instructions($state; $step)) - (.[0] | instructions($state; $step))) /
	(.[-1].cpus - .[0].cpus);

# Of each round of each step, how far it is from the median of its state: a fraction of that
def scale_deviations:
	.[].steps | map(select(.step != "loop")) | group_by([.state, .step])[] | map(.ns) |
	median as $median | .[] | (. - $median) / $median | fabs;

# Rows of the table
def scale_rows:
	sort_by([.kernel, .cpus])[] | . as $guest | scale_kinds[] as $step |
	[.kernel, .cpus, $step,
	 (instructions("off"; $step), instructions("batching"; $step), instructions("track"; $step) | round),
	 (("batching", "track") as $state |
	  difference($state; $step) * 100 / instructions("off"; $step) | "\(. * 10 | round / 10 + 0)%"),
	 ([.steps[] | select(.step == $step)] | group_by(.state) |
	  map(map(.ns) | (max - min) * 100 / median) | max | "\(. * 10 | round / 10)%")];

# Lines of one plot: CPUs, off, batching, track
def scale_points($kernel; $step):
	[.[] | select(.kernel == $kernel)] | sort_by(.cpus)[] |
	[.cpus, (("off", "batching", "track") as $state | instructions($state; $step))] |
	map(tostring) | join(" ");

# Rows of the table of what trace events cost that nobody listens to: the same guest with the build
# that has them and with the one that hasn't
def events_variant($variant): map(select(.variant == $variant))[0];
def events_noise($step; $state):
	[.[].steps[] | select(.step == $step and .state == $state)] | map(.ns) |
	(max - min) * 100 / median;
def events_rows:
	group_by([.kernel, .cpus])[] | events_variant("no-events") as $without | events_variant("release") as $with |
	scale_kinds[] as $step | ("off", "batching", "track") as $state |
	($without | instructions($state; $step)) as $base | ($with | instructions($state; $step)) as $now |
	[$with.kernel, $with.cpus, $step, $state, ($base, $now | round),
	 (($now - $base) * 100 / $base | "\(. * 100 | round / 100 + 0)%"),
	 ([$without, $with] | [.[] | [.] | events_noise($step; $state)] | max | "\(. * 10 | round / 10)%")];
