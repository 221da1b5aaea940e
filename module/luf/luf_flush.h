/* SPDX-License-Identifier: GPL-2.0-only */
/* What CPUs flush for other reasons than a batch. */
#ifndef TLBBATCH_LUF_FLUSH_H
#define TLBBATCH_LUF_FLUSH_H

#include <linux/types.h>

struct mm_struct;

void tlbbatch_luf_see_pending(struct mm_struct *mm);
void tlbbatch_luf_see_flush_begin(const struct mm_struct *mm, u64 tlb_gen,
				  unsigned int initiator);
void tlbbatch_luf_probe_tlb_flush(void *data, int reason, unsigned long pages);
void tlbbatch_luf_seen_youngest(void);

#endif /* TLBBATCH_LUF_FLUSH_H */
