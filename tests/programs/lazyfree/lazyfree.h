/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Huge pages that MADV_FREE gives up, and what happens to them before they are reclaimed.
 */
#ifndef LAZYFREE_H
#define LAZYFREE_H

#include "common.h"
#include "rng.h"

#define HUGE_PAGES	(HUGE_BYTES / PAGE_BYTES)

/**
 * struct huge - a huge page of a worker
 * @base: where it is now; others page it out from there
 * @home: where it is between rounds
 * @spare: room for one more, registered for userfaultfd if @uffd is there
 * @version: of what is in it; each round has a new one
 * @fresh: the pages that were written again behind MADV_FREE, and what must be there
 * @like: such a page has what that page would have
 * @touched: are any?
 * @effect: did its way lead to what it is for?
 * @given_up: since MADV_FREE: only then it is paged out
 * @by_cgroup: of its way
 * @rng: the worker's
 * @pagemap: /proc/self/pagemap
 * @ends: of a pipe that has a page, or -1
 * @uffd: the worker's userfaultfd, or -1
 * @file: a file for O_DIRECT, or -1
 * @buffer: of a page, for that
 */
struct huge {
	char *base;
	char *home;
	char *spare;
	uint64_t version;
	uint64_t fresh[HUGE_PAGES];
	uint16_t like[HUGE_PAGES];
	bool touched;
	bool effect;
	bool given_up;
	bool by_cgroup;
	struct rng *rng;
	int pagemap;
	int ends[2];
	int uffd;
	int file;
	void *buffer;
};

/**
 * struct way - one that memory can go
 * @name: for --ways
 * @prepare: before MADV_FREE; false if this kernel can't; or NULL
 * @act: behind it; writes to pages by write_again(), if the page is to be touched. It sets @effect
 * @finish: when all was checked, undoes it; or NULL
 * @lasts: the memory stays a huge page that can be discarded, so one that isn't touched must go
 * @by_cgroup: reclaim comes by memory.reclaim only. MADV_PAGEOUT of 6.1 reads an entry, makes it
 *	invalid if it was used, and puts back what it had read: it forgets a store in between. The
 *	fault of a hint makes an entry used just before the store.
 * @is_short: a pin that writes, and that the kernel doesn't mark: it may lose as much as without
 *	the module
 */
struct way {
	const char *name;
	bool (*prepare)(struct huge *huge);
	void (*act)(struct huge *huge);
	void (*finish)(struct huge *huge);
	bool lasts;
	bool by_cgroup;
	bool is_short;
};

extern const struct way ways[];
extern const unsigned int nr_ways;

/* main.c */
void write_page_like(struct huge *huge, unsigned int page, unsigned int other);
void write_page_again(struct huge *huge, unsigned int page);
void write_again(struct huge *huge);
/* Check all that is known, and count what is wrong. True if nothing is. */
bool verify(struct huge *huge);
/* Somebody else has found a page that is lost. */
void count_lost(void);
/* Let reclaim go over it some times. */
void be_paged_out(void);
/* The same, and what MADV_PAGEOUT passes over as well: pages that several processes have. */
void be_reclaimed(void);
/* Let it go over the others only; and over this one, too, again. */
void be_left_alone(struct huge *huge);
void be_given_up(struct huge *huge);
/* The same until nothing of it is there any more, so many times at most. */
bool be_gone(struct huge *huge, unsigned int tries);
bool is_over(void);
void fail(const char *what);

#endif
