// SPDX-License-Identifier: GPL-2.0-only
/*
 * UFFDIO_MOVE of a page whose folio waits for its flush.
 *
 * A writer stores a growing number to the source without pause, from a CPU of its own.
 * Another thread swaps the page out (MADV_PAGEOUT). A debug build of the module then lets
 * the folio wait, unlocked, before it flushes. As soon as the page table says "swapped",
 * the page is moved. Nobody stores to the destination, so the page must not change there. A
 * store that arrives there came through a stale TLB entry of the source.
 *
 * The writer may lose its TLB entry by chance. It then faults the page in again, and
 * UFFDIO_MOVE may move a page that is mapped. Such a move isn't counted in "moves".
 *
 * The last line reads "moves=N stale=N tries=N mapped=N". Exit 0: nothing stale; 1: stale
 * stores; 3: no UFFDIO_MOVE here, or no page could be moved.
 */
#include "uffd.h"

#define WATCH_MS	30
/* More pages than a CPU keeps in its list before it puts them on an LRU. */
#define SCRATCH_PAGES	64

static volatile uint64_t *source, *target;
static volatile bool stop, page_out;
static volatile unsigned long round_nr, round_ready;

/*
 * Another CPU can't isolate a page that this CPU has just faulted in before the page is on
 * an LRU list. Faulting in more pages pushes it there.
 */
static void come_to_a_page(char *scratch)
{
	unsigned int i;

	*source = 0;
	madvise(scratch, SCRATCH_PAGES * PAGE_BYTES, MADV_DONTNEED);
	for (i = 0; i < SCRATCH_PAGES; i++)
		scratch[i * PAGE_BYTES] = 1;
}

static void *writer(void *scratch)
{
	uint64_t number = 0;

	pin_self(1);
	while (!stop) {
		if (round_ready != round_nr) {
			come_to_a_page(scratch);
			round_ready = round_nr;
		}
		*source = ++number;
	}
	return NULL;
}

static void *reclaimer(void *unused)
{
	(void)unused;
	pin_self(2);
	while (!stop) {
		if (!page_out) {
			sched_yield();
			continue;
		}
		madvise((void *)source, PAGE_BYTES, MADV_PAGEOUT);
		page_out = false;
	}
	return NULL;
}

/* The page table entry of @page is a swap entry. */
static bool swapped(int pagemap, volatile uint64_t *page)
{
	uint64_t entry = 0;

	if (pread(pagemap, &entry, sizeof(entry),
		  (uintptr_t)page / PAGE_BYTES * sizeof(entry)) != sizeof(entry))
		return false;
	return entry >> 62 & 1;
}

/* For a swap entry, mincore() says whether the swap cache has its folio. */
static bool in_swap_cache(int pagemap, volatile uint64_t *page)
{
	unsigned char resident = 0;

	return swapped(pagemap, page) &&
	       !mincore((void *)page, PAGE_BYTES, &resident) && resident & 1;
}

static void *map_pages(unsigned int nr)
{
	/* A page of space lies around them: no huge page, and no neighbour to be merged with. */
	char *map = mmap(NULL, (nr + 2) * PAGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map + PAGE_BYTES;
}

static int open_uffd(void)
{
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)target, .len = PAGE_BYTES },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = uffd_open(UFFD_FEATURE_MOVE);

	if (fd < 0 || ioctl(fd, UFFDIO_REGISTER, &reg))
		return -1;
	return fd;
}

enum outcome { NOT_MOVED, MOVED_MAPPED, MOVED_WAITING };

/* One page: how it was moved; *@stale if it changed. */
static enum outcome one(int uffd, int pagemap, bool *stale)
{
	struct uffdio_move move = {
		.dst = (uintptr_t)target,
		.src = (uintptr_t)source,
		.len = PAGE_BYTES,
	};
	enum outcome outcome = NOT_MOVED;
	uint64_t before;
	bool waits;
	int ret;

	page_out = true;
	while (page_out && !stop) {
		if (!swapped(pagemap, source))
			continue;
		ret = ioctl(uffd, UFFDIO_MOVE, &move);
		if (ret) {
			move.move = 0;
			continue;
		}
		/* This must come before the read, which faults the page in. */
		waits = in_swap_cache(pagemap, target);
		before = *target;
		sleep_ms(WATCH_MS);
		/* The move counts only if the drain still sleeps. */
		if (page_out)
			outcome = waits ? MOVED_WAITING : MOVED_MAPPED;
		*stale = *target != before;
		break;
	}
	while (page_out)
		sched_yield();
	madvise((void *)target, PAGE_BYTES, MADV_DONTNEED);
	return outcome;
}

int main(int argc, char **argv)
{
	unsigned long seconds = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
	unsigned long outcomes[3] = { 0 }, stale = 0, tries = 0;
	pthread_t threads[2];
	int uffd, pagemap;
	void *scratch;
	time_t end;

	source = map_pages(1);
	target = map_pages(1);
	scratch = map_pages(SCRATCH_PAGES);
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uffd = source && target && scratch ? open_uffd() : -1;
	if (uffd < 0 || pagemap < 0) {
		printf("no UFFDIO_MOVE: %s\n", strerror(errno));
		return STRESS_ENVIRONMENT;
	}
	pin_self(0);
	if (pthread_create(&threads[0], NULL, writer, scratch) ||
	    pthread_create(&threads[1], NULL, reclaimer, NULL))
		return STRESS_ENVIRONMENT;

	end = time(NULL) + (time_t)seconds;
	while (time(NULL) < end) {
		bool changed = false;

		round_nr++;
		while (round_ready != round_nr)
			sched_yield();
		tries++;
		outcomes[one(uffd, pagemap, &changed)]++;
		stale += changed;
	}
	stop = true;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("moves=%lu stale=%lu tries=%lu mapped=%lu\n", outcomes[MOVED_WAITING], stale,
	       tries, outcomes[MOVED_MAPPED]);
	if (stale)
		return STRESS_DATA_ERROR;
	return outcomes[MOVED_WAITING] ? STRESS_OK : STRESS_ENVIRONMENT;
}
