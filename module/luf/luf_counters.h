/* SPDX-License-Identifier: GPL-2.0-only */
/* What LUF tracking counts. */
#ifndef TLBBATCH_LUF_COUNTERS_H
#define TLBBATCH_LUF_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include "core/counters.h"
#include "luf/luf_generation.h"

/* LUF_COUNTERS(X): the enum and the names under luf/stats/ come from this one list. */
#define LUF_COUNTERS(X)							\
	X(LUF_PASSES_UNSEEN,	passes_unseen)				\
	X(LUF_UNMAPS_READONLY,	unmaps_readonly)			\
	X(LUF_UNMAPS_MIXED,	unmaps_mixed)				\
	X(LUF_FLUSHES,		flushes)				\
	X(LUF_FLUSHES_MIXED,	flushes_mixed)				\
	X(LUF_FLUSHES_UNSENT,	flushes_unsent)				\
	X(LUF_IPIS,		ipis)					\
	X(LUF_SAVED,		generations_saved)			\
	X(LUF_NEEDED,		generations_needed)			\
	X(LUF_GIVEN_UP,		generations_given_up)			\
	X(LUF_UNTRACKED,	generations_untracked)			\
	X(LUF_IPIS_AVOIDED,	ipis_avoided)				\
	X(LUF_POSTED_SAVED,	generations_saved_as_posted)		\
	X(LUF_POSTED_NEEDED,	generations_needed_as_posted)		\
	X(LUF_POSTED_GIVEN_UP,	generations_given_up_as_posted)		\
	X(LUF_POSTED_UNTRACKED,	generations_untracked_as_posted)	\
	X(LUF_POSTED_IPIS_AVOIDED, ipis_avoided_as_posted)		\
	LUF_REASONS(X_REASON)

#define X_REASON(upper, lower)	X(LUF_GIVEN_UP_##upper, given_up_##lower)

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
