// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a worker of verify does from the first page to the last check.
 */
#include "core.h"

static void worker_loop(struct worker *worker)
{
	const struct mode *mode = worker->run->mode;
	unsigned int i;

	while (!run_over(worker->run)) {
		for (i = 0; i < OPS_PER_STEP; i++)
			one_rewrite(worker);
		if (mode->step)
			mode->step(worker);
		else if (mode->rewrites)
			worker->actions++;
	}
}

/*
 * Checks every page once more. Checked pages are given back, so that reading a page from
 * swap doesn't push others out. A helper that is still in a fault would read zeros there,
 * and report them as wrong data.
 */
static void last_pass(struct worker *worker)
{
	int give_back = worker->fd < 0 ? MADV_DONTNEED : MADV_REMOVE;
	size_t first, length;

	while (!__atomic_load_n(&worker->run->quiet, __ATOMIC_ACQUIRE))
		sleep_ms(1);
	for (first = 0; first < worker->pages; first += length) {
		length = worker->pages - first;
		if (length > RANGE_PAGES)
			length = RANGE_PAGES;
		check_range(worker, first, length, "last pass");
		if (madvise(page_at(worker, first), length * PAGE_BYTES,
			    give_back))
			die_environment("madvise: %s", strerror(errno));
	}
}

void *worker_body(void *argument)
{
	struct worker *worker = argument;
	struct run *run = worker->run;
	size_t i;

	if (!pin_self(worker->cpu))
		die_environment("can't run on CPU %d: %s", worker->cpu,
				strerror(errno));
	for (i = 0; i < worker->pages; i++)
		rewrite_page(worker, i);

	/* All workers have filled their memory: the time starts. */
	if (pthread_barrier_wait(&run->barrier) ==
	    PTHREAD_BARRIER_SERIAL_THREAD)
		__atomic_store_n(&run->deadline_ns,
				 now_ns() + run->seconds * NSEC_PER_SEC,
				 __ATOMIC_RELEASE);
	pthread_barrier_wait(&run->barrier);

	if (run->mode->loop)
		run->mode->loop(worker);
	else
		worker_loop(worker);
	if (run->mode->settle)
		run->mode->settle(worker);
	last_pass(worker);
	__atomic_fetch_add(&run->finished, 1, __ATOMIC_RELEASE);
	return NULL;
}
