/* SPDX-License-Identifier: GPL-2.0-only */
/* Where reclaim counts what it writes. */
#ifndef TLBBATCH_COMPAT_STAT_H
#define TLBBATCH_COMPAT_STAT_H

#include <linux/mm.h>
#include <linux/vmstat.h>
#include "probed.h"

#ifdef TLBBATCH_HAVE_RECLAIM_STAT_NR_PAGEOUT

/* Up to 7.2 each pass counts its own writes. */
#define COMPAT_WITNESS_IS_TRACED	false

/*
 * Pages that a pass wrote. @taken_back: pages that drops took out of @stat again.
 * @traced: pages that the trace event said were written.
 */
static inline u64 compat_pages_written(const struct reclaim_stat *stat,
				       u64 taken_back, u64 traced)
{
	return (u64)stat->nr_pageout + taken_back;
}

static inline void compat_take_back(struct reclaim_stat *stat, u64 *taken_back,
				    struct folio *folio, unsigned int nr_pages)
{
	mod_node_page_state(folio_pgdat(folio), NR_VMSCAN_WRITE,
			    -(long)nr_pages);
	stat->nr_pageout -= nr_pages;
	*taken_back += nr_pages;
}

#else

/*
 * Rule B13. From 7.3 on only the trace event tells what a pass wrote. NR_VMSCAN_WRITE
 * is left alone: reclaim takes unsigned differences of it there, so it must never fall.
 * So a folio that was dropped counts as written, for lru_note_cost(), too. Without the
 * module it would have been written, unless its write-out had asked for activation.
 */
#define COMPAT_WITNESS_IS_TRACED	true

static inline u64 compat_pages_written(const struct reclaim_stat *stat,
				       u64 taken_back, u64 traced)
{
	return traced;
}

static inline void compat_take_back(struct reclaim_stat *stat, u64 *taken_back,
				    struct folio *folio, unsigned int nr_pages)
{
}

#endif /* TLBBATCH_HAVE_RECLAIM_STAT_NR_PAGEOUT */

#endif /* TLBBATCH_COMPAT_STAT_H */
