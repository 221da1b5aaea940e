// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_gone - does a CPU go on reading a huge page that reclaim has freed?
 *
 * If a page is freed before every CPU has forgotten its entry, a CPU reads what is somebody else's
 * memory by then. Nobody loses a store by that: a CPU that only read must look at the entry before it
 * stores. So programs that look for lost stores don't notice.
 *
 * Here a huge page is given up by MADV_FREE, and paged out, while threads on the other CPUs read it all
 * the time. A page that isn't in its frame any more, and that one who hasn't looked before finds
 * empty, has gone. Its reader must find zeros from then on.
 */
#include "common.h"
#include "supervise.h"
#include "swap.h"

#define HUGE_PAGES	(HUGE_BYTES / PAGE_BYTES)
#define TRIES		50
/* A look that begins after something was seen is the third from then on: the first had begun. */
#define LOOKS		3

/* Each reader writes to a cache line of its own. */
static struct reader {
	uint64_t looks, rests, found;
	unsigned int page;
	int cpu;
} __attribute__((aligned(64))) readers[MAX_CPUS];

static unsigned int nr_readers;
static bool reads, over;
static char *base;

static volatile uint64_t *word_of(unsigned int page)
{
	return (volatile uint64_t *)(base + page * PAGE_BYTES);
}

/* No system call: on the way back from one, the CPU may forget entries. */
static void *read_on(void *self)
{
	struct reader *reader = self;

	pin_self(reader->cpu);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		if (!__atomic_load_n(&reads, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&reader->rests, reader->rests + 1, __ATOMIC_RELEASE);
			continue;
		}
		__atomic_store_n(&reader->found, *word_of(reader->page), __ATOMIC_RELEASE);
		__atomic_store_n(&reader->looks, reader->looks + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Wait until @count has grown by @by. */
static void wait_for(const uint64_t *count, unsigned int by)
{
	uint64_t from = value_of(count);

	while (value_of(count) < from + by)
		sched_yield();
}

static void let_rest(void)
{
	unsigned int i;

	__atomic_store_n(&reads, false, __ATOMIC_RELEASE);
	for (i = 0; i < nr_readers; i++)
		wait_for(&readers[i].rests, 2);
}

static void let_read(void)
{
	unsigned int i;

	__atomic_store_n(&reads, true, __ATOMIC_RELEASE);
	for (i = 0; i < nr_readers; i++)
		wait_for(&readers[i].looks, LOOKS);
}

/* A huge page that was given up. Nobody looks at it yet. */
static bool prepare(void)
{
	unsigned int page;
	bool is_huge;

	if (mmap(base, HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	madvise(base, HUGE_BYTES, MADV_HUGEPAGE);
	for (page = 0; page < HUGE_PAGES; page++)
		*word_of(page) = page + 1;
	is_huge = smaps_huge(base, HUGE_PAGES) >= HUGE_PAGES;
	if (madvise(base, HUGE_BYTES, MADV_FREE))
		die_environment("MADV_FREE: %s", strerror(errno));
	return is_huge;
}

/* Where the page is; 0 if it is nowhere. */
static uint64_t frame_of(int pagemap, unsigned int page)
{
	uint64_t entry = pagemap_entry(pagemap, base + page * PAGE_BYTES);

	return entry & PAGEMAP_PRESENT ? entry & PAGEMAP_FRAME : 0;
}

/* Has the page of @reader gone, and is it read all the same? */
static bool is_stale(struct reader *reader)
{
	/* This thread hasn't looked since MADV_FREE. If it finds something, the page was only moved. */
	if (*word_of(reader->page))
		return false;
	wait_for(&reader->looks, LOOKS);
	return value_of(&reader->found);
}

struct counts {
	uint64_t rounds, huge, gone, stale;
};

static void go(int pagemap, struct counts *counts)
{
	uint64_t frames[MAX_CPUS];
	unsigned int tries, i;
	bool any = false;

	let_rest();
	counts->huge += prepare();
	let_read();
	for (i = 0; i < nr_readers; i++) {
		frames[i] = frame_of(pagemap, readers[i].page);
		if (!frames[i])
			return;	/* Reclaim was first. */
	}
	for (tries = 0; tries < TRIES && !any; tries++) {
		madvise(base, HUGE_BYTES, MADV_PAGEOUT);
		for (i = 0; i < nr_readers; i++) {
			if (frame_of(pagemap, readers[i].page) == frames[i])
				continue;
			any = true;
			counts->gone++;
			counts->stale += is_stale(&readers[i]);
		}
	}
	counts->rounds++;
}

int main(int argc, char **argv)
{
	unsigned int seconds, nr_cpus, i;
	struct counts counts = { 0 };
	int cpus[MAX_CPUS], pagemap;
	pthread_t thread;
	uint64_t end;

	if (argc != 2)
		die_usage("read_gone SECONDS");
	seconds = parse_number("SECONDS", argv[1], 1, 36000);
	nr_cpus = usable_cpus(cpus, MAX_CPUS);
	if (nr_cpus < 2)
		die_environment("needs two CPUs");
	start_watchdog(seconds * 5 + 120);
	pagemap = open_pagemap();
	base = map_huge(HUGE_BYTES);
	pin_self(cpus[0]);
	nr_readers = nr_cpus - 1;
	for (i = 0; i < nr_readers; i++) {
		readers[i].cpu = cpus[i + 1];
		readers[i].page = (i * 173 + 1) % HUGE_PAGES;
		start_thread(&thread, read_on, &readers[i]);
	}
	end = now_ns() + seconds * NSEC_PER_SEC;
	while (now_ns() < end && !stress_stop)
		go(pagemap, &counts);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	say(STDOUT_FILENO, "rounds=%" PRIu64 " huge=%" PRIu64 " gone=%" PRIu64 " stale=%" PRIu64 "\n",
	    counts.rounds, counts.huge, counts.gone, counts.stale);
	return counts.stale ? STRESS_DATA_ERROR : STRESS_OK;
}
