// SPDX-License-Identifier: GPL-2.0-only
/*
 * verify - memory that is swapped out and in must come back as it was
 *
 * Workers on every CPU rewrite and check pages whose content is known to the last byte.
 * Their regions together are larger than the memory limit. Each mode adds something that
 * happens to the same pages while reclaim works on them, and knows what that has to lead
 * to. At the end of a mode every page is checked. Each check of a swapped page is a
 * refault.
 *
 * The work is done in a child. Its parent, which the OOM killer spares, tells
 * wrong bytes from a killed process: STRESS_DATA_ERROR comes before all others.
 *
 * verify can't find a TLB flush that was left out: a write through a stale entry is rarely
 * checked in time. That is detector's job.
 */
#include "modes.h"
#include "run.h"
#include "supervise.h"

static const struct mode modes[] = {
	{ .name = "plain", .rewrites = true },
	{ .name = "refault", .helper = refault_helper, .helpers = PER_CPU,
	  .rewrites = true },
	{ .name = "fork", .step = fork_step, .settle = fork_settle,
	  .page_outs = 1 },
	{ .name = "pageout", .page_outs = PER_CPU, .rewrites = true },
	{ .name = "exit", .helper = exit_helper, .helpers = 2 },
	{ .name = "munmap", .step = munmap_step, .page_outs = 1 },
	{ .name = "mremap", .step = mremap_step, .page_outs = 1 },
	{ .name = "mprotect", .step = mprotect_step, .page_outs = 1 },
	{ .name = "dontneed", .step = dontneed_step, .page_outs = 2 },
	{ .name = "truncate", .step = truncate_step, .page_outs = 2,
	  .always_shared = true },
	{ .name = "thp", .prepare = thp_prepare, .step = thp_step,
	  .finish = thp_finish, .page_outs = 1, .huge = true },
	{ .name = "gup", .prepare = gup_prepare, .step = gup_step,
	  .finish = gup_finish, .page_outs = 1 },
	{ .name = "free", .prepare = free_prepare, .step = free_step,
	  .page_outs = 2 },
	{ .name = "uffdwp", .prepare = uffdwp_prepare, .step = uffdwp_step,
	  .finish = uffdwp_finish, .helper = uffdwp_helper, .helpers = 1,
	  .helper_serves = true, .page_outs = 1 },
	{ .name = "softdirty", .prepare = softdirty_prepare,
	  .loop = softdirty_loop, .page_outs = 1 },
};

static void usage(void)
{
	char names[256];
	size_t used = 0, i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 " %s", modes[i].name);
	die_usage("verify [--mode plain,...|all] [--seconds 5] [--actions N] [--mib 56] [--cpus N] [--shared] [--cgroup DIR] [--pressure-mib 4] [--direct-dir DIR] [--seed N] [--timeout-seconds N] [--killed after-wrong|before]\nmodes:%s",
		  names);
}

/* Marks the modes that a comma list names. All of them have to exist. */
static void choose_modes(char *list, bool *chosen)
{
	char *name, *rest = NULL;
	size_t i;

	if (!strcmp(list, "all")) {
		memset(chosen, 1, ARRAY_SIZE(modes) * sizeof(*chosen));
		return;
	}
	for (name = strtok_r(list, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest)) {
		for (i = 0; i < ARRAY_SIZE(modes); i++)
			if (!strcmp(name, modes[i].name))
				break;
		if (i == ARRAY_SIZE(modes))
			die_usage("there is no mode '%s'", name);
		chosen[i] = true;
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "mode", required_argument, NULL, 'M' },
		{ "seconds", required_argument, NULL, 's' },
		{ "actions", required_argument, NULL, 'a' },
		{ "mib", required_argument, NULL, 'm' },
		{ "cpus", required_argument, NULL, 'c' },
		{ "cgroup", required_argument, NULL, 'g' },
		{ "pressure-mib", required_argument, NULL, 'p' },
		{ "direct-dir", required_argument, NULL, 'd' },
		{ "seed", required_argument, NULL, 'r' },
		{ "timeout-seconds", required_argument, NULL, 't' },
		{ "shared", no_argument, NULL, 'S' },
		{ "killed", required_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	static struct run run = { .seed = 1, .seconds = 5, .mib = 56 };
	bool chosen[ARRAY_SIZE(modes)] = { true };
	unsigned int cpus = MAX_CPUS, timeout = 0;
	struct totals totals = { 0 };
	size_t pressure_mib = 4, i;
	const char *killed = NULL, *result = "ok";
	uint64_t start_ns = now_ns();
	pid_t pressure = 0;
	int option, status = STRESS_OK;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'M':
			memset(chosen, 0, sizeof(chosen));
			choose_modes(optarg, chosen);
			break;
		case 's':
			run.seconds = parse_number("seconds", optarg, 1, 86400);
			break;
		case 'a':
			run.min_actions = parse_number("actions", optarg, 1,
						       1UL << 20);
			break;
		case 'm':
			run.mib = parse_number("mib", optarg, 1, 1UL << 20);
			break;
		case 'c':
			cpus = parse_number("cpus", optarg, 1, MAX_CPUS);
			break;
		case 'g':
			run.cgroup = optarg;
			break;
		case 'p':
			pressure_mib = parse_number("pressure-mib", optarg, 0,
						    1UL << 20);
			break;
		case 'd':
			run.direct_dir = optarg;
			break;
		case 'r':
			run.seed = parse_number("seed", optarg, 0, ULONG_MAX);
			break;
		case 't':
			timeout = parse_number("timeout-seconds", optarg, 1,
					       86400);
			break;
		case 'k':
			killed = optarg;
			break;
		case 'S':
			run.shared_wanted = true;
			break;
		default:
			usage();
		}
	}
	if (optind != argc)
		usage();

	run.nr_workers = usable_cpus(run.cpus, cpus);
	if (run.mib * MIB_PAGES / run.nr_workers < SPARE_PAGES)
		die_usage("--mib %zu is too little for %u CPUs", run.mib,
			  run.nr_workers);
	supervise(NULL);
	if (killed)
		be_killed(killed);
	run.pagemap = open_pagemap();
	if (pressure_mib)
		pressure = start_pressure(&run, pressure_mib);

	for (i = 0; i < ARRAY_SIZE(modes) && !stress_stop; i++) {
		if (!chosen[i])
			continue;
		start_watchdog(timeout ? timeout :
			       run.seconds * (run.min_actions ? 130 : 4) + 300);
		run_mode(&run, &modes[i], &totals);
	}
	if (!stop_pressure(pressure))
		totals.errors++;

	if (totals.errors) {
		result = "data-error";
		status = STRESS_DATA_ERROR;
	} else if (totals.unswapped) {
		result = "not-swapped";
		status = STRESS_ENVIRONMENT;
	} else if (totals.too_few) {
		result = "too-few-actions";
		status = STRESS_ENVIRONMENT;
	}
	say(STDOUT_FILENO,
	    "result=%s modes=%u skipped=%u unswapped=%u ops=%" PRIu64 " verified=%" PRIu64 " swapped=%zu seconds=%.2f errors=%" PRIu64 "\n",
	    result, totals.modes, totals.skipped, totals.unswapped, totals.ops,
	    totals.verified, totals.swapped, seconds_since(start_ns),
	    totals.errors);
	return status;
}
