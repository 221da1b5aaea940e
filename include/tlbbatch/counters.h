/* SPDX-License-Identifier: GPL-2.0-only */
/* Monotonic u64 counters, per CPU inside, summed on read. */
#ifndef TLBBATCH_COUNTERS_H
#define TLBBATCH_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <tlbbatch/batch_policy.h>
#include <tlbbatch/luf_generation.h>

/* COUNTERS(X): the enum and the names under stats/ come from this one list. */
#define COUNTERS(X)							\
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

/* LUF_COUNTERS(X): likewise, under luf/stats/ */
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

enum tlbbatch_counter {
#define X(upper, lower) TLBBATCH_##upper,
	COUNTERS(X)
	TLBBATCH_NR_STATS,
	TLBBATCH_BEFORE_LUF = TLBBATCH_NR_STATS - 1,
	LUF_COUNTERS(X)
#undef X
	TLBBATCH_NR_COUNTERS
};

struct tlbbatch_counters {
	u64 value[TLBBATCH_NR_COUNTERS];
};

DECLARE_PER_CPU(struct tlbbatch_counters, tlbbatch_counters);

/**
 * tlbbatch_count() - add to a counter
 * @counter: which
 * @n: how much
 *
 * Context: any, preemption on or off.
 */
static inline void tlbbatch_count(enum tlbbatch_counter counter, u64 n)
{
	this_cpu_add(tlbbatch_counters.value[counter], n);
}

u64 tlbbatch_counter_read(enum tlbbatch_counter counter);

#endif /* TLBBATCH_COUNTERS_H */
