/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What deferral counts: files of /sys/kernel/tlbbatch/luf/stats, beside those of tracking.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_DEFER_STATS_H
#define TLBBATCH_DEFER_STATS_H

/* Why what was owed is flushed: the end of the enumerator, and of the file's name. */
#define DEFER_CAUSES(X)							\
	X(FULL,		full)		/* luf/batch, or no room */	\
	X(AGE,		age)		/* for luf/age_ms */		\
	X(CALL,		call)		/* a call of reclaim ended */	\
	X(LOW,		low)		/* memory is short */		\
	X(OOM,		oom)						\
	X(ISOLATE,	isolate)	/* offline, CMA, compaction, a range */ \
	X(OPEN,		open)		/* for writing; or an event met a pass */ \
	X(TRUNCATE,	truncate)					\
	X(COW,		cow)		/* a private copy is written */	\
	X(GUARD,	guard)		/* guard pages are made */	\
	X(OFF,		off)

/* DEFER_COUNTERS(X): the end of each enumerator, and the file. */
#define DEFER_COUNTERS(X)						\
	X(DEFER_PASSES_UNSEEN,	defer_passes_unseen)			\
	X(DEFER_FLUSHES,	flushes_deferred)			\
	X(DEFER_PAGES_HELD,	pages_held)				\
	X(DEFER_PAGES_RELEASED,	pages_released)				\
	X(DEFER_REFUSED_MIXED,	refused_mixed)				\
	X(DEFER_REFUSED_HIT,	refused_hit)				\
	X(DEFER_REFUSED_KEPT,	refused_kept)				\
	X(DEFER_REFUSED_MEMORY,	refused_memory)				\
	X(DEFER_FRAMES_CHECKED,	frames_checked)				\
	X(DEFER_FRAMES_UNCHECKED, frames_unchecked)			\
	X(DEFER_CHECK_HITS,	check_hits)				\
	DEFER_CAUSES(X_CAUSE)

#define X_CAUSE(upper, lower)	X(DEFER_CAUSE_##upper, flushes_##lower)

#endif /* TLBBATCH_DEFER_STATS_H */
