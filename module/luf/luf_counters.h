/* SPDX-License-Identifier: GPL-2.0-only */
/* What LUF tracking counts. */
#ifndef TLBBATCH_LUF_COUNTERS_H
#define TLBBATCH_LUF_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <tlbbatch/luf_stats.h>
#include "core/counters.h"
#include "luf/luf_generation.h"

/* The enum and the names under luf/stats/ come from one list. */
enum tlbbatch_luf_counter {
#define X(upper, lower) TLBBATCH_##upper,
	LUF_COUNTERS(X)
#undef X
	TLBBATCH_LUF_NR_COUNTERS
};

struct tlbbatch_luf_counts {
	u64 value[TLBBATCH_LUF_NR_COUNTERS];
};

DECLARE_PER_CPU(struct tlbbatch_luf_counts, tlbbatch_luf_counts);
extern const struct tlbbatch_counters tlbbatch_luf_counters;

/**
 * tlbbatch_luf_count() - add to a counter
 * @counter: which
 * @n: how much
 *
 * Context: any, preemption on or off.
 */
static inline void tlbbatch_luf_count(enum tlbbatch_luf_counter counter, u64 n)
{
	this_cpu_add(tlbbatch_luf_counts.value[counter], n);
}

#endif /* TLBBATCH_LUF_COUNTERS_H */
