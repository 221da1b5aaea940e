// SPDX-License-Identifier: GPL-2.0-only
/* How much of a node's memory may be held back: rule D5. The zones are read, and the policy asked. */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include "compat/zone_compat.h"
#include "luf/luf_defer_policy.h"
#include "luf/luf_defer_room.h"

/* When somebody last began to seek a large range, in jiffies. */
static unsigned long sought_at;

/**
 * tlbbatch_defer_range_sought() - somebody begins to seek a large range of memory
 *
 * Rule D6: as if blocks of all zones were isolated, for TLBBATCH_DEFER_SOUGHT_MS. A pass that has taken
 * its room by then isn't bound by it.
 *
 * Context: any.
 */
void tlbbatch_defer_range_sought(void)
{
	WRITE_ONCE(sought_at, jiffies);
}

static bool range_is_sought(void)
{
	return time_before(jiffies, READ_ONCE(sought_at) + msecs_to_jiffies(TLBBATCH_DEFER_SOUGHT_MS));
}

/* As the allocator counts free pages for most allocations: __zone_watermark_unusable_free(). */
static struct tlbbatch_defer_zone facts_of(struct zone *zone, unsigned long held)
{
	return (struct tlbbatch_defer_zone){
		.free = zone_page_state(zone, NR_FREE_PAGES),
		.reserved = zone_page_state(zone, NR_FREE_CMA_PAGES) + compat_free_highatomic(zone),
		.min = min_wmark_pages(zone),
		.low = low_wmark_pages(zone),
		.high = high_wmark_pages(zone),
		.held = held,
		.isolates = compat_zone_isolates(zone) || range_is_sought(),
	};
}

/**
 * tlbbatch_defer_has_room() - may so many pages more be held back?
 * @nid: the node
 * @held: pages of each zone that are held back already
 * @pages: how many more of each
 * @batch: luf/batch, in pages
 *
 * Nothing of the DMA zone may be: it is small, and its pages are few.
 *
 * Context: any.
 */
bool tlbbatch_defer_has_room(int nid, const unsigned long *held, const unsigned int *pages,
			     unsigned long batch)
{
	struct zone *zones = NODE_DATA(nid)->node_zones;
	unsigned int i;

	for (i = 0; i < MAX_NR_ZONES; i++) {
		struct tlbbatch_defer_zone facts;

		if (!pages[i])
			continue;
#ifdef CONFIG_ZONE_DMA
		if (i == ZONE_DMA)
			return false;
#endif
		facts = facts_of(&zones[i], READ_ONCE(held[i]));
		if (pages[i] > tlbbatch_defer_room(&facts, batch))
			return false;
	}
	return true;
}

/**
 * tlbbatch_defer_could_have_room() - would so many pages have room, if nothing were held back?
 * @nid: the node
 * @pages: how many of each zone
 * @batch: luf/batch, in pages
 *
 * Context: any. Return: false if a flush for what is held back makes no room for these.
 */
bool tlbbatch_defer_could_have_room(int nid, const unsigned int *pages, unsigned long batch)
{
	static const unsigned long nothing[MAX_NR_ZONES];

	return tlbbatch_defer_has_room(nid, nothing, pages, batch);
}

/**
 * tlbbatch_defer_lacks_memory() - is more of a zone held back than may be by now?
 * @nid: the node
 * @held: pages of each zone that are held back
 * @batch: luf/batch, in pages
 *
 * Context: any.
 */
bool tlbbatch_defer_lacks_memory(int nid, const unsigned long *held, unsigned long batch)
{
	struct zone *zones = NODE_DATA(nid)->node_zones;
	unsigned int i;

	for (i = 0; i < MAX_NR_ZONES; i++) {
		struct tlbbatch_defer_zone facts;

		if (!populated_zone(&zones[i]) || !READ_ONCE(held[i]))
			continue;
		facts = facts_of(&zones[i], READ_ONCE(held[i]));
		if (tlbbatch_defer_is_over(&facts, batch))
			return true;
	}
	return false;
}
