/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel that modules cannot link against, as static calls.
 *
 * A static call is a direct call: it needs no ENDBR at its target (IBT), costs
 * no retpoline, and for a hooked function it may enter just behind the ftrace
 * site, so that an original is called without a second trip through ftrace.
 * Each is NULL until symbols.c, its feature or hook_set.c has resolved and checked it;
 * nothing is hooked before all that a feature needs are set.
 */
#ifndef TLBBATCH_KERNEL_CALLS_H
#define TLBBATCH_KERNEL_CALLS_H

#include <linux/mm_types.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/static_call.h>
#include <linux/vm_event_item.h>

struct mem_cgroup;
struct swap_io_ctx;
struct swap_iocb;

/* Never defined: they give the static calls below their types. */
unsigned long tlbbatch_type_kallsyms_lookup_name(const char *name);
unsigned long tlbbatch_type_ftrace_location(unsigned long ip);
unsigned long tlbbatch_type_ftrace_find_rec_direct(unsigned long ip);
int tlbbatch_type_remove_mapping(struct address_space *mapping,
				 struct folio *folio, bool reclaimed,
				 struct mem_cgroup *target_memcg);
void tlbbatch_type_node_get_allowed_targets(pg_data_t *pgdat,
					    nodemask_t *targets);
bool tlbbatch_type_mem_cgroup_swap_full(struct folio *folio);
bool tlbbatch_type_folio_free_swap(struct folio *folio);
void tlbbatch_type_count_memcg_events(struct mem_cgroup *memcg,
				      enum vm_event_item idx,
				      unsigned long count);
void tlbbatch_type_flush_tlb_batched_pending(struct mm_struct *mm);
void tlbbatch_type_flush_tlb_all(void);
int tlbbatch_type_write(struct swap_io_ctx *io, struct folio *folio);
/* A kernel has the first, or up to 7.2 the second: see swap_io_compat.h. */
void tlbbatch_type_swap_write_submit(struct swap_io_ctx *io);
void tlbbatch_type_swap_write_unplug(struct swap_iocb *plug);
/* Of luf_returns.c, whose static calls are its own. */
unsigned long tlbbatch_type_bulk(gfp_t gfp, int nid, nodemask_t *nodemask,
				 int nr_pages, struct page **array);
unsigned long tlbbatch_type_bulk_list(gfp_t gfp, int nid, nodemask_t *nodemask,
				      int nr_pages, struct list_head *list,
				      struct page **array);
void tlbbatch_type_flush(struct arch_tlbflush_unmap_batch *batch);
/* Jumped to from assembler alone, which hands all arguments on as they are. */
void tlbbatch_type_jump(void);

/* Called, never hooked: set by symbols.c. What looking up and hooking need themselves: */
DECLARE_STATIC_CALL(tlbbatch_kallsyms_lookup_name,
		    tlbbatch_type_kallsyms_lookup_name);
DECLARE_STATIC_CALL(tlbbatch_ftrace_location, tlbbatch_type_ftrace_location);
DECLARE_STATIC_CALL(tlbbatch_ftrace_find_rec_direct,
		    tlbbatch_type_ftrace_find_rec_direct);

/* Of batching. */
DECLARE_STATIC_CALL(tlbbatch_remove_mapping, tlbbatch_type_remove_mapping);
DECLARE_STATIC_CALL(tlbbatch_node_get_allowed_targets,
		    tlbbatch_type_node_get_allowed_targets);
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

/* Write a folio out behind its gate's hook, whatever shape the kernel's has. */
DECLARE_STATIC_CALL(tlbbatch_write_swap, tlbbatch_type_write);
DECLARE_STATIC_CALL(tlbbatch_write_shmem, tlbbatch_type_write);

/**
 * struct tlbbatch_call - a static call as data, for tables
 * @key: its key
 * @tramp: its trampoline
 */
struct tlbbatch_call {
	struct static_call_key *key;
	void *tramp;
};

#define TLBBATCH_CALL(name)						\
	{ .key = &STATIC_CALL_KEY(name), .tramp = STATIC_CALL_TRAMP_ADDR(name) }

static inline void tlbbatch_call_set(const struct tlbbatch_call *call,
				     unsigned long addr)
{
	__static_call_update(call->key, call->tramp, (void *)addr);
}

#endif /* TLBBATCH_KERNEL_CALLS_H */
