/* SPDX-License-Identifier: GPL-2.0-only */
/* Files, tasks, and what reclaim and others do with them: see luf_world.c. */
#ifndef LUF_WORLD_H
#define LUF_WORLD_H

#include "luf_kernel.h"
#include "luf/luf.h"
#include "luf/luf_events.h"
#include "luf/luf_generation.h"
#include "luf/luf_pass.h"
#include "luf/luf_returns.h"
#include "luf/luf_size.h"
#include "luf/luf_table.h"
#include "core/feature.h"
#include "tap.h"

/* Files of ext4: a and b; of others. Each is mapped by mm_a, or by mm_b. */
extern struct address_space file_a, file_b, tmpfs_file, memfd, fuse_file, nfs_file, gfs2_file,
	ocfs2_file, ramfs_file, device;
extern struct file open_a;
extern struct vm_area_struct vma_a, vma_none;
extern struct mm_struct mm_a, mm_b;
extern struct task_struct reclaimer, other_reclaimer, admin;

/* CPUs: reclaim runs on 0, mm_a on 0 and 1. */
#define ON(cpu)		((sim_cpus_t)1 << (cpu))

/* A function or a member that this kernel doesn't have; see tlbbatch_luf_events_find(). */
extern const char *world_lacks;
/* Where is_lazy lies in its struct. */
extern u32 world_lazy_at;
/* Everything is free, and nothing is open. */
void anew(void);
/* Opens a generation of file_a, [100, 104), for CPUs 0 and 1. */
void open_one(void);
/* Everything is free, but for a generation of file_a, [100, 104), and one of file_b, [200, 204). */
void open_both(void);
/* The same, by reclaim on another CPU than 0. */
void open_both_on(unsigned int cpu);

/* A struct that this kernel doesn't have. */
extern const char *world_no_struct;
/* So often ftrace doesn't let go. */
extern unsigned int world_stuck;
/* What other CPUs do while functions are being attached, once. */
extern void (*world_attaches)(void);
void world_init(void);
int track(bool on);
/* The kernel calls a function that is watched; @proto: a part of the prototype, or NULL. */
void call(const char *symbol, const char *proto, unsigned long a, unsigned long b,
	  unsigned long c);
#define CALL(symbol, a, b, c)	call(symbol, NULL, (unsigned long)(a), (unsigned long)(b), \
				     (unsigned long)(c))

/* The running task's reclaim. */
void pass_begin(void);
void pass_end(void);
/* Has a task a slot? */
bool has_slot(struct task_struct *task);
/* Unmaps pages [@pfn, @pfn + @nr) of a file, or of none, from these CPUs. */
void unmap(struct address_space *file, unsigned long pfn, unsigned int nr, sim_cpus_t cpus);
void unmap_folio(struct folio *folio, sim_cpus_t cpus);
void flush(void);
/* arch_tlbbatch_flush() of any batch. */
void flush_batch(struct arch_tlbflush_unmap_batch *batch);
/* What happens when the next flush of a batch is on its way to the CPUs, once. */
extern void (*in_flush)(void);
/* A pass that frees @nr pages of a file. */
void generation(struct address_space *file, unsigned long pfn, unsigned int nr,
		sim_cpus_t cpus);

/* A full flush of an mm on a CPU, asked for by CPU @from. */
void mm_flush(struct mm_struct *mm, unsigned int cpu, unsigned int from);
/* Of mm_a on CPUs 0 and 1: all that an ideal LUF needs, and one mm's flush in the posted series. */
void both_flush_mm_a(void);
/* The same of three pages. */
void part_flush(struct mm_struct *mm, unsigned int cpu, unsigned int from);
void traced_flush(unsigned int cpu, int reason, unsigned long pages);
/* flush_tlb_batched_pending() by @cpu, and the flushes that come of it. */
void pending_flush(struct mm_struct *mm, unsigned int cpu);
/* A page is allocated, and used from then on, or is free again. */
/* The reclaimer's pass flushes, and is over. */
void flush_a(void);
/* A hole is punched into file_a. */
void truncate_a(void);
/* Another task's pass frees two pages of file_b; the running task goes on. */
void other_generation(void);
/* Free chunks of lists hold ranges of file_b's pages [200, 280), whose memory is gone. */
void leave_gone_chunks(void);
void alloc(unsigned long pfn, unsigned int order);
void release(unsigned long pfn, unsigned int nr);
void lazy(unsigned int cpu, bool is_lazy);
typedef unsigned long bulk_fn(gfp_t gfp, int nid, nodemask_t *nodemask, int nr,
			      struct list_head *list, struct page **array);
bulk_fn *bulk_replacement(void);
void bulk_world(bulk_fn *original);
/* From 6.14 on, without a list. */
typedef unsigned long bulk_array_fn(gfp_t gfp, int nid, nodemask_t *nodemask, int nr,
				    struct page **array);
bulk_array_fn *bulk_array_replacement(void);
void bulk_array_world(bulk_array_fn *original);

/*
 * Settles all, and compares what happened since the last call: "saved=1 open=-1 ...". What isn't
 * named there didn't happen, if it says what became of a generation.
 */
#define want(when, what)	ok(came_true(what), "%s", when)
bool came_true(const char *what);
/* What happened up to now doesn't matter. */
#define forget()		((void)came_true(NULL))
/* A generation begins. */
#define OPENED		"generation=1 open=1 open_as_posted=1 "
/* What became of one that was open; of one that is given up as it is made. */
#define GIVEN_UP	"open=-1 open_as_posted=-1 given_up=1 given_up_as_posted=1 "
#define STILLBORN	"generation=1 given_up=1 given_up_as_posted=1 "
#define BORN_HIT	STILLBORN "given_up_early=1"
s64 stat_of(const char *name);

#endif /* LUF_WORLD_H */
