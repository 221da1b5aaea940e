/* SPDX-License-Identifier: GPL-2.0-only */
/* What is remembered of each frame that is held back, while luf/check is on. */
#ifndef TLBBATCH_LUF_HELD_H
#define TLBBATCH_LUF_HELD_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "luf/luf_defer_policy.h"

struct address_space;
struct folio;
struct page;

int tlbbatch_held_init(void);
void tlbbatch_held_exit(void);
void tlbbatch_held_poison(bool on);

/* By passes, in this order: @by is the pass's part. */
void tlbbatch_held_note(const void *by, struct folio *folio,
			const struct address_space *file);
void tlbbatch_held_forget(const void *by, const struct folio *const *folios, unsigned int nr);
void tlbbatch_held_hold(const void *by, struct folio *folio);
void tlbbatch_held_owe(const struct list_head *folios, int nid, u64 nr);
void tlbbatch_held_settle(const void *by, const struct folio *const *folios, unsigned int nr);
/* By who flushes, and who gives back. */
void tlbbatch_held_flushed(int nid, u64 nr);
void tlbbatch_held_release(struct folio *folio);

/* By luf/check. */
void tlbbatch_held_see_frames(const struct page *page, unsigned int order,
			      enum tlbbatch_held_event what);
void tlbbatch_held_see_file(const struct address_space *file, unsigned long from,
			    unsigned long to, enum tlbbatch_held_event what);
void tlbbatch_held_see_end(const struct address_space *file);

bool tlbbatch_held_tripped(void);
void tlbbatch_held_rearm(void);
void tlbbatch_held_on_hit(struct work_struct *work);

#endif /* TLBBATCH_LUF_HELD_H */
