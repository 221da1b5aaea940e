/* SPDX-License-Identifier: GPL-2.0-only */
/* Where reclaim counts what it writes. */
#ifndef TLBBATCH_COMPAT_STAT_H
#define TLBBATCH_COMPAT_STAT_H

#include <linux/mm.h>
#include <linux/vmstat.h>
#include <tlbbatch/reclaim_context.h>
#include "probed.h"

#ifdef TLBBATCH_HAVE_RECLAIM_STAT_NR_PAGEOUT

/* Up to 7.2 each pass counts its own writes. */
#define COMPAT_WITNESS_IS_TRACED	false

static inline u64 compat_pages_written(const struct tlbbatch_context *ctx)
{
	return (u64)ctx->stat->nr_pageout + ctx->pages_taken_back;
}

static inline void compat_take_back(struct tlbbatch_context *ctx,
				    struct folio *folio, unsigned int nr_pages)
{
	mod_node_page_state(folio_pgdat(folio), NR_VMSCAN_WRITE,
			    -(long)nr_pages);
	ctx->stat->nr_pageout -= nr_pages;
	ctx->pages_taken_back += nr_pages;
}

#else

/*
 * Rule B13. From 7.3 on only the trace event tells what a pass wrote. NR_VMSCAN_WRITE is
 * left alone: reclaim takes unsigned differences of it there, so it must never
 * fall. So one that was dropped counts as written, to lru_note_cost(), too; without
 * the module it would have been, but for one that asked for activation.
 */
#define COMPAT_WITNESS_IS_TRACED	true

static inline u64 compat_pages_written(const struct tlbbatch_context *ctx)
{
	return ctx->pages_traced;
}

static inline void compat_take_back(struct tlbbatch_context *ctx,
				    struct folio *folio, unsigned int nr_pages)
{
}

#endif /* TLBBATCH_HAVE_RECLAIM_STAT_NR_PAGEOUT */

#endif /* TLBBATCH_COMPAT_STAT_H */
