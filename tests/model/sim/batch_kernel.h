/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folios, write-outs, and whatever else batching needs: a kernel from 6.16 to 7.2, or with SIM_7_3
 * one of 7.3.
 */
#ifndef SIM_BATCH_KERNEL_H
#define SIM_BATCH_KERNEL_H

#define IS_ENABLED(option)	0
#include "ftrace.h"

#define TLBBATCH_HAVE_FOLIOS_PUT
#ifdef SIM_7_3
#define IS_7_3	true
#define TLBBATCH_HAVE_SWAP_IO_CTX
#else
#define IS_7_3	false
#define TLBBATCH_HAVE_RECLAIM_STAT_NR_PAGEOUT
#endif
/* compat/ has shapes of all kernels. */
#define TLBBATCH_HAVE_AOPS_WRITEPAGE
#define TLBBATCH_HAVE_WBC_SWAP_PLUG

/* What other CPUs do before each read of what they may write. */
extern void (*sim_at_read)(void);
#undef READ_ONCE
#define READ_ONCE(x)								\
	(sim_at_read ? sim_at_read() : (void)0, *(const volatile __typeof__(x) *)&(x))

#define pr_err_ratelimited	pr_err
extern unsigned int sim_yields;
#define cond_resched()		((void)sim_yields++)

/* --- folios ---------------------------------------------------------------------------- */

struct list_head {
	struct list_head *next, *prev;
};

struct page {
	bool hwpoison;
};

struct mem_cgroup {
	unsigned long activated;
};

struct folio {
	struct page page;
	struct list_head lru;
	struct address_space *mapping;
	struct mem_cgroup *memcg;
	unsigned int nr, nid;
	int refs;
	bool locked, dirty, writeback, reclaim, active, on_lru;
	bool anon, swapcache, mapped, pinned, mlocked, tail_poisoned, has_private;
	bool of_file;		/* not swapbacked */
	unsigned int writes;	/* how often it was written out */
	bool freed;
};

struct writeback_control;

struct address_space_operations {
	int (*writepage)(struct page *page, struct writeback_control *wbc);
};

struct address_space {
	const struct address_space_operations *a_ops;
	int error;
};

#define page_folio(at)			((struct folio *)(at))
#define PageHWPoison(at)		((at)->hwpoison)
#define folio_mapping(folio)		((folio)->mapping)
#define folio_nr_pages(folio)		((long)(folio)->nr)
#define folio_ref_count(folio)		((folio)->refs)
#define folio_test_large(folio)		((folio)->nr > 1)
#define folio_test_has_hwpoisoned(folio)	((folio)->tail_poisoned)
#define folio_test_anon(folio)		((folio)->anon)
#define folio_test_swapcache(folio)	((folio)->swapcache)
#define folio_test_swapbacked(folio)	(!(folio)->of_file)
#define folio_test_dirty(folio)		((folio)->dirty)
#define folio_test_writeback(folio)	((folio)->writeback)
#define folio_test_mlocked(folio)	((folio)->mlocked)
#define folio_test_lru(folio)		((folio)->on_lru)
#define folio_mapped(folio)		((folio)->mapped)
#define folio_maybe_dma_pinned(folio)	((folio)->pinned)
#define folio_has_private(folio)	((folio)->has_private)
#define folio_is_file_lru(folio)	false
#define folio_nid(folio)		((int)(folio)->nid)
#define folio_pgdat(folio)		(&sim_nodes[(folio)->nid])
#define mapping_unevictable(mapping)	((void)(mapping), false)
#define folio_set_dirty(folio)		((folio)->dirty = true)
#define folio_set_reclaim(folio)	((folio)->reclaim = true)
#define folio_clear_reclaim(folio)	((folio)->reclaim = false)
#define folio_get(folio)		((void)(folio)->refs++)
#define folio_put(folio)		((void)(folio)->refs--)
#define folio_ref_unfreeze(folio, n)	((folio)->refs = (n))
#define list_del(entry)			((entry)->next = (entry)->prev = NULL)

bool folio_trylock(struct folio *folio);
void folio_unlock(struct folio *folio);
bool folio_clear_dirty_for_io(struct folio *folio);
void folio_mark_dirty(struct folio *folio);
void folio_set_active(struct folio *folio);
void mapping_set_error(struct address_space *mapping, int error);
/* RCU's read lock must be held as long as the result is used. */
struct mem_cgroup *folio_memcg(struct folio *folio);

struct folio_batch {
	unsigned char nr;
	struct folio *folios[31];
};

#define folio_batch_init(batch)		((batch)->nr = 0)
#define folio_batch_count(batch)	((batch)->nr)
#define folio_batch_add(batch, folio)						\
	((batch)->folios[(batch)->nr++] = (folio), (batch)->nr < ARRAY_SIZE((batch)->folios))
void folios_put(struct folio_batch *batch);

/* --- reclaim ------------------------------------------------------------------------------ */

typedef struct pglist_data {
	int node_id;
	long written;
} pg_data_t;

typedef struct { unsigned long bits; } nodemask_t;

struct scan_control {
	struct mem_cgroup *target;
};

struct reclaim_stat {
#ifndef SIM_7_3
	unsigned int nr_pageout;
#endif
	unsigned int nr_activate[2];
};

enum vm_event_item { PGACTIVATE };

extern pg_data_t sim_nodes[2];
extern unsigned long sim_pgactivate, sim_irqs_off;
#define NODE_DATA(nid)			(&sim_nodes[nid])
#define nodes_empty(mask)		(!(mask).bits)
#define count_vm_events(item, n)	((void)(sim_pgactivate += (n)))
#define NR_VMSCAN_WRITE			0
/* What the kernel counts as written, and the module takes back: nothing from 7.3 on. */
#define mod_node_page_state(node, item, n)	((void)((node)->written += (n)))
#define local_irq_save(flags)		((void)((flags) = sim_irqs_off++))
#define local_irq_restore(flags)	((void)(sim_irqs_off = (flags)))

#define AOP_WRITEPAGE_ACTIVATE		0x80000
#define WB_SYNC_NONE			0
#define WB_SYNC_ALL			1
#define SWAP_CLUSTER_MAX		32

struct swap_iocb {
	unsigned int pages;
};

/* From 7.3 on. */
struct swap_io_ctx {
	unsigned int pages;
};

struct writeback_control {
	int sync_mode;
	long nr_to_write;
	long long range_start, range_end;
	unsigned int for_reclaim;
	struct swap_iocb **swap_plug;
};

/* --- what CPUs have loaded ---------------------------------------------------------------- */

struct tlb_context {
	u64 ctx_id, tlb_gen;
};

/* What is behind the notes is of no meaning. */
struct tlb_state {
	struct mm_struct *loaded_mm;
	u16 loaded_mm_asid;
	struct tlb_context ctxs[6], behind[2];
};

DECLARE_PER_CPU(struct tlb_state, cpu_tlbstate);
extern struct mm_struct init_mm;

/* --- knobs ---------------------------------------------------------------------------------- */

struct attribute_group;
struct kobj_attribute;

struct kernel_param;

struct kernel_param_ops {
	int (*set)(const char *text, const struct kernel_param *kp);
};

struct kernel_param {
	void *arg;
};

#define module_param_cb(name, ops, value, mode)	\
	static const void *const name##_param[] __used = { ops, value }
#define __MODULE_PARM_TYPE(name, type)	struct sim_module
#define MODULE_PARM_DESC(name, text)	struct sim_module
#define cancel_work_sync(work)		((void)(work), sim_work = NULL)

#endif /* SIM_BATCH_KERNEL_H */
