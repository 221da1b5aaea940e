// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cell: a process that maps a file, and makes a generation of it.
 *
 * Its first thread touches pages on CPU 0 and reclaims them there, so the pages end in that
 * CPU's list of free pages. Another of its threads spins on a CPU of its own, which is the
 * other CPU of the flush. Everything else is done on CPU 2, which takes no page of CPU 0's
 * list.
 *
 * One MADV_PAGEOUT makes one generation. A second one of the same process would flush first
 * (flush_tlb_batched_pending()). So would anything else that walks its page tables with the
 * PTL held. Hence each file has a process of its own.
 */
#include "cell.h"
#include "swap.h"

/* More than tlb_single_page_flush_ceiling: mprotect() flushes everything. */
#define FLUSH_PAGES	64
#define CALL_SECONDS	60
/* Only root can read it. */
#define PAGEMAP_FRAME	((1ULL << 55) - 1)

struct cell *cells[4];
size_t cells_nr;

static void *cell_spin(void *argument)
{
	struct cell *cell = argument;

	if (!pin_self(cell->spin_cpu))
		die_environment("no CPU %d", cell->spin_cpu);
	cell->spinner = gettid();
	for (;;) {
		cell->spins_on = sched_getcpu();
		cell->beats++;
		while (cell->sleeps) {
			cell->spins_on = -1;
			sem_wait(&cell->wake);
		}
	}
	return NULL;
}

void *cell_anon_map(void *at, size_t pages)
{
	char *map = mmap(at, pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	if (map == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	madvise(map, pages * PAGE_BYTES, MADV_NOHUGEPAGE);
	return map;
}

/*
 * Everything that a cell needs later must be in memory now. A page fault at the wrong
 * moment would use a page of the generation.
 */
static void cell_prepare(struct cell *cell)
{
	pthread_t spinner;

	cell->scratch = cell_anon_map(NULL, FLUSH_PAGES);
	cell->pagemap = open_pagemap();
	start_thread(&spinner, cell_spin, cell);
	while (cell->spins_on != cell->spin_cpu)
		sched_yield();
	if (mlockall(MCL_CURRENT))
		die_environment("mlockall: %s", strerror(errno));
	cell->zero = cell_anon_map(NULL, 1);
	cell->anon = cell_anon_map(ANON_AT, ANON_PAGES);
}

static void cell_main(struct cell *cell)
{
	cell_prepare(cell);
	sem_post(&cell->reply);
	for (;;) {
		while (sem_wait(&cell->request))
			;
		cell->result = cell->function(cell, cell->argument);
		sem_post(&cell->reply);
	}
}

void cell_wait(struct cell *cell)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += CALL_SECONDS;
	while (sem_timedwait(&cell->reply, &end))
		if (errno != EINTR)
			die_environment("the process on CPU %d doesn't answer",
					cell->spin_cpu);
}

/* Let the process of a cell do something, and wait for it. */
long cell_call(struct cell *cell, cell_function *function, long argument)
{
	cell->function = function;
	cell->argument = argument;
	sem_post(&cell->request);
	cell_wait(cell);
	return cell->result;
}

/* The caller is on CPU 0, so the new process never ran anywhere else. */
struct cell *cell_start(const char *path, int spin_cpu)
{
	struct cell *cell = mmap(NULL, sizeof(*cell), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	pid_t child;

	if (cell == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	snprintf(cell->path, sizeof(cell->path), "%s", path);
	cell->spin_cpu = spin_cpu;
	cell->spins_on = -1;
	cell->open_flags = O_RDONLY;
	cell->prot = PROT_READ;
	cell->map_flags = MAP_PRIVATE;
	cell->pages = CELL_PAGES;
	sem_init(&cell->request, 1, 0);
	sem_init(&cell->reply, 1, 0);
	sem_init(&cell->wake, 1, 0);
	child = fork_child();
	if (child < 0)
		die_environment("fork: %s", strerror(errno));
	if (child == 0)
		cell_main(cell);
	cell->pid = child;
	cells[cells_nr++] = cell;
	cell_wait(cell);
	return cell;
}

/* Kill the process here: one that ends by itself would do so in the middle of the next scenario. */
void cells_end(void)
{
	while (cells_nr) {
		struct cell *cell = cells[--cells_nr];

		kill(cell->pid, SIGKILL);
		waitpid(cell->pid, NULL, 0);
	}
}

/* Lets it spin on another CPU, and waits until it does. */
void cell_spin_on(struct cell *cell, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(cell->spinner, sizeof(set), &set))
		die_environment("no CPU %d", cpu);
	while (cell->spins_on != cpu)
		sched_yield();
}

/* Puts its spinner to sleep. The CPU becomes idle, and stays in the mm's mask. */
void cell_sleep(struct cell *cell)
{
	cell->sleeps = true;
	while (cell->spins_on >= 0)
		sched_yield();
	sleep_ms(100);
}

/* It uses its memory again. */
void cell_wake(struct cell *cell)
{
	cell->sleeps = false;
	sem_post(&cell->wake);
	while (cell->spins_on != cell->spin_cpu)
		sched_yield();
}

/* --- what a cell can do ------------------------------------------------------ */

static void *cell_spin_too(void *argument)
{
	volatile int *on = argument;

	if (!pin_self(*on))
		die_environment("no CPU %d", *on);
	*on = -1;
	for (;;)
		;
	return NULL;
}

/* One more spinner, on a CPU of its own. */
long cell_second(struct cell *cell, long cpu)
{
	static volatile int on;
	pthread_t spinner;

	(void)cell;
	on = (int)cpu;
	start_thread(&spinner, cell_spin_too, (void *)&on);
	while (on >= 0)
		sched_yield();
	return 0;
}

long cell_move(struct cell *cell, long cpu)
{
	(void)cell;
	if (!pin_self((int)cpu))
		die_environment("no CPU %ld", cpu);
	return 0;
}

long cell_map(struct cell *cell, long unused)
{
	size_t bytes = (cell->pages + cell->stay) * PAGE_BYTES;

	(void)unused;
	cell->fd = open(cell->path, cell->open_flags | O_CLOEXEC);
	if (cell->fd < 0)
		die_environment("%s: %s", cell->path, strerror(errno));
	cell->map = mmap(FILE_AT, bytes, cell->prot,
			 cell->map_flags | MAP_FIXED, cell->fd, 0);
	if (cell->map == MAP_FAILED)
		die_environment("mmap of %s: %s", cell->path, strerror(errno));
	/* No readahead and no khugepaged: folios of one page, on every kernel. */
	madvise(cell->map, bytes, MADV_RANDOM);
	madvise(cell->map, bytes, MADV_NOHUGEPAGE);
	return 0;
}

/* Reads every page of the file through the mapping. */
long cell_touch(struct cell *cell, long unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i < cell->pages + cell->stay; i++) {
		uint64_t entry;

		*(volatile char *)(cell->map + i * PAGE_BYTES);
		entry = pagemap_entry(cell->pagemap, cell->map + i * PAGE_BYTES);
		if (!(entry & PAGEMAP_PRESENT))
			die_environment("page %zu didn't stay", i);
		if (i < cell->pages)
			cell->frames[i] = entry & PAGEMAP_FRAME;
	}
	return 0;
}

long cell_present(struct cell *cell, long unused)
{
	(void)unused;
	return (long)pagemap_count(cell->pagemap, cell->map, cell->pages,
				   PAGEMAP_PRESENT);
}

/* Prepares a flush of everything and a flush of one page, so that each later takes one action. */
long cell_arm(struct cell *cell, long unused)
{
	size_t i;

	(void)unused;
	if (mprotect(cell->scratch, FLUSH_PAGES * PAGE_BYTES,
		     PROT_READ | PROT_WRITE))
		die_environment("mprotect: %s", strerror(errno));
	for (i = 0; i < FLUSH_PAGES; i++)
		*(volatile char *)(cell->scratch + i * PAGE_BYTES) = 1;
	*(volatile char *)cell->zero;
	/* The page table of the anonymous memory. */
	if (!cell->anon_used)
		cell->anon[cell->anon_used++ * PAGE_BYTES] = 1;
	return 0;
}

/* Reclaims the file's pages: one pass, one generation. Returns how many pages stayed. */
long cell_pageout(struct cell *cell, long unused)
{
	if (madvise(cell->map, cell->pages * PAGE_BYTES, MADV_PAGEOUT))
		die_environment("MADV_PAGEOUT: %s", strerror(errno));
	return cell_present(cell, unused);
}

/* A full flush of the process, wherever it runs. */
long cell_flush(struct cell *cell, long unused)
{
	(void)unused;
	if (mprotect(cell->scratch, FLUSH_PAGES * PAGE_BYTES, PROT_READ))
		die_environment("mprotect: %s", strerror(errno));
	return 0;
}

/*
 * A flush of one page: a write replaces the zero page. Nothing walks the page table that
 * would flush everything.
 */
long cell_flush_page(struct cell *cell, long unused)
{
	(void)unused;
	*(volatile char *)cell->zero = 1;
	return 0;
}

static bool cell_had(const struct cell *cell, uint64_t frame)
{
	size_t i;

	for (i = 0; i < cell->pages; i++)
		if (cell->frames[i] == frame)
			return true;
	return false;
}

/*
 * Uses anonymous pages until @hits of them are former pages of the file, or until it has
 * tried often enough. Returns how many were.
 */
long cell_reuse(struct cell *cell, long hits)
{
	long found = 0, tries = 0;

	while (found < hits && tries++ < 2048 && cell->anon_used < ANON_PAGES) {
		char *page = cell->anon + cell->anon_used++ * PAGE_BYTES;

		*(volatile char *)page = 1;
		found += cell_had(cell, pagemap_entry(cell->pagemap, page) &
				  PAGEMAP_FRAME);
	}
	return found;
}
