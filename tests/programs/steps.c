// SPDX-License-Identifier: GPL-2.0-only
/*
 * steps - the time of one small step of the kernel, with threads of the process on every CPU
 *
 *   loop    a known number of instructions in user space: tells what the others take
 *   dirty   MADV_PAGEOUT of 32 dirty anonymous pages: a reclaim pass
 *   clean   the same of 32 clean pages of --file, which is mapped read-only
 *   flush   mprotect() of as many pages as make the kernel flush the whole TLB
 *   alloc   the first touch of an anonymous page
 *
 * The thread on the first CPU works, the others wait in user space. So every flush has all
 * the other CPUs to go to. They wait by PAUSE. In an emulator that runs one CPU after the other, PAUSE
 * gives the rest of a CPU's turn away. Preparations aren't timed.
 */
#include "common.h"

#define PASS_PAGES	32UL
#define FLUSH_PAGES	64UL	/* more than 33: x86 doesn't flush them one by one */
#define ALLOC_PAGES	256UL
#define LOOP_TURNS	50000UL
#define REGION_PAGES	(16 * PASS_PAGES)

static struct {
	volatile char *dirty, *clean, *flush;
	pthread_barrier_t start;
	bool over;
} run;

static void on_range(volatile char *base, size_t pages, int advice)
{
	if (madvise((void *)base, pages * PAGE_BYTES, advice))
		die_environment("madvise %d: %s", advice, strerror(errno));
}

static char *map(size_t pages, int protection, int flags, int fd)
{
	void *base = mmap(NULL, pages * PAGE_BYTES, protection, flags, fd, 0);

	if (base == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	return base;
}

static volatile char *map_anonymous(size_t pages)
{
	char *base = map(pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	on_range(base, pages, MADV_NOHUGEPAGE);
	return base;
}

/*
 * Pages in one page table, with nothing beside them that could be mapped alike. Else the step's
 * cost would depend on where the kernel puts the mapping: whether mprotect() splits it and merges
 * it again.
 */
static volatile char *map_alone(size_t pages)
{
	size_t around = HUGE_BYTES / PAGE_BYTES;
	char *base = map(2 * around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	on_range(base, 2 * around, MADV_NOHUGEPAGE);
	return base + HUGE_BYTES - (uintptr_t)base % HUGE_BYTES + (around - pages) / 2 * PAGE_BYTES;
}

/* Each step returns its nanoseconds. @nr counts from 0. */

static uint64_t step_loop(unsigned long nr)
{
	uint64_t start = now_ns();
	unsigned long turns = LOOP_TURNS;

	(void)nr;
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
	return now_ns() - start;
}

static uint64_t page_out(volatile char *pages)
{
	uint64_t start = now_ns();

	on_range(pages, PASS_PAGES, MADV_PAGEOUT);
	return now_ns() - start;
}

static uint64_t step_dirty(unsigned long nr)
{
	volatile char *pages = run.dirty + nr * PASS_PAGES % REGION_PAGES * PAGE_BYTES;

	/* Nothing of an earlier turn is in swap. */
	on_range(pages, PASS_PAGES, MADV_DONTNEED);
	/* zram keeps such pages without compressing them, which would take most of the time. */
	memset((void *)pages, 1, PASS_PAGES * PAGE_BYTES);
	return page_out(pages);
}

static uint64_t step_clean(unsigned long nr)
{
	volatile char *pages = run.clean + nr * PASS_PAGES % REGION_PAGES * PAGE_BYTES;
	size_t i;

	for (i = 0; i < PASS_PAGES; i++)
		(void)pages[i * PAGE_BYTES];
	return page_out(pages);
}

static uint64_t step_flush(unsigned long nr)
{
	uint64_t start;
	size_t i;

	(void)nr;
	if (mprotect((void *)run.flush, FLUSH_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE))
		die_environment("mprotect: %s", strerror(errno));
	for (i = 0; i < FLUSH_PAGES; i++)
		run.flush[i * PAGE_BYTES] = 1;
	start = now_ns();
	if (mprotect((void *)run.flush, FLUSH_PAGES * PAGE_BYTES, PROT_READ))
		die_environment("mprotect: %s", strerror(errno));
	return now_ns() - start;
}

/* So many pages are a step that unmapping them doesn't count. */
static uint64_t step_alloc(unsigned long nr)
{
	volatile char *pages = map_anonymous(ALLOC_PAGES);
	uint64_t start = now_ns(), took;
	size_t i;

	(void)nr;
	for (i = 0; i < ALLOC_PAGES; i++)
		pages[i * PAGE_BYTES] = 1;
	took = now_ns() - start;
	munmap((void *)pages, ALLOC_PAGES * PAGE_BYTES);
	return took;
}

static const struct step {
	const char *name;
	uint64_t (*step)(unsigned long nr);
	unsigned long units;	/* in a step */
} steps[] = {
	{ "loop", step_loop, 2 * LOOP_TURNS },
	{ "dirty", step_dirty, 1 },
	{ "clean", step_clean, 1 },
	{ "flush", step_flush, 1 },
	{ "alloc", step_alloc, ALLOC_PAGES },
};

static void *wait_in_user_space(void *cpu)
{
	if (!pin_self((int)(intptr_t)cpu))
		die_environment("CPU %d: %s", (int)(intptr_t)cpu, strerror(errno));
	pthread_barrier_wait(&run.start);
	while (!__atomic_load_n(&run.over, __ATOMIC_RELAXED))
		__builtin_ia32_pause();
	return NULL;
}

static void open_clean(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die_environment("%s: %s", file, strerror(errno));
	run.clean = map(REGION_PAGES, PROT_READ, MAP_SHARED, fd);
	/* No readahead: each page is a folio of its own. */
	on_range(run.clean, REGION_PAGES, MADV_RANDOM);
}

static void usage(void)
{
	die_usage("steps --file F [--steps 64] [--rounds 3] [--seconds 600]: a file of %lu pages",
		  REGION_PAGES);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "file", required_argument, NULL, 'f' },
		{ "steps", required_argument, NULL, 'n' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 }
	};
	unsigned long nr_steps = 64, rounds = 3, seconds = 600, round, i;
	pthread_t threads[MAX_CPUS];
	unsigned int nr_cpus, cpu;
	const char *file = NULL;
	int cpus[MAX_CPUS];
	size_t kind;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			file = optarg;
			break;
		case 'n':
			nr_steps = parse_number("steps", optarg, 1, 1000000);
			break;
		case 'r':
			rounds = parse_number("rounds", optarg, 1, 1000);
			break;
		case 's':
			seconds = parse_number("seconds", optarg, 1, 86400);
			break;
		default:
			usage();
		}
	}
	if (optind != argc || !file)
		usage();
	start_watchdog((unsigned int)seconds);

	open_clean(file);
	run.dirty = map_anonymous(REGION_PAGES);
	run.flush = map_alone(FLUSH_PAGES);
	nr_cpus = usable_cpus(cpus, MAX_CPUS);
	pthread_barrier_init(&run.start, NULL, nr_cpus);
	for (cpu = 1; cpu < nr_cpus; cpu++)
		start_thread(&threads[cpu], wait_in_user_space, (void *)(intptr_t)cpus[cpu]);
	if (!pin_self(cpus[0]))
		die_environment("CPU %d: %s", cpus[0], strerror(errno));
	pthread_barrier_wait(&run.start);

	for (round = 0; round < rounds; round++) {
		for (kind = 0; kind < ARRAY_SIZE(steps); kind++) {
			uint64_t ns = 0;

			for (i = 0; i < nr_steps; i++)
				ns += steps[kind].step(i);
			say(STDOUT_FILENO, "step=%s round=%lu units=%lu ns=%" PRIu64 "\n",
			    steps[kind].name, round, nr_steps * steps[kind].units, ns);
		}
	}
	__atomic_store_n(&run.over, true, __ATOMIC_RELAXED);
	for (cpu = 1; cpu < nr_cpus; cpu++)
		pthread_join(threads[cpu], NULL);
	return STRESS_OK;
}
