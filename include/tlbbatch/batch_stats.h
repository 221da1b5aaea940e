/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What batching counts: the files of /sys/kernel/tlbbatch/stats.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_BATCH_STATS_H
#define TLBBATCH_BATCH_STATS_H

/*
 * Why a folio that waited went back to the LRU instead of being written.
 * DROP_REASONS(X) keeps the enum, the counters and the sysfs names in step.
 */
#define DROP_REASONS(X)							\
	X(LOCKED,	locked)		/* somebody else holds its lock */	\
	X(SPLIT,	split)		/* no longer the size that waited */	\
	X(GONE,		gone)		/* left the swap cache or the file */	\
	X(CLEAN,	clean)		/* cleaned by somebody else */	\
	X(WRITEBACK,	writeback)	/* somebody else writes it */	\
	X(MAPPED,	mapped)		/* refaulted while it waited */	\
	X(PINNED,	pinned)		/* may be under DMA */		\
	X(REFERENCED,	referenced)	/* an unexpected reference */	\
	X(UNEVICTABLE,	unevictable)	/* mlocked, SHM_LOCK, lazyfree */	\
	X(HWPOISON,	hwpoison)	/* memory failure hit it */	\
	X(ACTIVATED,	activated)	/* write-out asked for activation */

/* BATCH_COUNTERS(X): the end of each enumerator, and the file. */
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

#endif /* TLBBATCH_BATCH_STATS_H */
