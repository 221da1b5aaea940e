// SPDX-License-Identifier: GPL-2.0-only
/*
 * torture - each operation on memory that reclaim may meet, in any order, beside each other
 *
 * Hands, on every second CPU if there is memory enough, do operations of kinds.c to regions whose
 * content is known to the last byte. What they choose follows from the seed. They are threads
 * of one process, so each flush concerns other CPUs. Two more tasks of the same cgroup need
 * memory or page out what others use. Shadows (shadow.c) store while operations go on.
 *
 * At the end, standard output has
 *
 *   kind NAME COUNT        how often it took effect
 *   skip NAME REASON       it can't be done here
 *   bytes VERIFIED LOST
 *
 * A wrong byte ends it at once: STRESS_DATA_ERROR. The parent process outlives an OOM kill.
 */
#include "region.h"
#include "supervise.h"
#include "torture.h"

#define LEAST_MIB	6	/* for each hand */
/* In a group that is too small, on a crowded machine, seconds become minutes. */
#define PATIENCE_S	450

/* Of twelve parts of a hand's memory; a region of SORT_SMALL has less than 2 MiB. */
static const size_t parts[SORTS] = {
	[SORT_ANON] = 4, [SORT_SHMEM] = 2, [SORT_HUGE] = 3, [SORT_SMALL] = 1, [SORT_FILE] = 2,
};

struct run runs[SORTS];
struct board *board;
pthread_barrier_t all_started, all_filled;
int cpus[MAX_CPUS];
unsigned int nr_cpus;

static struct hand hands[MAX_CPUS];
static bool chosen[MAX_KINDS];

static void tell(void)
{
	size_t i;

	for (i = 0; i < nr_kinds; i++) {
		if (!chosen[i])
			continue;
		say(STDOUT_FILENO, "kind %s %" PRIu64 "\n", kinds[i].name, board->counts[i]);
		if (board->skipped[i][0])
			say(STDOUT_FILENO, "skip %s %s\n", kinds[i].name, board->skipped[i]);
	}
	if (*complaints && !board->lost)
		board->lost = *complaints;
	say(STDOUT_FILENO, "bytes %" PRIu64 " %" PRIu64 "\n", board->verified, board->lost);
	say(STDERR_FILENO, "seconds=%.1f behind=%" PRIu64 "\n",
	    seconds_since(board->started), board->behind);
}

static void skip_kinds(void)
{
	bool any = false;
	size_t i;

	for (i = 0; i < nr_kinds; i++) {
		const char *reason = chosen[i] ? NULL : "not asked for";

		if (!reason && kinds[i].cannot)
			reason = kinds[i].cannot();
		if (reason)
			snprintf(board->skipped[i], sizeof(board->skipped[i]), "%s", reason);
		else
			any = true;
	}
	if (!any)
		die_environment("none of the kinds can be done here");
}

static size_t region_pages(enum sort sort, size_t mib)
{
	size_t huge = HUGE_BYTES / PAGE_BYTES, pages = mib * MIB_PAGES * parts[sort] / 12;

	if (sort == SORT_HUGE)
		return pages < huge ? huge : pages - pages % huge;
	if (sort == SORT_SMALL && pages > huge * 3 / 4)
		return huge * 3 / 4;
	return pages - pages % RANGE_PAGES;
}

/* Two hands at least. The CPUs of the hands come first in run->cpus. */
static void choose_cpus(struct run *run)
{
	unsigned int i;

	nr_cpus = usable_cpus(cpus, MAX_CPUS);
	run->nr_workers = nr_cpus > 4 ? nr_cpus / 2 : 2;
	if (run->nr_workers > run->mib / LEAST_MIB)
		run->nr_workers = (unsigned int)(run->mib / LEAST_MIB);
	for (i = 0; i < run->nr_workers; i++)
		run->cpus[i] = cpus[(2 * i + 2 * i / nr_cpus) % nr_cpus];
}

static void prepare_run(enum sort sort, const struct run *like, size_t mib_each)
{
	struct run *run = &runs[sort];
	unsigned int i;

	*run = *like;
	run->name = "torture";
	run->shared = SHARED >> sort & 1;
	run->huge = sort == SORT_HUGE || sort == SORT_SMALL || sort == SORT_SHMEM;
	run->file_dir = sort == SORT_FILE ? like->direct_dir : NULL;
	run->windows = true;
	run->on_fault = tell_fault;
	for (i = 0; i < run->nr_workers; i++) {
		struct worker *worker = &run->workers[i];

		worker->run = run;
		/* A page's id tells its sort, too. */
		worker->index = i;
		worker->id_base = (sort + 1) * MAX_CPUS;
		worker->cpu = run->cpus[i];
		worker->pages = region_pages(sort, mib_each);
		map_region(worker);
		worker->live = map_locked(worker->pages * sizeof(*worker->live));
		hands[i].regions[sort] = worker;
	}
}

/* Pages out what hands act on, more often than their own operations do. */
static void *page_outs(void *unused)
{
	struct rng rng = { .state = mix64(~runs[0].seed) };

	(void)unused;
	while (!run_over(&runs[0])) {
		page_out_some(&runs[rng_below(&rng, SORTS)], &rng);
		sleep_ms((unsigned int)rng_below(&rng, 4));
	}
	return NULL;
}

static void run_hands(unsigned int nr)
{
	pthread_t helper;
	unsigned int i;

	pthread_barrier_init(&all_started, NULL, nr + 1);
	pthread_barrier_init(&all_filled, NULL, nr);
	for (i = 0; i < nr; i++) {
		struct hand *hand = &hands[i];

		hand->index = i;
		hand->seed = mix64(runs[0].seed + mix64(i));
		say(STDERR_FILENO, "hand=%u seed=%" PRIu64 "\n", i, hand->seed);
		pthread_mutex_init(&hand->shadow.lock, NULL);
		pthread_cond_init(&hand->shadow.changed, NULL);
		hand_prepare(hand);
		start_thread(&hand->shadow.thread, shadow_body, hand);
		start_thread(&hand->thread, hand_body, hand);
	}
	start_thread(&helper, page_outs, NULL);
	pthread_barrier_wait(&all_started);
	for (i = 0; i < nr; i++)
		pthread_join(hands[i].thread, NULL);
	pthread_join(helper, NULL);
	for (i = 0; i < SORTS; i++)
		board->behind += runs[i].behind;
}

static void usage(void)
{
	die_usage("torture [--seed 1] [--seconds 20] [--mib 48] [--kinds a,b,...] [--dir /var/tmp] [--patience 450] [--list]");
}

static void choose_kinds(char *list)
{
	char *name, *rest = NULL;
	size_t i;

	memset(chosen, 0, sizeof(chosen));
	for (name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		for (i = 0; i < nr_kinds && strcmp(name, kinds[i].name); i++)
			;
		if (i == nr_kinds)
			die_usage("there is no kind '%s'", name);
		chosen[i] = true;
	}
}

static __attribute__((noreturn)) void list_kinds(void)
{
	size_t i;

	for (i = 0; i < nr_kinds; i++)
		say(STDOUT_FILENO, "%s\n", kinds[i].name);
	_exit(STRESS_OK);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "mib", required_argument, NULL, 'm' },
		{ "kinds", required_argument, NULL, 'k' },
		{ "dir", required_argument, NULL, 'd' },
		{ "patience", required_argument, NULL, 'p' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	static struct run like = {
		.seed = 1, .seconds = 20, .mib = 48, .direct_dir = "/var/tmp",
	};
	unsigned int sort, patience = PATIENCE_S;
	pid_t pressure;
	int option;

	memset(chosen, 1, sizeof(chosen));
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'r':
			like.seed = parse_number("seed", optarg, 0, ULONG_MAX);
			break;
		case 's':
			like.seconds = parse_number("seconds", optarg, 1, 86400);
			break;
		case 'm':
			like.mib = parse_number("mib", optarg, LEAST_MIB, 1UL << 20);
			break;
		case 'k':
			choose_kinds(optarg);
			break;
		case 'd':
			like.direct_dir = optarg;
			break;
		case 'p':
			patience = parse_number("patience", optarg, 1, 86400);
			break;
		case 'l':
			list_kinds();
		default:
			usage();
		}
	}
	if (optind != argc)
		usage();

	board = map_shared_locked(sizeof(*board));
	board->started = now_ns();
	say(STDERR_FILENO, "seed=%" PRIu64 "\n", like.seed);
	supervise(tell);

	start_watchdog(like.seconds * 4 + patience);
	signal(SIGPIPE, SIG_IGN);
	choose_cpus(&like);
	like.pagemap = open_pagemap();
	like.deadline_ns = UINT64_MAX;
	for (sort = 0; sort < SORTS; sort++)
		prepare_run(sort, &like, like.mib / like.nr_workers);
	gup_prepare(&runs[SORT_ANON]);
	skip_kinds();
	pressure = start_pressure(&runs[SORT_ANON], 1 + like.mib / 12);
	run_hands(like.nr_workers);
	stop_pressure(pressure);
	return *complaints ? STRESS_DATA_ERROR : STRESS_OK;
}
