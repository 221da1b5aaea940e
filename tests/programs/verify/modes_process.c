// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modes in which other threads and processes use the same pages: readers that fault them in
 * again at once, children that share them by copy on write, and children that exit in the
 * middle of reclaim.
 *
 * Children are forked from a threaded process. So they allocate nothing and take no locks.
 * Their exit code tells what they found.
 */
#include "modes.h"

#define CHILD_PAGES	(8 * MIB_PAGES)

/*
 * Readers look only at the first word, which never changes. While a worker rewrites a page,
 * or while a flush for a *clean* page is still owed, a reader may see an older write of
 * that page. It must never see another page.
 */
void *refault_helper(void *argument)
{
	struct run *run = argument;
	struct rng rng = { .state = mix64(run->seed ^ (uintptr_t)&rng) };

	while (!run_over(run)) {
		struct worker *worker;
		uint64_t expected, found;
		size_t page;

		if (!run_filled(run)) {
			sleep_ms(1);
			continue;
		}
		worker = &run->workers[rng_below(&rng, run->nr_workers)];
		page = rng_below(&rng, worker->pages);
		expected = page_id(worker, page);
		found = __atomic_load_n((uint64_t *)page_at(worker, page),
					__ATOMIC_RELAXED);
		if (found == expected)
			continue;
		count_error(run);
		say(STDERR_FILENO,
		    "wrong data: mode=refault at=reader worker=%u page=%zu address=%p word=0 expected=%016" PRIx64 " found=%016" PRIx64 "\n",
		    worker->index, page, page_at(worker, page), expected,
		    found);
	}
	return NULL;
}

/* Waits for a child, and counts what it reports as an error of this run. */
static bool reap_child(struct run *run, pid_t child, int flags,
		       bool killed_by_us)
{
	int status;
	pid_t done;

	do {
		done = waitpid(child, &status, flags);
	} while (done < 0 && errno == EINTR);
	if (done == 0)
		return false;
	if (done < 0)
		die_environment("waitpid: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == STRESS_DATA_ERROR)
		count_error(run);
	else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		die_environment("a child died of signal %d", WTERMSIG(status));
	else if (WIFSIGNALED(status) && !killed_by_us)
		die_killed("a child");
	return true;
}

static pid_t snapshot_child[MAX_CPUS];

/* Each worker has one child at a time. */
void fork_step(struct worker *worker)
{
	pid_t *child = &snapshot_child[worker->index];

	if (*child > 0 && !reap_child(worker->run, *child, WNOHANG, false))
		return;
	*child = fork_child();
	if (*child < 0)
		die_environment("fork: %s", strerror(errno));
	if (*child == 0)
		check_snapshot(worker);
	worker->actions++;
}

void fork_settle(struct worker *worker)
{
	pid_t *child = &snapshot_child[worker->index];

	if (*child > 0)
		reap_child(worker->run, *child, 0, false);
	*child = 0;
}

/*
 * Children fill memory, write to their parent's by copy on write, and then exit or are
 * killed, most often while their pages are being reclaimed.
 */
void *exit_helper(void *argument)
{
	struct run *run = argument;
	struct rng rng = { .state = mix64(run->seed ^ (uintptr_t)&rng) };

	while (!run_over(run)) {
		bool killed = rng_one_in(&rng, 2);
		struct worker *worker;
		unsigned int patience;
		pid_t child;
		size_t i;

		worker = &run->workers[rng_below(&rng, run->nr_workers)];
		patience = 1 + rng_below(&rng, 60);
		child = fork_child();
		if (child < 0)
			die_environment("fork: %s", strerror(errno));
		if (child == 0) {
			for (i = 0; !run->shared && i < 64; i++)
				*(uint64_t *)page_at(worker,
						     rng_below(&rng, worker->pages)) = 1;
			fill_and_check(run, CHILD_PAGES, killed);
			_exit(STRESS_OK);
		}
		if (killed) {
			sleep_ms(patience);
			kill(child, SIGKILL);
		}
		reap_child(run, child, 0, killed);
		__atomic_fetch_add(&worker->actions, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}
