# SPDX-License-Identifier: GPL-2.0-only
#
# What the LUF report computes from the runs of tests/guest/bench/luf.  jq 1.6; used by
# report_luf.sh.

include "report";

def saving: .luf.flushes_avoided * 100 / .luf.flushes;

# For some runs of one kind: the figures of the reports, medians each.  The reason is the
# one that gave up most generations in all of them together.
def luf_row:
	. as $runs |
	def of(figure): [$runs[] | figure] | median;
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
		ipis_avoided: of(.luf.ipis_avoided),
		generations: of(.luf.generation),
		generations_needed: of(.luf.generations_needed),
		generations_given_up: of(.luf.generations_given_up),
		given_up_most: (if $most.count > 0 then $most.reason else null end),
		generations_untracked: of(.luf.generations_untracked),
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

# What is wrong with such a list: a line each
def luf_complaints($runs):
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
				(select(.flushes_avoided > .flushes) |
					"avoids more than there is"))
		end
	end;

def tenth: . * 10 | round / 10;

# Rows of the tables: the first six are those of the README
def luf_table:
	.[] | .kernel as $kernel | .rows[] |
	[.workload, .where, $kernel, .flushes, .flushes_luf,
	 "\(.saving_percent | tenth)% (\(.saving_percent_min | tenth) to \(.saving_percent_max | tenth))",
	 .flushes_mixed, .generations_needed,
	 "\(.generations_given_up)\(if .given_up_most then " (\(.given_up_most))" else "" end)",
	 .generations_untracked, .open];
