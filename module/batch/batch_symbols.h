/* SPDX-License-Identifier: GPL-2.0-only */
/* What batching needs of the running kernel besides its hooks, found at load. */
#ifndef TLBBATCH_BATCH_SYMBOLS_H
#define TLBBATCH_BATCH_SYMBOLS_H

#include <linux/mm_types.h>
#include <linux/types.h>
#include <linux/vm_event_item.h>
#include "kernel/kernel_calls.h"

struct mem_cgroup;
struct scan_control;
struct swap_io_ctx;
struct swap_iocb;

/* Never defined: they give the static calls below their types. */
int tlbbatch_type_remove_mapping(struct address_space *mapping,
				 struct folio *folio, bool reclaimed,
				 struct mem_cgroup *target_memcg);
bool tlbbatch_type_mem_cgroup_swap_full(struct folio *folio);
bool tlbbatch_type_folio_free_swap(struct folio *folio);
void tlbbatch_type_count_memcg_events(struct mem_cgroup *memcg,
				      enum vm_event_item idx,
				      unsigned long count);
void tlbbatch_type_flush_tlb_batched_pending(struct mm_struct *mm);
void tlbbatch_type_flush_tlb_all(void);
/* From 7.3 on a kernel has the first, before that the second: see swap_io_compat.h. */
void tlbbatch_type_swap_write_submit(struct swap_io_ctx *io);
void tlbbatch_type_swap_write_unplug(struct swap_iocb *plug);

/* Called, never hooked: tlbbatch_batch_find() sets them. */
DECLARE_STATIC_CALL(tlbbatch_remove_mapping, tlbbatch_type_remove_mapping);
DECLARE_STATIC_CALL(tlbbatch_mem_cgroup_swap_full,
		    tlbbatch_type_mem_cgroup_swap_full);
DECLARE_STATIC_CALL(tlbbatch_folio_free_swap, tlbbatch_type_folio_free_swap);
DECLARE_STATIC_CALL(tlbbatch_count_memcg_events,
		    tlbbatch_type_count_memcg_events);
DECLARE_STATIC_CALL(tlbbatch_flush_tlb_batched_pending,
		    tlbbatch_type_flush_tlb_batched_pending);
DECLARE_STATIC_CALL(tlbbatch_flush_tlb_all, tlbbatch_type_flush_tlb_all);
DECLARE_STATIC_CALL(tlbbatch_swap_write_submit,
		    tlbbatch_type_swap_write_submit);
DECLARE_STATIC_CALL(tlbbatch_swap_write_unplug,
		    tlbbatch_type_swap_write_unplug);

const char *tlbbatch_batch_find(void);
struct mem_cgroup *tlbbatch_target_memcg(const struct scan_control *sc);
/* Only debug builds have these two. */
unsigned long tlbbatch_nr_to_reclaim(const struct scan_control *sc);
int tlbbatch_priority(const struct scan_control *sc);
int tlbbatch_pageout_success(void);

#endif /* TLBBATCH_BATCH_SYMBOLS_H */
