/* SPDX-License-Identifier: GPL-2.0-only */
/* A second CPU, which loads mms and runs user code while CPU 0 reclaims: see other_cpu.c. */
#ifndef OTHER_CPU_H
#define OTHER_CPU_H

#include "batch_world.h"
#include "arch/x86.h"

#define MINE	0U
#define OTHER	1U
#define NR_ASIDS	6U

/* A script is a list of these: what CPU 1 does. */
enum act { END, USER, TO_OURS, TO_OTHERS, TO_KERNEL, LAZY, UNLAZY, IPI, FREE_OURS };

/* What it has loaded at first. */
enum start { AT_OURS, AT_OTHERS, LAZY_AT_OURS, AT_KERNEL };

/* Before CPU 0 unmaps, before it raises tlb_gen, and before each read of what CPU 1 writes. */
#define POINTS	9U

extern struct mm_struct ours, others;	/* of the batch, and another */
extern unsigned int steps_at[POINTS];	/* how many steps CPU 1 does at each of them */
extern unsigned int looks_preempted, most_points, lost;
extern bool covered;			/* CPU 0 takes CPU 1 for flushed */
/* CPU 0 discards a huge page of ours: never, before it unmaps for the batch, or behind that. */
extern enum discards { NEVER, BEFORE, BEHIND } discards;

struct tlb_state *state(void);
/* The place of what it has loaded. */
unsigned int loaded_asid(void);
/* With so many PCIDs; 1: as a CPU without. */
void begin(enum start start, const enum act *script, unsigned int pcids);
/* A single step of CPU 1; false if there is none. */
bool step(void);
/* CPU 0 unmaps and flushes: is CPU 1 left out? */
bool leaves_out(void);

#define SCRIPT(...)	((const enum act[]){ __VA_ARGS__, END })

#endif /* OTHER_CPU_H */
