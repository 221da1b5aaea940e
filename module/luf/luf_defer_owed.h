/* SPDX-License-Identifier: GPL-2.0-only */
/* What is held back, and the flushes that are owed for it. */
#ifndef TLBBATCH_DEFER_OWED_H
#define TLBBATCH_DEFER_OWED_H

#include <linux/list.h>
#include <linux/mmzone.h>
#include <linux/types.h>
#include "luf/luf_defer_counters.h"

int tlbbatch_owed_init(void);
void tlbbatch_owed_exit(void);
bool tlbbatch_owed_has(int nid);
bool tlbbatch_owed_reserve(int nid, const unsigned int *pages, unsigned long batch);
void tlbbatch_owed_add(int nid, struct list_head *folios, const unsigned int *pages,
		       unsigned long *files);
bool tlbbatch_owed_is_full(int nid, unsigned long batch);
void tlbbatch_owed_release(int nid, enum tlbbatch_defer_counter cause);
void tlbbatch_owed_release_all(enum tlbbatch_defer_counter cause);
void tlbbatch_owed_release_if_low(int nid);
void tlbbatch_owed_event(enum tlbbatch_defer_counter cause);
u64 tlbbatch_owed_held(void);

#endif /* TLBBATCH_DEFER_OWED_H */
