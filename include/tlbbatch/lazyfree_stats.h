/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What discarding counts: the files of /sys/kernel/tlbbatch/lazyfree/stats.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_LAZYFREE_STATS_H
#define TLBBATCH_LAZYFREE_STATS_H

/* LAZYFREE_COUNTERS(X): the end of each enumerator, and the file. */
#define LAZYFREE_COUNTERS(X)						\
	X(TRIED,		tried)					\
	X(PAGES_DISCARDED,	pages_discarded)			\
	X(RESTORED_DIRTY,	restored_dirty)				\
	X(RESTORED_REFERENCED,	restored_referenced)			\
	X(DECLINED_SHARED,	declined_shared)			\
	X(DECLINED_VMA,		declined_vma)				\
	X(DECLINED_DIRTY,	declined_dirty)				\
	X(DECLINED_PROTECTED,	declined_protected)			\
	X(DECLINED_NOTIFIER,	declined_notifier)			\
	X(DECLINED_OTHER,	declined_other)

#endif /* TLBBATCH_LAZYFREE_STATS_H */
