/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is counted of dirty file pages: the files of /sys/kernel/tlbbatch/flusher/stats.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_FLUSHER_STATS_H
#define TLBBATCH_FLUSHER_STATS_H

/* FLUSHER_COUNTERS(X): the end of each enumerator, and the file. */
#define FLUSHER_COUNTERS(X)						\
	X(PASSES,		passes)					\
	X(PASSES_UNSEEN,	passes_unseen)				\
	X(PASSES_ALL_DIRTY,	passes_all_dirty)			\
	X(WAKEUPS,		wakeups)				\
	X(WAKEUPS_LIMITED,	wakeups_limited)			\
	X(PAGES_TAKEN,		pages_taken)				\
	X(PAGES_UNQUEUED,	pages_unqueued)				\
	X(PAGES_WRITEBACK,	pages_writeback)			\
	X(PAGES_CONGESTED,	pages_congested)

#endif /* TLBBATCH_FLUSHER_STATS_H */
