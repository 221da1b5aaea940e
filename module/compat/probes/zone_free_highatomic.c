// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.13, and 6.12 of the stable series: a zone counts how many of the pages that are reserved for atomic
 * allocations are free ("mm/page_alloc: keep track of free highatomic").
 */
#include <linux/mmzone.h>

unsigned long probe(const struct zone *zone)
{
	return zone->nr_free_highatomic;
}
