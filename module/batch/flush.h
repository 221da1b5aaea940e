/* SPDX-License-Identifier: GPL-2.0-only */
/* The only place that puts off or issues a TLB flush. */
#ifndef TLBBATCH_FLUSH_H
#define TLBBATCH_FLUSH_H

#include <linux/sched.h>
#include "batch/reclaim_context.h"
#include "kernel/kernel_calls.h"

/* Never defined: they give the static calls below their types. */
void tlbbatch_type_try_to_unmap_flush_dirty(void);

/*
 * Originals of hooked functions: set by hook_set.c. Those whose shape depends on the kernel
 * are in compat/.
 */
DECLARE_STATIC_CALL(tlbbatch_orig_try_to_unmap_flush_dirty,
		    tlbbatch_type_try_to_unmap_flush_dirty);

/**
 * tlbbatch_flush_owed() - was a dirty PTE unmapped and not flushed yet?
 *
 * Context: any; of the running task.
 * Return: true if a write-out must not start before a flush.
 */
static inline bool tlbbatch_flush_owed(void)
{
	return current->tlb_ubc.writable;
}

void tlbbatch_flush_put_off(struct tlbbatch_context *ctx);
void tlbbatch_flush_now(struct tlbbatch_context *ctx);
void tlbbatch_flush_before_move(struct mm_struct *mm);
void tlbbatch_flush_before_foreign_write(struct folio *folio);
void tlbbatch_flush_before_removal(struct folio *folio);

#endif /* TLBBATCH_FLUSH_H */
