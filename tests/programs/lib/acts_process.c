// SPDX-License-Identifier: GPL-2.0-only
/*
 * What children do: they check what they got by the fork, or fill memory of their own.
 *
 * Children are forked from a threaded process. So they allocate nothing and take no locks.
 * Their exit code tells what they found.
 */
#include "acts.h"

#define SNAPSHOT_CHECKS	256	/* pages of a snapshot that a child looks at */
#define FAMILY_ID	0xfa	/* worker part of a page id outside regions */

/*
 * The child sees the region as it was at the fork. Its parent goes on, and no rewrite by
 * the parent may show up in the child. Then the child writes pages of its own.
 */
__attribute__((noreturn)) void check_snapshot(struct worker *worker)
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

/* Fills and checks the child's own memory, over and over. */
void fill_and_check(struct run *run, size_t pages, bool for_ever)
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
	int status;

	if (child <= 0)
		return true;
	kill(child, SIGKILL);
	status = wait_child(child);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == STRESS_DATA_ERROR);
}
