// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which pages wait in a batch of the module's. Its counter alone doesn't tell: reclaim
 * takes other pages of the process, too, and few at a time.
 */
#include "module.h"
#include "swap.h"
#include "waiting.h"

/* Documentation/admin-guide/mm/pagemap.rst */
#define SWAP_TYPE		31ULL
#define MIN_MAX_SWAPFILES	23	/* the least that any configuration has */

/*
 * Unmapped by reclaim. An entry of a page that is being migrated, as all of a huge
 * page's are while it is split, looks like one that was swapped out, to a device that
 * can't exist. A page of shared memory leaves no entry; nor does an anonymous one that
 * was never there, but of that mincore() knows.
 */
static bool is_out(uint64_t entry)
{
	if (entry & PAGEMAP_PRESENT)
		return false;
	return !(entry & PAGEMAP_SWAPPED) || (entry & SWAP_TYPE) < MIN_MAX_SWAPFILES;
}

struct looks {
	unsigned char *there;
	uint64_t *entries;
};

/* In memory still (mincore() looks into the swap cache): one that isn't was written. */
static size_t first_that_waits(int pagemap, const void *base, size_t pages,
			       const struct looks *looks)
{
	size_t bytes = pages * sizeof(*looks->entries), page;
	off_t first = (off_t)((uintptr_t)base / PAGE_BYTES * sizeof(*looks->entries));

	if (mincore((void *)base, pages * PAGE_BYTES, looks->there))
		die_environment("mincore: %s", strerror(errno));
	if (pread(pagemap, looks->entries, bytes, first) != (ssize_t)bytes)
		die_environment("pagemap: %s", strerror(errno));
	for (page = 0; page < pages; page++)
		if (looks->there[page] & 1 && is_out(looks->entries[page]))
			break;
	return page;
}

/**
 * page_that_waits() - wait until a page of a range waits
 * @base:	start of the range, anonymous or shared memory
 * @pages:	its length in pages, all of which were written to
 * @ms:		end the program if there is none by then
 *
 * While a batch fills up, a folio waits for microseconds. So a page counts only while the
 * module is in the delay before a flush.
 *
 * Return: the first such page, counted from @base.
 */
size_t page_that_waits(const void *base, size_t pages, unsigned int ms)
{
	struct looks looks = {
		.there = malloc(pages),
		.entries = malloc(pages * sizeof(*looks.entries)),
	};
	int pagemap = open_pagemap();
	uint64_t start = now_ns();
	size_t page = pages;

	if (!looks.there || !looks.entries)
		die_environment("no memory");
	for (;;) {
		if (passes_in_delay())
			page = first_that_waits(pagemap, base, pages, &looks);
		if (page < pages)
			break;
		if (seconds_since(start) * 1000 > ms)
			die_environment("no folio waited within %u ms", ms);
		sleep_ms(1);
	}
	close(pagemap);
	free(looks.entries);
	free(looks.there);
	return page;
}
