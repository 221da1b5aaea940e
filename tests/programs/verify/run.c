// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs one mode of verify: maps the regions, starts workers, helpers and the driver of
 * reclaim, checks that pages really are in swap, and sums up.
 */
#include "run.h"
#include "region.h"

#define MAX_HELPERS	(2 * MAX_CPUS)
#define SAMPLE_MS	100

static size_t region_swapped(const struct worker *worker)
{
	if (worker->run->shared)
		return smaps_swapped(worker->base, worker->pages);
	return pagemap_count(worker->run->pagemap, worker->base,
			     worker->pages, PAGEMAP_SWAPPED);
}

static void sample_swapped(struct run *run)
{
	size_t swapped = 0;
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++)
		swapped += region_swapped(&run->workers[i]);
	if (swapped > run->swapped)
		run->swapped = swapped;
}

/*
 * memory.reclaim uses the same code as the memory limit. But the program chooses when and
 * how much, and no faulting process holds its mmap_lock.
 */
static void *reclaim_driver(void *argument)
{
	struct run *run = argument;
	struct rng rng = { .state = mix64(~run->seed) };
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/memory.reclaim", run->cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	while (!run_over(run)) {
		char amount[16];
		int length;

		length = snprintf(amount, sizeof(amount), "%uK",
				  256U << rng_below(&rng, 5));
		/* EAGAIN: less than that could be reclaimed. */
		if (write(fd, amount, (size_t)length) == length)
			run->reclaims++;
		else if (errno != EAGAIN && errno != EINTR)
			die_environment("%s: %s", path, strerror(errno));
		sleep_ms(2);
	}
	close(fd);
	return NULL;
}

static unsigned int thread_count(const struct run *run, unsigned int wanted)
{
	return wanted == PER_CPU ? run->nr_workers : wanted;
}

static void join_all(pthread_t *threads, unsigned int *count)
{
	while (*count)
		pthread_join(threads[--*count], NULL);
}

static void run_threads(struct run *run)
{
	pthread_t helpers[MAX_HELPERS + 1];
	const struct mode *mode = run->mode;
	unsigned int nr_helpers = 0, i;

	pthread_barrier_init(&run->barrier, NULL, run->nr_workers);
	for (i = 0; i < run->nr_workers; i++)
		start_thread(&run->workers[i].thread, worker_body,
			     &run->workers[i]);
	for (i = 0; i < thread_count(run, mode->helpers); i++)
		start_thread(&helpers[nr_helpers++], mode->helper, run);
	for (i = 0; i < thread_count(run, mode->page_outs); i++)
		start_thread(&helpers[nr_helpers++], page_out_helper, run);
	if (run->cgroup)
		start_thread(&helpers[nr_helpers++], reclaim_driver, run);

	while (!run_over(run)) {
		sleep_ms(SAMPLE_MS);
		sample_swapped(run);
	}
	if (!mode->helper_serves)
		join_all(helpers, &nr_helpers);
	__atomic_store_n(&run->quiet, true, __ATOMIC_RELEASE);

	while (!workers_finished(run)) {
		sleep_ms(SAMPLE_MS);
		sample_swapped(run);
	}
	for (i = 0; i < run->nr_workers; i++)
		pthread_join(run->workers[i].thread, NULL);
	join_all(helpers, &nr_helpers);
	pthread_barrier_destroy(&run->barrier);
}

static void prepare_run(struct run *run, const struct mode *mode)
{
	unsigned int i;

	run->mode = mode;
	run->name = mode->name;
	run->huge = mode->huge;
	run->windows = mode->step;
	run->shared = run->shared_wanted || mode->always_shared;
	run->deadline_ns = UINT64_MAX;
	run->finished = 0;
	run->quiet = false;
	run->errors = 0;
	run->reclaims = 0;
	run->swapped = 0;
	memset(run->workers, 0, sizeof(run->workers));
	for (i = 0; i < run->nr_workers; i++) {
		struct worker *worker = &run->workers[i];

		worker->run = run;
		worker->index = i;
		worker->cpu = run->cpus[i];
		worker->rng.state = mix64(run->seed + i);
		worker->pages = run->mib * MIB_PAGES / run->nr_workers;
		map_region(worker);
	}
}

static void report_run(struct run *run, struct totals *totals, double seconds,
		       uint64_t written)
{
	uint64_t ops = 0, verified = 0, actions = run_actions(run);
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++) {
		ops += run->workers[i].ops;
		verified += run->workers[i].verified;
	}
	say(STDOUT_FILENO,
	    "mode=%s memory=%s ops=%" PRIu64 " verified=%" PRIu64 " actions=%" PRIu64 " swapped=%zu pswpout=%" PRIu64 " reclaims=%" PRIu64 " seconds=%.2f errors=%" PRIu64 "\n",
	    run->mode->name, run->shared ? "shmem" : "anon", ops, verified,
	    actions, run->swapped, written, run->reclaims, seconds,
	    run->errors);
	totals->ops += ops;
	totals->verified += verified;
	totals->errors += run->errors;
	if (run->swapped > totals->swapped)
		totals->swapped = run->swapped;
	if (!run->swapped || !written)
		totals->unswapped++;
	if (actions < run->min_actions)
		totals->too_few++;
}

static void report_skip(struct totals *totals, const struct mode *mode,
			const char *reason)
{
	say(STDOUT_FILENO, "skip=%s:%s\n", mode->name, reason);
	totals->skipped++;
}

/**
 * run_mode() - run one mode and print its line
 * @run:	the run
 * @mode:	the mode
 * @totals:	sums up what is found
 */
void run_mode(struct run *run, const struct mode *mode, struct totals *totals)
{
	uint64_t start_ns = now_ns(), written = swap_writes();
	const char *reason;
	unsigned int i;

	prepare_run(run, mode);
	reason = mode->prepare ? mode->prepare(run) : NULL;
	if (reason) {
		report_skip(totals, mode, reason);
	} else {
		run_threads(run);
		report_run(run, totals, seconds_since(start_ns),
			   swap_writes() - written);
		reason = mode->finish ? mode->finish(run) : NULL;
		if (reason)
			report_skip(totals, mode, reason);
		else
			totals->modes++;
	}
	for (i = 0; i < run->nr_workers; i++)
		unmap_region(&run->workers[i]);
}
