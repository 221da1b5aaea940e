/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who would be interrupted by a flush? Batching asks of the running task's batch, and
 * shootdown/ says whether it is to ask; advise asks of each flush that it sees. This looks
 * and counts; it changes nothing.
 */
#ifndef TLBBATCH_RECEIVERS_H
#define TLBBATCH_RECEIVERS_H

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include "receivers/receivers_policy.h"

struct tlbbatch_counters;

/* Section: counters */

enum tlbbatch_receivers_counter {
#define X(upper, lower) TLBBATCH_SHOOTDOWN_##upper,
	SHOOTDOWN_COUNTERS(X)
#undef X
	TLBBATCH_SHOOTDOWN_NR
};

struct tlbbatch_receivers_counts {
	u64 value[TLBBATCH_SHOOTDOWN_NR];
};

DECLARE_PER_CPU(struct tlbbatch_receivers_counts, tlbbatch_receivers_counts);

extern const struct tlbbatch_counters tlbbatch_receivers_counters;

static inline void tlbbatch_receivers_count(enum tlbbatch_receivers_counter counter,
					    u64 amount)
{
	this_cpu_add(tlbbatch_receivers_counts.value[counter], amount);
}

/* Section: what shootdown/ sets */

extern bool tlbbatch_receivers_pruned;
extern unsigned int tlbbatch_receivers_min;

/**
 * tlbbatch_receivers_prunes() - shall flushes leave out CPUs that need none?
 *
 * Context: any. With preemption off the answer holds until it is on again: see
 *	tlbbatch_receivers_set_prune().
 */
static inline bool tlbbatch_receivers_prunes(void)
{
	return READ_ONCE(tlbbatch_receivers_pruned);
}

void tlbbatch_receivers_set_prune(bool on);

/* Section: one knob at a time, receivers_holder.c */

const char *tlbbatch_receivers_claim(const char *who);
void tlbbatch_receivers_release(const char *who);

/* Section: looking */

const char *tlbbatch_receivers_find_loaded(void);
const char *tlbbatch_receivers_find(void);
unsigned int tlbbatch_receivers_of(const struct cpumask *cpus, const struct mm_struct *mm,
				   bool freed_tables);
enum tlbbatch_verdict tlbbatch_receivers_look(unsigned int cpu);
unsigned int tlbbatch_receivers_now(unsigned int enough);

#endif /* TLBBATCH_RECEIVERS_H */
