/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of a node's memory may be held back. */
#ifndef TLBBATCH_DEFER_ROOM_H
#define TLBBATCH_DEFER_ROOM_H

#include <linux/types.h>

void tlbbatch_defer_range_sought(void);
bool tlbbatch_defer_has_room(int nid, const unsigned long *held, const unsigned int *pages,
			     unsigned long batch);
bool tlbbatch_defer_could_have_room(int nid, const unsigned int *pages, unsigned long batch);
bool tlbbatch_defer_lacks_memory(int nid, const unsigned long *held, unsigned long batch);

#endif /* TLBBATCH_DEFER_ROOM_H */
