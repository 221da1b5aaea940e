/* SPDX-License-Identifier: GPL-2.0-only */
/* A second CPU, which loads mms and runs user code while CPU 0 reclaims: see other_cpu.c. */
#ifndef OTHER_CPU_H
#define OTHER_CPU_H

#include "batch_world.h"
#include "arch/x86.h"
#include "receivers/receivers.h"

#define MINE	0U
#define OTHER	1U
#define NR_ASIDS	6U

/*
 * A script is a list of these: what CPU 1 does. HOST: it runs the task that reclaims. That comes
 * from CPU 0 when it has looked, to flush here. Or it has looked here, if the script begins with
 * it, and goes to CPU 0 to flush.
 */
enum act { END, USER, TO_OURS, TO_OTHERS, TO_KERNEL, LAZY, UNLAZY, IPI, FREE_OURS, HOST };

/* What it has loaded at first. */
enum start { AT_OURS, AT_OTHERS, LAZY_AT_OURS, AT_KERNEL };

/*
 * Before CPU 0 unmaps and before it raises tlb_gen, each time, before each read of what CPU 1
 * writes, and before the flush.
 */
#define POINTS(nr_unmaps)	(2 * (nr_unmaps) + 8U)
#define POINTS_MAX		POINTS(2)

extern struct mm_struct ours, others;	/* of the batch, and another */
/* The mms in which CPU 0 unmaps for its batch; NULL ends them. */
extern struct mm_struct *const *unmaps;
extern unsigned int steps_at[POINTS_MAX];	/* how many steps CPU 1 does at each point */
extern unsigned int looks_preempted, most_points, lost;
/* CPU 0 discards a huge page of ours: never, before it unmaps for the batch, or behind that. */
extern enum discards { NEVER, BEFORE, BEHIND } discards;

struct tlb_state *state(void);
/* The place of what it has loaded. */
unsigned int loaded_asid(void);
/* With so many PCIDs; 1: as a CPU without. */
void begin(enum start start, const enum act *script, unsigned int pcids);
/* A single step of CPU 1; false if there is none. */
bool step(void);
/* CPU 0 unmaps and flushes: is CPU 1 left out? If it isn't, the kernel flushes it. */
bool leaves_out(void);

/* How much shootdown/ has counted since count_anew(). */
void count_anew(void);
u64 since_anew(enum tlbbatch_receivers_counter counter);
#define since(counter)	since_anew(TLBBATCH_SHOOTDOWN_##counter)

#define SCRIPT(...)	((const enum act[]){ __VA_ARGS__, END })

#endif /* OTHER_CPU_H */
