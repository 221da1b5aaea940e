/* SPDX-License-Identifier: GPL-2.0-only */
/* What advise counts. */
#ifndef TLBBATCH_ADVISE_COUNTERS_H
#define TLBBATCH_ADVISE_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <tlbbatch/advise_stats.h>
#include "core/counters.h"

/* By cause, the flushes and their receivers; in the order of enum tlbbatch_cause. */
enum tlbbatch_advise_counter {
#define X(upper, lower) TLBBATCH_ADVISE_FLUSHES_##upper,
	ADVISE_CAUSES(X)
#undef X
#define X(upper, lower) TLBBATCH_ADVISE_RECEIVERS_##upper,
	ADVISE_CAUSES(X)
#undef X
#define X(upper, lower) TLBBATCH_ADVISE_##upper,
	ADVISE_WHATIF(X)
#undef X
	TLBBATCH_ADVISE_NR_COUNTERS
};

struct tlbbatch_advise_counts {
	u64 value[TLBBATCH_ADVISE_NR_COUNTERS];
};

DECLARE_PER_CPU(struct tlbbatch_advise_counts, tlbbatch_advise_counts);
extern const struct tlbbatch_counters tlbbatch_advise_counters;

/**
 * tlbbatch_advise_count() - add to a counter
 * @counter: which
 * @n: how much
 *
 * Context: any, preemption on or off.
 */
static inline void tlbbatch_advise_count(enum tlbbatch_advise_counter counter, u64 n)
{
	this_cpu_add(tlbbatch_advise_counts.value[counter], n);
}

#endif /* TLBBATCH_ADVISE_COUNTERS_H */
