// SPDX-License-Identifier: GPL-2.0-only
/*
 * move_lock - do mremap(), mlock() and others cope with a huge page that is discarded beside them?
 *
 * These two hold mmap_lock for writing. On 6.1 they expect that a huge page's entry becomes a page
 * table meanwhile, but not none. If it is none, they take page frame 0 for a page table. What comes
 * of that is in the kernel's log: "Bad page map", "Bad page state", "bad pmd", "Bad rss-counter",
 * "non-zero pgtables_bytes", or a crash.
 *
 * Huge pages are written, given up by MADV_FREE, and then moved, locked, forked, and more. Reclaim
 * goes on beside, by memory.reclaim of the cgroup. The other CPUs are busy in the process, which
 * makes flushes long.
 *
 *  move	each huge page is moved whole, to where the kernel has no page tables yet, and back
 *  odd		all are moved at once, to other places within their huge pages, and back
 *  lock	they are locked, and unlocked again
 *  fork	a child writes to some of them, and exits
 *  protect	they are write-protected, and made writable again
 *  collapse	MADV_COLLAPSE makes huge pages of what is there
 *  read	a CPU goes on reading them, and has them in its TLB when they go: it must find zeros
 *
 * Each page must have its content or zeros then, and keep what is written to it.
 */
#include "cgroup.h"
#include "common.h"
#include "rng.h"
#include "supervise.h"
#include "swap.h"

#define HUGE_PAGES	4
#define PAGES		(HUGE_PAGES * HUGE_BYTES / PAGE_BYTES)
#define PAGES_EACH	(PAGES / HUGE_PAGES)
#define BYTES		(HUGE_PAGES * HUGE_BYTES)
/* Nobody maps anything there. Each huge page has a page table of the next level for itself. */
#define FAR		((char *)0x100000000000)
#define FAR_APART	(1UL << 30)
#define ODD_FROM	PAGE_BYTES
#define ODD_TO		(3 * PAGE_BYTES)
#define ODD_BYTES	(BYTES - 2 * PAGE_BYTES)
/* Microseconds: within this time reclaim comes to the pages. */
#define WITHIN_US	4000
/* So long pages are read, if they don't go. */
#define READ_MS		500

static struct shared {
	uint64_t rounds, gone, wrong;
	uint64_t turns;	/* of reclaim */
	bool armed, over;
} *shared;

static const char *how;
static int cpus[MAX_CPUS];
static unsigned int nr_cpus;
static char *base;
/* What is in the first page; each other one has as much more. */
static uint64_t mark;
static int pagemap;

static bool is_over(void)
{
	return __atomic_load_n(&shared->over, __ATOMIC_RELAXED);
}

static void map_at_base(void)
{
	if (mmap(base, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	madvise(base, BYTES, MADV_HUGEPAGE);
}

/* Its CPU must be told of each flush. */
static void *be_busy(void *cpu)
{
	pin_self((int)(intptr_t)cpu);
	while (!is_over())
		;
	return NULL;
}

static void move(char *from, size_t bytes, char *to)
{
	if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
		die_environment("mremap: %s", strerror(errno));
}

static void move_whole(bool back)
{
	char *near = base, *far = FAR;
	unsigned int i;

	for (i = 0; i < HUGE_PAGES; i++, near += HUGE_BYTES, far += FAR_APART) {
		if (back)
			move(far, HUGE_BYTES, near);
		else
			move(near, HUGE_BYTES, far);
	}
}

static void move_odd(bool back)
{
	if (back)
		move(FAR + ODD_TO, ODD_BYTES, base + ODD_FROM);
	else
		move(base + ODD_FROM, ODD_BYTES, FAR + ODD_TO);
}

static void lock(bool back)
{
	/* Locks what is there, and doesn't bring back what was discarded. */
	if (back ? munlock(base, BYTES) : mlock2(base, BYTES, MLOCK_ONFAULT))
		die_environment("%s: %s", back ? "munlock" : "mlock2", strerror(errno));
}

static volatile uint64_t *word_of(size_t page)
{
	return (volatile uint64_t *)(base + page * PAGE_BYTES);
}

static void write_all(void)
{
	size_t page;

	for (page = 0; page < PAGES; page++)
		*word_of(page) = mark + page;
}

/* @zero: a page may have gone */
static void check_all(bool zero)
{
	size_t page;

	for (page = 0; page < PAGES; page++) {
		uint64_t word = *word_of(page);

		if (zero && !word)
			shared->gone++;
		else if (word != mark + page)
			shared->wrong++;
	}
}

static void wait_us(uint64_t us)
{
	uint64_t end = now_ns() + us * 1000;

	while (now_ns() < end)
		;
}

/* What the child writes is the child's. */
static void fork_and_write(bool back)
{
	unsigned int i;
	pid_t child;
	int status;

	if (back)
		return;
	child = fork_child();
	if (child < 0)
		die_environment("fork: %s", strerror(errno));
	if (!child) {
		for (i = 0; i < HUGE_PAGES; i++)
			*word_of(i * PAGES_EACH) = 1;
		wait_us(WITHIN_US);
		for (i = 0; i < HUGE_PAGES; i++) {
			shared->wrong += *word_of(i * PAGES_EACH) != 1;
			*word_of(i * PAGES_EACH) = mark + i * PAGES_EACH;
		}
		check_all(true);
		_exit(STRESS_OK);
	}
	status = wait_child(child);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die_environment("a child ended with %d", status);
}

static void protect(bool back)
{
	if (mprotect(base, BYTES, back ? PROT_READ | PROT_WRITE : PROT_READ))
		die_environment("mprotect: %s", strerror(errno));
}

/* Of what has gone, or has no room, no huge page can be made. */
static void collapse(bool back)
{
	(void)back;
	madvise(base, BYTES, MADV_COLLAPSE);
}

static bool is_there(size_t page)
{
	return pagemap_entry(pagemap, base + page * PAGE_BYTES) &
	       (PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
}

static uint64_t turns(void)
{
	return __atomic_load_n(&shared->turns, __ATOMIC_ACQUIRE);
}

/*
 * Is an entry used that isn't there any more? Reclaim may flush for a page at the end of its turn,
 * so the turn in which the page went must be over. @last_turn is that one, or 0 if it hasn't gone.
 */
static bool is_stale(size_t page, uint64_t *last_turn)
{
	if (!*word_of(page) || is_there(page)) {
		*last_turn = 0;
		return false;
	}
	if (!*last_turn)
		*last_turn = turns() + 1;
	return turns() >= *last_turn && *word_of(page);
}

/*
 * Reclaim keeps a page whose entry says that it was used, and flushes when it takes that bit away.
 * So the bit is cleared here. As long as the CPU has the page in its TLB, reading doesn't set it.
 */
static void read_on(bool back)
{
	uint64_t end = now_ns() + READ_MS * NSEC_PER_MSEC;
	uint64_t last_turns[HUGE_PAGES] = { 0 };
	bool left = !back;
	unsigned int i;

	while (left && now_ns() < end) {
		left = false;
		for (i = 0; i < HUGE_PAGES; i++) {
			if (is_stale(i * PAGES_EACH, &last_turns[i])) {
				shared->wrong++;
				return;
			}
			left |= *word_of(i * PAGES_EACH) != 0;
		}
		clear_referenced();
	}
}

/* Reclaim may come before the first round of that. */
static void read_first(void)
{
	unsigned int i;

	for (i = 0; i < HUGE_PAGES; i++)
		shared->wrong += *word_of(i * PAGES_EACH) != mark + i * PAGES_EACH;
	clear_referenced();
}

static const struct way {
	const char *name;
	void (*does)(bool back);
	void (*before)(void);	/* ... reclaim begins; or NULL */
} ways[] = {
	{ .name = "move", .does = move_whole },
	{ .name = "odd", .does = move_odd },
	{ .name = "lock", .does = lock },
	{ .name = "fork", .does = fork_and_write },
	{ .name = "protect", .does = protect },
	{ .name = "collapse", .does = collapse },
	{ .name = "read", .does = read_on, .before = read_first },
};

static const struct way *find_way(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	die_usage("no way '%s'", name);
}

static void rounds_of(const struct way *way)
{
	struct rng rng = { .state = 1 };
	pthread_t thread;
	unsigned int i;

	for (i = 2; i < nr_cpus; i++)
		start_thread(&thread, be_busy, (void *)(intptr_t)cpus[i]);
	pin_self(cpus[1]);
	pagemap = open_pagemap();
	while (!is_over()) {
		mark = (shared->rounds + 1) << 32;
		map_at_base();
		write_all();
		if (madvise(base, BYTES, MADV_FREE))
			die_environment("MADV_FREE: %s", strerror(errno));
		if (way->before)
			way->before();
		__atomic_store_n(&shared->armed, true, __ATOMIC_RELAXED);
		wait_us(rng_below(&rng, WITHIN_US));
		way->does(false);
		wait_us(rng_below(&rng, WITHIN_US));
		way->does(true);
		__atomic_store_n(&shared->armed, false, __ATOMIC_RELAXED);
		check_all(true);
		mark += 1U << 31;
		write_all();
		check_all(false);
		shared->rounds++;
	}
}

int main(int argc, char **argv)
{
	const struct way *way;
	unsigned int seconds;
	uintptr_t room;
	uint64_t end;
	pid_t child;
	int status;

	if (argc != 4)
		die_usage("move_lock CGROUP move|odd|lock|fork|protect|collapse|read SECONDS");
	how = argv[2];
	way = find_way(how);
	seconds = parse_number("SECONDS", argv[3], 1, 36000);
	nr_cpus = usable_cpus(cpus, MAX_CPUS);
	if (nr_cpus < 2)
		die_environment("needs two CPUs");
	start_watchdog(seconds * 5 + 120);
	shared = map_shared_locked(sizeof(*shared));
	end = now_ns() + seconds * NSEC_PER_SEC;
	room = (uintptr_t)mmap(NULL, BYTES + 2 * HUGE_BYTES, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == (uintptr_t)MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	base = (char *)((room + 2 * HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	child = fork_child();
	if (!child) {
		cgroup_join(argv[1]);
		rounds_of(way);
		_exit(STRESS_OK);
	}
	pin_self(cpus[0]);
	cgroup_reclaim(argv[1], "2M", &shared->armed, &shared->turns, end);
	__atomic_store_n(&shared->over, true, __ATOMIC_RELAXED);
	status = wait_child(child);
	say(STDOUT_FILENO, "how=%s rounds=%" PRIu64 " gone=%" PRIu64 " wrong=%" PRIu64 "\n", how,
	    shared->rounds, shared->gone, shared->wrong);
	if (!WIFEXITED(status) || WEXITSTATUS(status) || !shared->rounds)
		return STRESS_ENVIRONMENT;
	return shared->wrong ? STRESS_DATA_ERROR : STRESS_OK;
}
