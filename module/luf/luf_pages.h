/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of page frames. */
#ifndef TLBBATCH_LUF_PAGES_H
#define TLBBATCH_LUF_PAGES_H

#include <linux/types.h>
#include "luf/luf_size.h"

/**
 * struct tlbbatch_luf_pages - a list of page frames, in chunks of a pool
 * @first: the newest chunk's number, from 1; 0 for none
 * @nr_chunks: chunks that it has
 * @nr: page frames
 */
struct tlbbatch_luf_pages {
	u32 first;
	u32 nr_chunks;
	u32 nr;
};

int tlbbatch_luf_pages_init(void);
void tlbbatch_luf_pages_exit(void);
bool tlbbatch_luf_pages_add(struct tlbbatch_luf_pages *pages, unsigned long pfn,
			    unsigned int nr);
void tlbbatch_luf_pages_reset(struct tlbbatch_luf_pages *pages);
void tlbbatch_luf_pages_drop(struct tlbbatch_luf_pages *pages);
bool tlbbatch_luf_pages_tight(void);
bool tlbbatch_luf_pages_all(const struct tlbbatch_luf_pages *pages,
			    bool (*test)(unsigned long pfn, unsigned int nr,
					 void *data), void *data);

#endif /* TLBBATCH_LUF_PAGES_H */
