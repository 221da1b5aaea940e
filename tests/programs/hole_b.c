// SPDX-License-Identifier: GPL-2.0-only
/*
 * hole_b - does a huge page outlive MADV_DONTNEED, munmap() or exit?
 *
 * From 6.11 on the kernel discards a huge page that MADV_FREE gave up: it makes the page's entry
 * none, flushes the TLBs of all CPUs, and then looks whether somebody has written to the page or
 * holds it. If so, the entry comes back. Whoever takes the mapping away meanwhile passes over an
 * entry that is none, without the lock. So the page stays mapped. Debian's 7.2.12 does that, its
 * 6.12.117 and later and its 7.3.4 don't.
 *
 * Here a page of the huge page is in a pipe, so each try to discard it is taken back. The threads of
 * the process keep their CPUs busy, which makes the flush long. Reclaim goes on beside, by
 * MADV_PAGEOUT or, as munmap() excludes that, by memory.reclaim of the cgroup.
 *
 *  dontneed	MADV_DONTNEED: the memory must be zeros then
 *  munmap	other memory is mapped over it: that must be zeros
 *  exit	the process exits: what stayed mapped is in the kernel's log
 */
#include "cgroup.h"
#include "common.h"
#include "rng.h"
#include "supervise.h"

#define HUGE_PAGES	(HUGE_BYTES / PAGE_BYTES)
/* Microseconds: within this time a discard is tried. */
#define WITHIN_US	3000

static struct shared {
	uint64_t rounds, missed;
	bool armed, over;
} *shared;

static const char *how, *cgroup;
static int cpus[MAX_CPUS];
static unsigned int nr_cpus;
static char *base;

static bool is_over(void)
{
	return __atomic_load_n(&shared->over, __ATOMIC_RELAXED);
}

static void *map_at(void *address, size_t bytes)
{
	void *memory = mmap(address, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED : 0), -1, 0);

	if (memory == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

/* Its CPU must be told of each flush. */
static void *be_busy(void *cpu)
{
	pin_self((int)(intptr_t)cpu);
	while (!is_over())
		;
	return NULL;
}

static void *page_out(void *unused)
{
	(void)unused;
	pin_self(cpus[0]);
	while (!is_over())
		if (__atomic_load_n(&shared->armed, __ATOMIC_RELAXED))
			madvise(base, HUGE_BYTES, MADV_PAGEOUT);
	return NULL;
}

static void start_threads(void)
{
	pthread_t thread;
	unsigned int i;

	for (i = 2; i < nr_cpus; i++)
		start_thread(&thread, be_busy, (void *)(intptr_t)cpus[i]);
	if (!strcmp(how, "dontneed"))
		start_thread(&thread, page_out, NULL);
	pin_self(cpus[1]);
}

/* A huge page that MADV_FREE gave up, and that a pipe holds. */
static void prepare(const int pipe_ends[2])
{
	struct iovec part = { base + 100 * PAGE_BYTES, PAGE_BYTES };
	size_t page;

	for (page = 0; page < HUGE_PAGES; page++)
		*(volatile uint64_t *)(base + page * PAGE_BYTES) = page + 1;
	if (vmsplice(pipe_ends[1], &part, 1, 0) < 0)
		die_environment("vmsplice: %s", strerror(errno));
	if (madvise(base, HUGE_BYTES, MADV_FREE))
		die_environment("MADV_FREE: %s", strerror(errno));
}

static void wait_us(uint64_t us)
{
	uint64_t end = now_ns() + us * 1000;

	while (now_ns() < end)
		;
}

static bool is_zero(void)
{
	size_t page;

	for (page = 0; page < HUGE_PAGES; page++)
		if (*(volatile uint64_t *)(base + page * PAGE_BYTES))
			return false;
	return true;
}

static void open_pipe(int pipe_ends[2])
{
	if (pipe(pipe_ends))
		die_environment("pipe: %s", strerror(errno));
}

static void rounds_of(struct rng *rng)
{
	int pipe_ends[2];

	start_threads();
	while (!is_over()) {
		open_pipe(pipe_ends);
		prepare(pipe_ends);
		__atomic_store_n(&shared->armed, true, __ATOMIC_RELAXED);
		wait_us(rng_below(rng, WITHIN_US));
		if (!strcmp(how, "munmap"))
			map_at(base, HUGE_BYTES);
		else if (madvise(base, HUGE_BYTES, MADV_DONTNEED))
			die_environment("MADV_DONTNEED: %s", strerror(errno));
		__atomic_store_n(&shared->armed, false, __ATOMIC_RELAXED);
		shared->missed += !is_zero();
		shared->rounds++;
		map_at(base, HUGE_BYTES);
		close(pipe_ends[0]);
		close(pipe_ends[1]);
	}
}

/* A process for each round. Its parent has the pipe, which holds the page meanwhile. */
static void exits(struct rng *rng)
{
	int pipe_ends[2], status;
	pid_t child;

	while (!is_over()) {
		uint64_t us = rng_below(rng, WITHIN_US);

		open_pipe(pipe_ends);
		child = fork_child();
		if (!child) {
			start_threads();
			prepare(pipe_ends);
			__atomic_store_n(&shared->armed, true, __ATOMIC_RELAXED);
			wait_us(us);
			_exit(STRESS_OK);
		}
		status = wait_child(child);
		__atomic_store_n(&shared->armed, false, __ATOMIC_RELAXED);
		close(pipe_ends[0]);
		close(pipe_ends[1]);
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			die_environment("a child ended with %d", status);
		shared->rounds++;
	}
}

int main(int argc, char **argv)
{
	struct rng rng = { .state = 1 };
	unsigned int seconds;
	uintptr_t room;
	uint64_t end;
	pid_t child;
	int status;

	if (argc != 4)
		die_usage("hole_b CGROUP dontneed|munmap|exit SECONDS");
	cgroup = argv[1];
	how = argv[2];
	if (strcmp(how, "dontneed") && strcmp(how, "munmap") && strcmp(how, "exit"))
		die_usage("no way '%s'", how);
	seconds = parse_number("SECONDS", argv[3], 1, 36000);
	nr_cpus = usable_cpus(cpus, MAX_CPUS);
	if (nr_cpus < 2)
		die_environment("needs two CPUs");
	start_watchdog(seconds * 5 + 120);
	shared = map_shared_locked(sizeof(*shared));
	end = now_ns() + seconds * NSEC_PER_SEC;
	/* With memory beside it, so that its page tables stay. */
	room = (uintptr_t)map_at(NULL, 4 * HUGE_BYTES);
	base = (char *)((room + 2 * HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	*(volatile char *)room = 1;
	child = fork_child();
	if (!child) {
		cgroup_join(cgroup);
		if (!strcmp(how, "exit"))
			exits(&rng);
		else
			rounds_of(&rng);
		_exit(STRESS_OK);
	}
	/* From outside of the process. */
	if (strcmp(how, "dontneed")) {
		pin_self(cpus[0]);
		cgroup_reclaim(cgroup, "2M", &shared->armed, NULL, end);
	}
	while (now_ns() < end && !stress_stop)
		sleep_ms(50);
	__atomic_store_n(&shared->over, true, __ATOMIC_RELAXED);
	status = wait_child(child);
	say(STDOUT_FILENO, "how=%s rounds=%" PRIu64 " missed=%" PRIu64 "\n", how, shared->rounds,
	    shared->missed);
	if (!WIFEXITED(status) || WEXITSTATUS(status) || !shared->rounds)
		return STRESS_ENVIRONMENT;
	return shared->missed ? STRESS_DATA_ERROR : STRESS_OK;
}
