/* SPDX-License-Identifier: GPL-2.0-only */
/* What reclaim unmaps and flushes, as LUF would see it. */
#ifndef TLBBATCH_LUF_PASS_H
#define TLBBATCH_LUF_PASS_H

#include <linux/mm_types.h>
#include <linux/types.h>
#include "luf/luf_generation.h"

/* An unmap that isn't reclaim's own, by what happens to its flush. */
enum tlbbatch_luf_unmap {
	TLBBATCH_LUF_UNMAP_SPLIT,	/* a split: flushed with a batch */
	TLBBATCH_LUF_UNMAP_BATCHED,	/* migration or demotion: flushed as a batch */
	TLBBATCH_LUF_UNMAP_FLUSHED,	/* the same, but each entry is flushed at once */
};

int tlbbatch_luf_passes_init(void);
void tlbbatch_luf_passes_exit(void);

void tlbbatch_luf_see_pass(void);
void tlbbatch_luf_see_unmap(struct folio *folio, bool large_freed_early);
void tlbbatch_luf_see_demotion(void);
void tlbbatch_luf_see_other_unmap(enum tlbbatch_luf_unmap how);
void tlbbatch_luf_see_pass_end(void);
void tlbbatch_luf_see_exit(void);
void tlbbatch_luf_see_flush(const struct arch_tlbflush_unmap_batch *batch);
void tlbbatch_luf_see_flush_end(void);
void tlbbatch_luf_close(bool close);
void tlbbatch_luf_give_up(const struct address_space *file,
			  enum tlbbatch_luf_reason reason);

#endif /* TLBBATCH_LUF_PASS_H */
