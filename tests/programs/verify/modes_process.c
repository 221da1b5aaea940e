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

#define SNAPSHOT_CHECKS	256	/* pages of a snapshot that a child looks at */
#define CHILD_PAGES	(8 * MIB_PAGES)
#define FAMILY_ID	0xfa	/* worker part of a page id outside regions */

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

/*
 * The child sees the region as it was at the fork. Its parent goes on, and no rewrite by
 * the parent may show up in the child. Then the child writes pages of its own.
 */
static __attribute__((noreturn)) void check_snapshot(struct worker *worker)
{
	struct run *run = worker->run;
	size_t i;

	run->errors = 0;
	pin_self(run->cpus[(worker->index + 1) % run->nr_workers]);
	worker->rng.state ^= (uint64_t)getpid();
	for (i = 0; i < SNAPSHOT_CHECKS; i++) {
		size_t page = rng_below(&worker->rng, worker->pages);

		if (run->shared) {
			/* A shared region is no snapshot: only the page's number is fixed. */
			uint64_t *words = page_at(worker, page);

			if (words[WORD_ID] != page_id(worker, page))
				count_error(run);
			continue;
		}
		check_copy(worker, page, page_at(worker, page), "snapshot");
		if (rng_one_in(&worker->rng, 4))
			rewrite_page(worker, page);
	}
	_exit(run->errors ? STRESS_DATA_ERROR : STRESS_OK);
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

/* Fills and checks the child's own memory, over and over. */
static void fill_and_check(struct run *run, size_t pages, bool for_ever)
{
	struct page_content content = {
		.seed = run->seed ^ (uint64_t)getpid(),
	};
	struct page_fault fault;
	unsigned char *base;
	size_t i;

	base = mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		_exit(STRESS_ENVIRONMENT);
	madvise(base, pages * PAGE_BYTES, MADV_NOHUGEPAGE);
	do {
		for (i = 0; i < pages; i++) {
			unsigned char *page = base + i * PAGE_BYTES;

			content.id = (uint64_t)FAMILY_ID << 32 | i;
			if (content.sequence &&
			    !content_check(page, &content, &fault)) {
				complain();
				say(STDERR_FILENO,
				    "wrong data: at=child page=%zu address=%p word=%zu expected=%016" PRIx64 " found=%016" PRIx64 "\n",
				    i, (void *)page, fault.word,
				    fault.expected, fault.found);
				_exit(STRESS_DATA_ERROR);
			}
			content.sequence++;
			content_write(page, &content);
			content.sequence--;
		}
		content.sequence++;
		if (for_ever)
			sleep_ms(2);
	} while (for_ever || content.sequence < 3);
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

/**
 * start_pressure() - start a process that keeps its cgroup at the memory limit
 * @run:	the run, for its seed
 * @mib:	memory it uses
 *
 * A fault of the process under test reclaims with its own mmap_lock held. So that reclaim
 * never meets munmap, mremap or mprotect of the same mm. Faults of another process in the
 * same cgroup do meet these.
 *
 * Return: its process id. It ends with the caller.
 */
pid_t start_pressure(struct run *run, size_t mib)
{
	pid_t child = fork_child();

	if (child < 0)
		die_environment("fork: %s", strerror(errno));
	if (child == 0) {
		signal(SIGTERM, SIG_DFL);
		signal(SIGINT, SIG_IGN);
		fill_and_check(run, mib * MIB_PAGES, true);
		_exit(STRESS_ENVIRONMENT);	/* not reached */
	}
	return child;
}

/* Ends the process. It has already ended if it found wrong data. */
bool stop_pressure(pid_t child)
{
	int status = 0;

	if (child <= 0)
		return true;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == STRESS_DATA_ERROR);
}
