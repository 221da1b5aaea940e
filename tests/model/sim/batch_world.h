/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks that reclaim folios, and a swap device: see batch_world.c. */
#ifndef BATCH_WORLD_H
#define BATCH_WORLD_H

#include "batch_kernel.h"
#include "batch/batch_counters.h"
#include "batch/batch_symbols.h"
#include "batch/flush.h"
#include "batch/folio_write.h"
#include "batch/knobs.h"
#include "batch/reclaim_hooks.h"
#include "hooks/hook.h"
#include "pass/demotion.h"
#include "pass/flush_calls.h"
#include "pass/pass.h"
#include "tap.h"

/* A task, and the statistics of its pass. */
struct reclaimer {
	struct task_struct task;
	struct reclaim_stat stat;
	int nid;
};

extern struct reclaimer one, two;
extern struct task_struct admin;
extern struct address_space swap_space, shmem_file;
extern struct mem_cgroup group, target_group;

/* What was done since anew(). */
struct world {
	unsigned int flushes;		/* by try_to_unmap_flush() */
	struct cpumask flushed;		/* the CPUs of the last one of these */
	void (*at_flush)(void);		/* what happens right before each of these; or NULL */
	unsigned int flushes_of_all;	/* by flush_tlb_all() */
	unsigned int written;		/* folios that were written out */
	unsigned int groups;		/* ... of folios that were freed together */
	bool gathers;			/* the swap device gathers writes in @iocb */
	struct swap_iocb iocb;
	const void *submitted;		/* what was given to swap_write_unplug() */
	const struct mem_cgroup *evicted_from;	/* that of the last shadow entry */
	int (*write)(struct folio *folio);	/* what the next write-out does, once; or NULL */
	void (*at_lock)(struct folio *folio);	/* what was done to the folio locked next, once */
	const struct tlbbatch_target *target;	/* the hook of each file's writer; or NULL */
	const char *lacks;		/* a name that this kernel doesn't know */
	bool demotion, lower;		/* reclaim may demote; a node has a lower one */
	int demotes;			/* which node that is */
	bool unmaps_clean;		/* page table entries are clean, only folios are dirty */
	bool for_all;			/* reclaim isn't for a cgroup */
	bool swap_full;			/* so is that of each cgroup */
	struct folio *last;		/* what was written last */
	unsigned long more_cpus;	/* where the process of folios has been besides 0 and 1 */
	u32 lazy_at;			/* where is_lazy lies; it's first in its struct */
	bool faults;			/* copy_from_kernel_nofault() fails */
	unsigned int swap_freed;	/* folios whose swap entry was given back */
};

extern struct world world;

/* For @write: the folio is to become active (AOP_WRITEPAGE_ACTIVATE). */
int refuses(struct folio *folio);

void world_init(void);
/* Batching is on, nobody is in a pass, and nothing has been counted. */
void anew(unsigned int batch_size);
/* How much was counted since anew(). */
u64 counted(enum tlbbatch_counter counter);

/* Anonymous folios in the swap cache; shmem's in its file. All are off the LRU. */
struct folio anon_folio(unsigned int nr);
struct folio shmem_folio(unsigned int nr);

void pass_begin(struct reclaimer *task);
/* A pass ends behind reclaim's last flush. */
unsigned int pass_end(struct reclaimer *task);
/* Reclaim counts a folio of its running pass as written. */
void reclaim_counts(const struct folio *folio);
/* Reclaim unmaps a dirty folio and asks for the flush of that. */
void unmap_dirty(void);
/* The same, and writes the folio: it is written, or waits. What the write-out returned. */
int reclaim(struct folio *folio);
/* As anew(8); then a pass of @one begins, in which a folio waits. */
void let_wait(struct folio *folio);

#endif /* BATCH_WORLD_H */
