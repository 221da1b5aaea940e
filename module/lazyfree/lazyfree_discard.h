/* SPDX-License-Identifier: GPL-2.0-only */
/* Discards the page that one entry maps. */
#ifndef TLBBATCH_LAZYFREE_DISCARD_H
#define TLBBATCH_LAZYFREE_DISCARD_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>
#include <linux/types.h>
#include "core/counters.h"

/* Who decides about a page that the kernel would discard by itself. */
enum tlbbatch_lazyfree_done {
	TLBBATCH_LAZYFREE_LEFT,		/* nothing was done, the kernel may */
	TLBBATCH_LAZYFREE_KEPT,
	TLBBATCH_LAZYFREE_DISCARDED,
};

extern const struct tlbbatch_counters tlbbatch_lazyfree_counters;

void tlbbatch_lazyfree_set(bool on);
bool tlbbatch_lazyfree_acts(void);
bool tlbbatch_lazyfree_discard(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmdp,
			       bool has_notifiers);
enum tlbbatch_lazyfree_done
tlbbatch_lazyfree_discard_own(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmdp,
			      struct folio *folio);

#endif /* TLBBATCH_LAZYFREE_DISCARD_H */
