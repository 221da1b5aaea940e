/* SPDX-License-Identifier: GPL-2.0-only */
/* What mm/rmap.c keeps to itself of flushes that are put off. */
#ifndef TLBBATCH_COMPAT_TLB_H
#define TLBBATCH_COMPAT_TLB_H

#include <linux/mm_types.h>

/**
 * compat_flush_is_pending() - will flush_tlb_batched_pending() flush this mm?
 * @mm: the mm
 *
 * tlb_flush_batched, of mm/rmap.c, has the number of the last batch that was flushed in
 * its upper half, and that of the last one begun in the lower half, without the top
 * bit. This is the same from 5.18 to 7.3.
 *
 * Context: the mm's page table lock held, as for that function.
 */
static inline bool compat_flush_is_pending(const struct mm_struct *mm)
{
	int batch = atomic_read(&mm->tlb_flush_batched);

	return (batch & S16_MAX) != batch >> 16;
}

#endif /* TLBBATCH_COMPAT_TLB_H */
