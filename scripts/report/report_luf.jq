# SPDX-License-Identifier: GPL-2.0-only
#
# What the LUF report computes from the runs of tests/guest/bench/luf.  jq 1.6; used by
# report_luf.sh.

include "report";

# What an ideal LUF could save, and what the posted one would
def saving: .luf.flushes_avoided * 100 / .luf.flushes;
def saving_as_posted:
	.luf | if .flushes_avoided_as_posted then .flushes_avoided_as_posted * 100 / .flushes
		else null end;

# For some runs of one kind: the figures of the reports, medians each.  The reason is the
# one that gave up most generations in all of them together.
def luf_row:
	. as $runs |
	# Older runs don't have all of them.
	def of(figure): [$runs[] | figure] | if all(. != null) then median else null end;
	([$runs[].luf | to_entries[] | select(.key | startswith("given_up_"))] |
		group_by(.key) |
		map({reason: (.[0].key | ltrimstr("given_up_")), count: (map(.value) | add)}) |
		max_by(.count)) as $most |
	{
		workload: .[0].workload, where: .[0].where, runs: length,
		flushes: of(.luf.flushes),
		flushes_mixed: of(.luf.flushes_mixed),
		flushes_luf: of(.luf.flushes_luf),
		flushes_avoided: of(.luf.flushes_avoided),
		saving_percent: of(saving),
		saving_percent_min: ($runs | map(saving) | min),
		saving_percent_max: ($runs | map(saving) | max),
		flushes_unsent: of(.luf.flushes_unsent),
		flushes_luf_as_posted: of(.luf.flushes_luf_as_posted),
		flushes_avoided_as_posted: of(.luf.flushes_avoided_as_posted),
		saving_as_posted_percent: of(saving_as_posted),
		saving_as_posted_percent_min: ($runs | map(saving_as_posted) | min),
		saving_as_posted_percent_max: ($runs | map(saving_as_posted) | max),
		ipis: of(.luf.ipis),
		ipis_avoided: of(.luf.ipis_avoided),
		ipis_avoided_as_posted: of(.luf.ipis_avoided_as_posted),
		passes_unseen: of(.luf.passes_unseen),
		generations: of(.luf.generation),
		generations_needed: of(.luf.generations_needed),
		generations_given_up: of(.luf.generations_given_up),
		given_up_most: (if $most.count > 0 then $most.reason else null end),
		generations_untracked: of(.luf.generations_untracked),
		generations_untracked_as_posted: of(.luf.generations_untracked_as_posted),
		open: of(.open),
		tlb_shootdowns: of(.tlb_shootdowns),
		pgsteal_file: of(.pgsteal_file),
		pgsteal_anon: of(.pgsteal_anon),
		seconds: of(.seconds),
		raw: map(del(.workload, .where))
	};

# Objects of a guest's luf.jsonl, its guest.json, and the suites of its kernel: an
# object for a kernel.  In the order of the workloads as they were run.
def luf_report($guest; $suites; $commit):
	. as $all |
	{
		kernel: $guest.kernel, cpus: $guest.cpus, mem_mb: $guest.mem_mb,
		lru: $guest.lru, memcg_limit: $guest.memcg_limit,
		suites: $suites,
		rows: (reduce $all[] as $run ([];
				if index([[$run.workload, $run.where]]) then .
				else . + [[$run.workload, $run.where]] end) |
			map(. as [$workload, $where] |
				[$all[] | select(.workload == $workload and .where == $where)] |
				luf_row))
	} + provenance($guest; $commit);

# What is wrong with such a list: a line each.  The module judges a CPU a few instructions
# before the kernel does; meanwhile it may have become idle: so many percent are allowed.
def luf_complaints($runs; $percent):
	if type != "array" or length == 0 then "no list, or empty"
	else
		.[] | .kernel as $kernel | .commit as $commit |
		(provenance_complaints | "\($kernel): \(.)"),
		if .rows | type != "array" or length == 0 then "\($kernel): no rows"
		else
			.rows[] | "\($kernel): \(.workload), \(.where): " + (
				(select(.runs < $runs) | "only \(.runs) runs"),
				(select($commit != null and (.raw | length) != .runs) |
					"\(.raw | length) raw runs"),
				(select(.flushes > 0 | not) | "no flushes"),
				(select(.saving_percent < 0 or .saving_percent > 100) |
					"saves \(.saving_percent)%"),
				(select(.flushes_avoided > .flushes or
					.flushes_avoided_as_posted > .flushes) |
					"avoids more than there is"),
				(select(.ipis and (.ipis_avoided > .ipis or
					.ipis_avoided_as_posted > .ipis)) |
					"avoids more interrupts than were sent"),
				(select(.ipis and .ipis > .tlb_shootdowns * (1 + $percent / 100)) |
					"\(.ipis) interrupts sent, \(.tlb_shootdowns) received"),
				(select(.saving_as_posted_percent and
					.saving_as_posted_percent > .saving_percent + 1) |
					"as posted it saves \(.saving_as_posted_percent)%, ideally \(.saving_percent)%"),
				(select(.passes_unseen > 0) |
					"\(.passes_unseen) passes weren't seen"))
		end
	end;

def tenth: . * 10 | round / 10;

def range($name):
	"\(.[$name] | tenth)% (\(.[$name + "_min"] | tenth) to \(.[$name + "_max"] | tenth))";

# Results of before the two models tell only what an ideal LUF could save.
def tells_posted: all(.[].rows[]; .saving_as_posted_percent != null);

# Rows of the tables: the first six are those of docs/benchmarks.md
def luf_table:
	.[] | .kernel as $kernel | .rows[] |
	[.workload, .where, $kernel, .flushes,
	 (if .saving_as_posted_percent != null then range("saving_as_posted_percent")
	  else "not measured" end),
	 range("saving_percent"),
	 .flushes_mixed, .generations_needed,
	 "\(.generations_given_up)\(if .given_up_most then " (\(.given_up_most))" else "" end)",
	 .generations_untracked, .open];

# That of docs/benchmarks.md: of old results as they were written then
def luf_matrix($seed):
	(if tells_posted then
		["workload", "where", "kernel", "real flushes",
		 "saved by LUF as posted (its cover letter: \($seed)%)",
		 "could be saved by an ideal LUF"]
	 else
		["workload", "where", "kernel", "real flushes", "would-be LUF flushes",
		 "saving (LUF's cover letter: \($seed)%)"]
	 end),
	["---", "---", "---", "---", "---", "---"],
	(if tells_posted then luf_table[:6]
	 else
		.[] | .kernel as $kernel | .rows[] |
		[.workload, .where, $kernel, .flushes, .flushes_luf, range("saving_percent")]
	 end);
