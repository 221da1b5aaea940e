/* SPDX-License-Identifier: GPL-2.0-only */
/* What deferral counts. */
#ifndef TLBBATCH_DEFER_COUNTERS_H
#define TLBBATCH_DEFER_COUNTERS_H

#include <linux/kobject.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <tlbbatch/defer_stats.h>
#include "core/counters.h"

/* The enum and the names under luf/stats/ come from one list. */
enum tlbbatch_defer_counter {
#define X(upper, lower) upper,
	DEFER_COUNTERS(X)
#undef X
	DEFER_NR_COUNTERS
};

struct tlbbatch_defer_counts {
	u64 value[DEFER_NR_COUNTERS];
};

DECLARE_PER_CPU(struct tlbbatch_defer_counts, tlbbatch_defer_counts);
extern const struct tlbbatch_counters tlbbatch_defer_counters;
/* Files of luf/stats/. */
#define X(upper, lower) extern struct kobj_attribute tlbbatch_defer_##lower##_attr;
DEFER_COUNTERS(X)
#undef X

/**
 * tlbbatch_defer_count() - add to a counter
 * @counter: which
 * @n: how much
 *
 * Context: any, preemption on or off.
 */
static inline void tlbbatch_defer_count(enum tlbbatch_defer_counter counter, u64 n)
{
	this_cpu_add(tlbbatch_defer_counts.value[counter], n);
}

#endif /* TLBBATCH_DEFER_COUNTERS_H */
