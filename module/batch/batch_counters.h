/* SPDX-License-Identifier: GPL-2.0-only */
/* What batching counts. */
#ifndef TLBBATCH_BATCH_COUNTERS_H
#define TLBBATCH_BATCH_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include "core/counters.h"
#include "batch/batch_policy.h"

/* BATCH_COUNTERS(X): the enum and the names under stats/ come from this one list. */
#define BATCH_COUNTERS(X)						\
	X(PASSES,		passes)					\
	X(PASSES_DEFERRING,	passes_deferring)			\
	X(PASSES_UNBATCHED,	passes_unbatched)			\
	X(FLUSHES_REQUESTED,	flushes_requested)			\
	X(FLUSHES_ISSUED,	flushes_issued)				\
	X(FLUSHES_AVOIDED,	flushes_avoided)			\
	X(FLUSHES_DEFERRING,	flushes_in_deferring_passes)		\
	X(IPIS_AVOIDED,		ipis_avoided)				\
	X(MOVES_FLUSHED,	moves_flushed)				\
	X(FOREIGN_WRITES_FLUSHED, foreign_writes_flushed)		\
	X(REMOVALS_FLUSHED,	removals_flushed)			\
	X(BATCHES,		batches)				\
	X(FOLIOS_DEFERRED,	folios_deferred)			\
	X(FOLIOS_DEFERRED_LARGE, folios_deferred_large)			\
	X(FOLIOS_DEFERRED_SHMEM, folios_deferred_shmem)			\
	X(FOLIOS_DIRECT,	folios_direct)				\
	X(FOLIOS_FILE,		folios_file)				\
	X(FOLIOS_WRITTEN,	folios_written)				\
	X(FOLIOS_FREED,		folios_freed)				\
	X(WRITE_ERRORS,		write_errors)				\
	X(FOLIOS_DROPPED,	folios_dropped)				\
	DROP_REASONS(X_DROP)

#define X_DROP(upper, lower)	X(DROPPED_##upper, folios_dropped_##lower)

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
