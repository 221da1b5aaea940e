/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a zone's pages not everybody may have. */
#ifndef TLBBATCH_COMPAT_ZONE_H
#define TLBBATCH_COMPAT_ZONE_H

#include <linux/mmzone.h>
#include "probed.h"

/* Before they were counted, all that are reserved may be free. */
static inline unsigned long compat_free_highatomic(const struct zone *zone)
{
#ifdef TLBBATCH_HAVE_ZONE_FREE_HIGHATOMIC
	return READ_ONCE(zone->nr_free_highatomic);
#else
	return READ_ONCE(zone->nr_reserved_highatomic);
#endif
}

/* Are blocks of it being taken out of use, or given to one caller? */
static inline bool compat_zone_isolates(const struct zone *zone)
{
#ifdef CONFIG_MEMORY_ISOLATION
	return READ_ONCE(zone->nr_isolate_pageblock);
#else
	return false;
#endif
}

#endif /* TLBBATCH_COMPAT_ZONE_H */
