/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs instead of a hooked function of the kernel. */
#ifndef TLBBATCH_RECLAIM_HOOKS_H
#define TLBBATCH_RECLAIM_HOOKS_H

#include <linux/types.h>
#include <compat/reclaim_compat.h>
#include <compat/writeout_compat.h>

/* reclaim_hooks.c: a pass, and the flushes inside it */
unsigned int tlbbatch_hook_shrink_folio_list(COMPAT_SHRINK_PARAMS);
void tlbbatch_hook_try_to_unmap_flush(void);
void tlbbatch_hook_try_to_unmap_flush_dirty(void);

/* writeout_gate.c: nothing is written before its flush */
int tlbbatch_hook_swap_writeout(COMPAT_WRITEOUT_PARAMS);
int tlbbatch_hook_shmem_writeout(COMPAT_WRITEOUT_PARAMS);
int tlbbatch_hook_pageout(struct folio *folio, struct address_space *mapping,
			  struct swap_iocb **plug);

void tlbbatch_tripwire_exit(void);

#endif /* TLBBATCH_RECLAIM_HOOKS_H */
