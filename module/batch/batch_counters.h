/* SPDX-License-Identifier: GPL-2.0-only */
/* What batching counts. */
#ifndef TLBBATCH_BATCH_COUNTERS_H
#define TLBBATCH_BATCH_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <tlbbatch/batch_stats.h>
#include "batch/batch_policy.h"
#include "core/counters.h"

/* The enum and the names under stats/ come from one list. */
enum tlbbatch_counter {
#define X(upper, lower) TLBBATCH_##upper,
	BATCH_COUNTERS(X)
#undef X
	TLBBATCH_NR_COUNTERS
};

struct tlbbatch_batch_counts {
	u64 value[TLBBATCH_NR_COUNTERS];
};

DECLARE_PER_CPU(struct tlbbatch_batch_counts, tlbbatch_batch_counts);
extern const struct tlbbatch_counters tlbbatch_batch_counters;

/**
 * tlbbatch_count() - add to a counter
 * @counter: which
 * @n: how much
 *
 * Context: any, preemption on or off.
 */
static inline void tlbbatch_count(enum tlbbatch_counter counter, u64 n)
{
	this_cpu_add(tlbbatch_batch_counts.value[counter], n);
}

#endif /* TLBBATCH_BATCH_COUNTERS_H */
