/* SPDX-License-Identifier: GPL-2.0-only */
/* Which generation's slot a page frame is in. */
#ifndef TLBBATCH_LUF_INDEX_H
#define TLBBATCH_LUF_INDEX_H

#include <linux/types.h>
#include "luf/luf_pages.h"

extern u16 *tlbbatch_luf_frames;
extern unsigned long tlbbatch_luf_nr_frames;

int tlbbatch_luf_index_init(void);
void tlbbatch_luf_index_exit(void);
bool tlbbatch_luf_index_holds(unsigned long pfn, unsigned int nr);
void tlbbatch_luf_index_set(const struct tlbbatch_luf_pages *pages,
			    unsigned int slot);
void tlbbatch_luf_index_clear(const struct tlbbatch_luf_pages *pages,
			      unsigned int slot);
void tlbbatch_luf_index_visit(unsigned long pfn, unsigned int nr,
			      void (*visit)(unsigned int slot, unsigned long hit,
					    unsigned long pfn, unsigned int nr));
bool tlbbatch_luf_index_is(unsigned long pfn, unsigned int slot);

/**
 * tlbbatch_luf_index_empty() - is a single page frame in no open generation?
 * @pfn: it
 *
 * Context: any, also NMI; inline, for every allocation asks.
 */
static inline bool tlbbatch_luf_index_empty(unsigned long pfn)
{
	return pfn >= tlbbatch_luf_nr_frames ||
	       !READ_ONCE(tlbbatch_luf_frames[pfn]);
}

#endif /* TLBBATCH_LUF_INDEX_H */
