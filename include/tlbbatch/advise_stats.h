/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What advise counts: the files of /sys/kernel/tlbbatch/advise/stats.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_ADVISE_STATS_H
#define TLBBATCH_ADVISE_STATS_H

/* ADVISE_CAUSES(X): why a flush came. Each flush has one cause. */
#define ADVISE_CAUSES(X)						\
	X(RECLAIM_DIRTY,	reclaim_dirty)				\
	X(RECLAIM_LAST,		reclaim_last)				\
	X(UNMAP,		unmap)					\
	X(MPROTECT,		mprotect)				\
	X(MIGRATE,		migrate)				\
	X(EXIT,			exit)					\
	X(OTHER,		other)

/* What batching would have made of reclaim's flushes, in the passes that are judged. */
#define ADVISE_WHATIF(X)						\
	X(PASSES,		passes)					\
	X(PASSES_UNSEEN,	passes_unseen)				\
	X(PASSES_PUT_OFF,	passes_put_off)				\
	X(PASSES_DEMOTING,	passes_demoting)			\
	X(WHATIF_FOLIOS_DEFERRED, whatif_folios_deferred)		\
	X(WHATIF_FLUSHES,	whatif_flushes)				\
	X(WHATIF_FLUSHES_LEFT,	whatif_flushes_left)			\
	X(WHATIF_RECEIVERS,	whatif_receivers)			\
	X(WHATIF_RECEIVERS_LEFT, whatif_receivers_left)

#endif /* TLBBATCH_ADVISE_STATS_H */
