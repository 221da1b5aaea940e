// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which open generation holds a page frame: two bytes for each frame of the
 * machine, so that an allocation is looked up by one load, without a lock.
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "luf/luf_alloc.h"
#include "luf/luf_index.h"
#include "luf/luf_pages.h"

/*
 * Slot + 1, or 0. An entry may be stale, which the generation's word tells. Look-ups
 * don't write. Whoever reaps a generation clears that generation's entries alone.
 */
u16 *tlbbatch_luf_frames;
unsigned long tlbbatch_luf_nr_frames;

static_assert(TLBBATCH_LUF_GENERATIONS < U16_MAX);

/**
 * tlbbatch_luf_index_init() - make it, for all memory that there is now
 *
 * Context: process context, may sleep. Return: 0 or -ENOMEM.
 */
int tlbbatch_luf_index_init(void)
{
	unsigned long nr = 0;
	int nid;

	for_each_online_node(nid)
		nr = max(nr, node_end_pfn(nid));
	tlbbatch_luf_nr_frames = nr;
	tlbbatch_luf_frames = tlbbatch_luf_alloc(nr, sizeof(u16));
	return tlbbatch_luf_frames ? 0 : -ENOMEM;
}

/**
 * tlbbatch_luf_index_exit() - free it
 *
 * Context: process context; nobody tracks any more.
 */
void tlbbatch_luf_index_exit(void)
{
	vfree(tlbbatch_luf_frames);
	tlbbatch_luf_frames = NULL;
}

/**
 * tlbbatch_luf_index_holds() - has the index room for these page frames?
 * @pfn: the first
 * @nr: how many
 *
 * Return: false for memory that was plugged in later.
 */
bool tlbbatch_luf_index_holds(unsigned long pfn, unsigned int nr)
{
	return pfn < tlbbatch_luf_nr_frames && nr <= tlbbatch_luf_nr_frames - pfn;
}

static bool set(unsigned long pfn, unsigned int nr, void *entry)
{
	while (nr--)
		WRITE_ONCE(tlbbatch_luf_frames[pfn++], *(u16 *)entry);
	return true;
}

static bool clear(unsigned long pfn, unsigned int nr, void *entry)
{
	/* Another generation may be about to enter the same frame. */
	for (; nr--; pfn++)
		cmpxchg(&tlbbatch_luf_frames[pfn], *(u16 *)entry, 0);
	return true;
}

/**
 * tlbbatch_luf_index_set() - enter a generation's pages
 * @pages: they; none is free yet
 * @slot: its slot
 *
 * Context: any, no lock: nobody looks them up before they are free.
 */
void tlbbatch_luf_index_set(const struct tlbbatch_luf_pages *pages,
			    unsigned int slot)
{
	u16 entry = slot + 1;

	tlbbatch_luf_pages_all(pages, set, &entry);
}

/**
 * tlbbatch_luf_index_clear() - take them out again
 * @pages: they
 * @slot: the slot
 *
 * Context: the one who reaps the generation.
 */
void tlbbatch_luf_index_clear(const struct tlbbatch_luf_pages *pages,
			      unsigned int slot)
{
	u16 entry = slot + 1;

	tlbbatch_luf_pages_all(pages, clear, &entry);
}

/**
 * tlbbatch_luf_index_visit() - find the generations that hold page frames
 * @pfn: the first
 * @nr: how many
 * @visit: called with each slot found, the frame that it was found at, and the
 *	range; more than once perhaps
 *
 * Context: any, also NMI.
 */
void tlbbatch_luf_index_visit(unsigned long pfn, unsigned int nr,
			      void (*visit)(unsigned int slot, unsigned long hit,
					    unsigned long pfn, unsigned int nr))
{
	unsigned long i, last = 0;

	if (unlikely(pfn >= tlbbatch_luf_nr_frames))
		return;
	nr = min_t(unsigned long, nr, tlbbatch_luf_nr_frames - pfn);
	if (nr > 8 &&
	    !memchr_inv(&tlbbatch_luf_frames[pfn], 0, nr * sizeof(u16)))
		return;
	for (i = pfn; i < pfn + nr; i++) {
		unsigned int entry = READ_ONCE(tlbbatch_luf_frames[i]);

		if (likely(!entry) || entry == last)
			continue;
		last = entry;
		visit(entry - 1, i, pfn, nr);
	}
}

/**
 * tlbbatch_luf_index_is() - is a page frame in this slot?
 * @pfn: the frame, as visited
 * @slot: the slot
 *
 * Context: any, also NMI.
 */
bool tlbbatch_luf_index_is(unsigned long pfn, unsigned int slot)
{
	return READ_ONCE(tlbbatch_luf_frames[pfn]) == slot + 1;
}
