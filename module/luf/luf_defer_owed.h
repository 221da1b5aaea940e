/* SPDX-License-Identifier: GPL-2.0-only */
/* What is held back, and the flushes that are owed for it. */
#ifndef TLBBATCH_DEFER_OWED_H
#define TLBBATCH_DEFER_OWED_H

#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mmzone.h>
#include <linux/types.h>
#include "luf/luf_defer_counters.h"

struct address_space;

/* Files are told apart by a hash: a collision only means a flush too many. */
#define TLBBATCH_DEFER_FILE_BITS	8
#define TLBBATCH_DEFER_FILES		(1U << TLBBATCH_DEFER_FILE_BITS)

static inline unsigned int tlbbatch_defer_hash(const struct address_space *file)
{
	return hash_ptr((void *)file, TLBBATCH_DEFER_FILE_BITS);
}

const char *tlbbatch_owed_find(void);
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
unsigned long tlbbatch_owed_short(void);

void tlbbatch_interest_add(unsigned int hash);
void tlbbatch_interest_drop(const unsigned long *files);
bool tlbbatch_interest_in(unsigned int hash);

#endif /* TLBBATCH_DEFER_OWED_H */
