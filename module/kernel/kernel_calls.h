/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel that modules cannot link against, as static calls.
 *
 * A static call is a direct call. It needs no ENDBR at its target (IBT), and costs no
 * retpoline. That of a hooked function enters the function behind its ftrace site, so
 * that calling the original doesn't go through ftrace a second time (rule H10).
 *
 * Each is NULL until symbols.c, its feature or hook_set.c sets it, after its function
 * was found and checked. A feature hooks nothing before all those that it needs are
 * set.
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

/* These are never defined: they give the static calls below their types. */
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
/* From 7.3 on a kernel has the first, before that the second: see swap_io_compat.h. */
void tlbbatch_type_swap_write_submit(struct swap_io_ctx *io);
void tlbbatch_type_swap_write_unplug(struct swap_iocb *plug);
/* Types of the static calls that luf_returns.c defines. */
unsigned long tlbbatch_type_bulk(gfp_t gfp, int nid, nodemask_t *nodemask,
				 int nr_pages, struct page **array);
unsigned long tlbbatch_type_bulk_list(gfp_t gfp, int nid, nodemask_t *nodemask,
				      int nr_pages, struct list_head *list,
				      struct page **array);
void tlbbatch_type_flush(struct arch_tlbflush_unmap_batch *batch);
/* Only assembler (hook_entry.c) jumps to one. It passes all arguments on as they are. */
void tlbbatch_type_jump(void);

/*
 * Functions that are called and never hooked. Those that look-ups and hooks need
 * themselves:
 */
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

/*
 * The kernel's write-out of a folio, entered behind the gate's hook, whatever its
 * prototype is. hook_set.c sets them.
 */
DECLARE_STATIC_CALL(tlbbatch_write_swap, tlbbatch_type_write);
DECLARE_STATIC_CALL(tlbbatch_write_shmem, tlbbatch_type_write);

/**
 * struct tlbbatch_call - a static call as data, for tables
 * @key: the static call's key
 * @tramp: the static call's trampoline
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
