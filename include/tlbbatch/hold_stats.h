/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What holding counts: the files of /sys/kernel/tlbbatch/hold/stats.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_HOLD_STATS_H
#define TLBBATCH_HOLD_STATS_H

/* HOLD_COUNTERS(X): the end of each enumerator, and the file. */
#define HOLD_COUNTERS(X)						\
	X(PASSES,		passes)					\
	X(PASSES_UNSEEN,	passes_unseen)				\
	X(FLUSHES_LEFT_OUT,	flushes_left_out)			\
	X(FOLIOS_HELD,		folios_held)				\
	X(PAGES_HELD,		pages_held)				\
	X(PAGES_GIVEN_BACK,	pages_given_back)			\
	X(REFUSED_DIRTY,	refused_dirty)				\
	X(REFUSED_REFERENCED,	refused_referenced)			\
	X(REFUSED_FULL,		refused_full)				\
	X(LATE_FLUSHES,		late_flushes)

#endif /* TLBBATCH_HOLD_STATS_H */
