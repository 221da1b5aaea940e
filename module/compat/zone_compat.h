/* SPDX-License-Identifier: GPL-2.0-only */
/* Free pages of a zone that not everybody may have. */
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

#endif /* TLBBATCH_COMPAT_ZONE_H */
