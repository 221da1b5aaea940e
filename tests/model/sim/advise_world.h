/* SPDX-License-Identifier: GPL-2.0-only */
/* What advise looks at: flushes, and reclaim that asks for them, writes and frees. */
#ifndef ADVISE_WORLD_H
#define ADVISE_WORLD_H

#include "advise/advise.h"
#include "advise/advise_counters.h"
#include "core/feature.h"
#include "hook_rules.h"

/* The kernel's cpu_tlbstate. */
struct tlb_state {
	long unused;
	const struct mm_struct *loaded;
};

DECLARE_PER_CPU(struct tlb_state, tlb_state);

extern struct mm_struct mm, other_mm;
extern bool demotion, lower;
/* With a disk a folio is under writeback when it has been written; with zram it is done. */
extern bool to_disk;

void flush_tlb_mm_range(struct mm_struct *of, unsigned long start, unsigned long end,
			unsigned int stride_shift, bool freed_tables);
void arch_tlbbatch_flush(struct arch_tlbflush_unmap_batch *batch);
void try_to_unmap_flush(void);
void try_to_unmap_flush_dirty(void);

/* Loads the module; what that returned. */
int advise_world_init(void);
ssize_t write_mode(const char *text);
const char *mode(void);

/* What is counted from now on. */
void anew(void);
u64 counted(enum tlbbatch_advise_counter counter);
/* Was nothing counted but this? */
bool only(enum tlbbatch_advise_counter flushes, enum tlbbatch_advise_counter receivers,
	  u64 how_many);

#define COUNTED(name)	counted(TLBBATCH_ADVISE_##name)
#define ONLY(cause, how_many)							\
	only(TLBBATCH_ADVISE_FLUSHES_##cause, TLBBATCH_ADVISE_RECEIVERS_##cause, how_many)

/* Threads of an mm run on CPUs 0 to 3; CPU 1 is lazy. CPU 4 is on another mm by now. */
void threads_run(void);
void flush_mm(struct mm_struct *of, bool freed_tables);

/* As threads_run(), in a task that reclaims. */
void reclaims(void);
struct tlbbatch_pass *begin_pass(int nid);
void end_pass(struct tlbbatch_pass *pass);
/* What is unmapped for a folio may be in use on these CPUs, too. */
void unmap(unsigned long cpus, bool dirty);
void write_folio(bool anon, bool swapbacked, unsigned int nr);
void write_dirty(unsigned long cpus);

#endif /* ADVISE_WORLD_H */
