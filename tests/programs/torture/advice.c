// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kinds that leave the pages' content as it is: advice, locks, guards. The shadow may store
 * meanwhile.
 */
#include "torture.h"

/* Newer than some of the headers that this is built with. */
#define MADVISE_GUARD_INSTALL	102
#define MADVISE_GUARD_REMOVE	103
#define MADVISE_COLLAPSE	25

#define STORES_MS	200	/* of one operation of the kind stores, at least */
#define STORES_ROUNDS	12	/* and this many rounds, unless it takes ten times as long */

enum effect {
	EFFECT_CALLED,	/* the call says so */
	EFFECT_GONE,	/* a page isn't mapped any more */
	EFFECT_THERE,	/* each page is mapped */
};

/* A range is a whole huge page if that is what the advice is about. */
static const struct advice {
	const char *name;
	int advice, undo;
	enum effect effect;
	bool out_first;
	bool whole;
} advices[ADVICE_ROWS] = {
	[ADVICE_PAGEOUT] = { "MADV_PAGEOUT", MADV_PAGEOUT, 0, EFFECT_GONE, false, false },
	[ADVICE_COLD] = { "MADV_COLD", MADV_COLD, 0, EFFECT_CALLED, false, false },
	[ADVICE_WILLNEED] = { "MADV_WILLNEED", MADV_WILLNEED, 0, EFFECT_CALLED, true, false },
	[ADVICE_POPULATE] = { "MADV_POPULATE_WRITE", MADV_POPULATE_WRITE, 0, EFFECT_THERE,
			      true, false },
	[ADVICE_COLLAPSE] = { "MADV_COLLAPSE", MADVISE_COLLAPSE, 0, EFFECT_CALLED, false, true },
	[ADVICE_HUGE] = { "MADV_HUGEPAGE", MADV_HUGEPAGE, MADV_NOHUGEPAGE, EFFECT_CALLED,
			  false, false },
	[ADVICE_NOHUGE] = { "MADV_NOHUGEPAGE", MADV_NOHUGEPAGE, MADV_HUGEPAGE, EFFECT_CALLED,
			    true, false },
};

static const int madvise_usual[] = { EAGAIN, EBUSY, ENOMEM, EINTR, EINVAL, EFAULT, 0 };

bool act_read(struct worker *worker, int argument)
{
	size_t length, first = pick_range(worker, &length);

	(void)argument;
	check_range(worker, first, length, "read");
	return true;
}

static size_t pages_there(const struct worker *worker, size_t first, size_t length)
{
	return pagemap_count(worker->run->pagemap, page_at(worker, first), length,
			     PAGEMAP_PRESENT);
}

bool act_advise(struct worker *worker, int row)
{
	const struct advice *advice = &advices[row];
	size_t length, first = race_begin(worker, &length), from = first, pages = length, there;
	bool done;

	if (advice->whole) {
		pages = HUGE_BYTES / PAGE_BYTES;
		from -= from % pages;
	}
	if (advice->out_first)
		madvise(page_at(worker, first), length * PAGE_BYTES, MADV_PAGEOUT);
	done = !madvise(page_at(worker, from), pages * PAGE_BYTES, advice->advice);
	if (!done)
		refused(advice->name, madvise_usual);
	there = pages_there(worker, from, pages);
	if (advice->effect == EFFECT_GONE)
		done = done && there < pages;
	else if (advice->effect == EFFECT_THERE)
		done = done && there == pages;
	if (advice->undo)
		madvise(page_at(worker, from), pages * PAGE_BYTES, advice->undo);
	race_end(worker, first, length, advice->name);
	return done;
}

static bool stores_over(uint64_t start, unsigned int rounds)
{
	uint64_t ms = (now_ns() - start) / NSEC_PER_MSEC;

	return stress_stop || ms > 10 * STORES_MS || (ms > STORES_MS && rounds >= STORES_ROUNDS);
}

/*
 * The pages are paged out again and again while the shadow stores to them, most of them at
 * once, so that a batch isn't full. At times this hand reads them in between. Then they are
 * mapped clean, too.
 */
bool act_stores(struct worker *worker, int argument)
{
	size_t length = 2 * RANGE_PAGES, first, gone = 0, i;
	unsigned int rounds = 0;
	uint64_t start;

	(void)argument;
	first = rng_below(&worker->rng, worker->pages - length);
	worker->hot = first;
	check_range(worker, first, length, "before racing stores");
	shadow_start(worker, first, length, false);
	start = now_ns();
	do {
		size_t count = rng_one_in(&worker->rng, 8) ? 1 :
			       RANGE_PAGES + rng_below(&worker->rng, RANGE_PAGES);
		size_t at = rng_below(&worker->rng, length - count + 1);

		madvise(page_at(worker, first + at), count * PAGE_BYTES, MADV_PAGEOUT);
		gone += length - pages_there(worker, first, length);
		for (i = first; !(rounds & 3) && i < first + length; i++)
			__atomic_load_n((uint64_t *)page_at(worker, i), __ATOMIC_RELAXED);
		rounds++;
	} while (!stores_over(start, rounds));
	shadow_stop();
	madvise(page_at(worker, first), length * PAGE_BYTES, MADV_PAGEOUT);
	check_range(worker, first, length, "racing stores");
	return gone > 0;
}

/* The kernel itself must not get at a guarded page, from any CPU. */
static void check_guarded(struct worker *worker, size_t page)
{
	uint64_t word;
	struct iovec to = { &word, sizeof(word) };
	struct iovec from = { page_at(worker, page), sizeof(word) };
	struct page_fault fault = { .word = 0 };

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0)
		return;
	fault.found = word;
	lost("a guarded page could be read", from.iov_base, &fault, sizeof(word));
}

/* Guards take private pages away. Those of a file are there again afterwards. */
bool act_guard(struct worker *worker, int argument)
{
	size_t length, first = pick_range(worker, &length), i;
	void *address = page_at(worker, first);

	(void)argument;
	warm_range(worker, first, length, "before guards");
	if (madvise(address, length * PAGE_BYTES, MADVISE_GUARD_INSTALL)) {
		refused("MADV_GUARD_INSTALL", madvise_usual);
		/* Some of the range may have been zapped. */
		madvise(address, length * PAGE_BYTES, MADVISE_GUARD_REMOVE);
		if (worker->fd < 0 && !madvise(address, length * PAGE_BYTES, MADV_DONTNEED))
			for (i = first; i < first + length; i++)
				renew_zero_page(worker, i);
		return false;
	}
	for (i = first; i < first + length; i++)
		check_guarded(worker, i);
	if (madvise(address, length * PAGE_BYTES, MADVISE_GUARD_REMOVE))
		die_environment("MADV_GUARD_REMOVE: %s", strerror(errno));
	for (i = first; worker->fd < 0 && i < first + length; i++)
		renew_zero_page(worker, i);
	check_range(worker, first, length, "after guards");
	return true;
}

/* Locked pages stay. (Other tasks may migrate them, so a page may be absent for a moment.) */
bool act_lock(struct worker *worker, int argument)
{
	static const int usual[] = { EAGAIN, ENOMEM, EINTR, 0 };
	size_t length, first = race_begin(worker, &length);
	void *address = page_at(worker, first);
	bool done;

	(void)argument;
	madvise(address, length * PAGE_BYTES, MADV_PAGEOUT);
	done = !mlock(address, length * PAGE_BYTES);
	if (!done)
		refused("mlock", usual);
	/* EINVAL: locked pages can't be paged out. */
	madvise(address, length * PAGE_BYTES, MADV_PAGEOUT);
	done = done && pages_there(worker, first, length) == length;
	munlock(address, length * PAGE_BYTES);
	race_end(worker, first, length, "mlock");
	return done;
}

static const char *advice_missing(int advice, const char *reason)
{
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool missing;

	if (page == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	missing = madvise(page, PAGE_BYTES, advice) && errno == EINVAL;
	munmap(page, PAGE_BYTES);
	return missing ? reason : NULL;
}

const char *cannot_guard(void)
{
	return advice_missing(MADVISE_GUARD_INSTALL, "this kernel has no MADV_GUARD_INSTALL");
}

const char *cannot_collapse(void)
{
	unsigned char *base = runs[SORT_HUGE].workers[0].base;

	/* Elsewhere, or without a page, EINVAL only says that the place isn't fit. */
	*base = 0;
	return madvise(base, HUGE_BYTES, MADVISE_COLLAPSE) && errno == EINVAL ? "this kernel has no MADV_COLLAPSE" : NULL;
}
