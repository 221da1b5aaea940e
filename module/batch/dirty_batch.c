// SPDX-License-Identifier: GPL-2.0-only
/*
 * The batch: defer, flush once, recheck, write out.
 *
 * A folio that waits is unlocked and unfrozen, off the LRU, and on the return
 * list of shrink_folio_list(), which the running task owns. It carries
 * reclaim's isolation reference and one of the batch's own: reclaim tests the
 * dirty bit again after the deferral, and would free a folio that somebody
 * cleaned in between, but for that reference (rule B5).
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include "batch/batch_counters.h"
#include "batch/dirty_batch.h"
#include "batch/flush.h"
#include "batch/folio_free.h"
#include "batch/folio_write.h"
#include "compat/folio_compat.h"
#include "compat/stat_compat.h"
#include "compat/swap_io_compat.h"
#include "debug/debug.h"
#include "events/tlbbatch_events.h"

/* As events/tlbbatch_events.h names them. */
static_assert(TLBBATCH_GATE_SWAP == 0 && TLBBATCH_GATE_SHMEM == 1);

/**
 * tlbbatch_batch_defer() - let a folio wait
 * @ctx: the running task's pass; has room
 * @out: the folio, locked, dirty bit cleared for I/O, at its gate
 *
 * To reclaim this looks like a write-out that left the folio dirty: it goes to
 * the return list. It has been counted as written; a drop takes that back.
 *
 * Context: the owner of @ctx, in reclaim. Unlocks the folio.
 */
void tlbbatch_batch_defer(struct tlbbatch_context *ctx,
			  const struct tlbbatch_writeout *out)
{
	struct tlbbatch_waiting *w = &ctx->waiting[ctx->nr_waiting];
	struct folio *folio = out->folio;

	w->folio = folio;
	w->mapping = folio_mapping(folio);
	w->nr_pages = out->nr_pages;
	w->gate = out->gate;
	ctx->deferred++;
	ctx->nr_uncovered++;
	WRITE_ONCE(ctx->nr_waiting, ctx->nr_waiting + 1);

	tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED, 1);
	if (w->gate == TLBBATCH_GATE_SHMEM)
		tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED_SHMEM, 1);
	if (w->nr_pages > 1)
		tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED_LARGE, 1);
	trace_defer(folio, w->nr_pages, w->gate, ctx->nr_waiting);

	folio_get(folio);
	folio_mark_dirty(folio);
	folio_unlock(folio);
}

/*
 * Somebody unknown wrote a folio that waited, if it is clean or under writeback now,
 * perhaps before the flush. It is marked dirty again, so that it will be written again
 * (rule B8). This isn't about those who write shmem outside of reclaim: for them a
 * flush came first (tlbbatch_flush_before_foreign_write()), and the folio has left its
 * mapping.
 */
static bool written_by_others(enum tlbbatch_drop reason)
{
	return reason == TLBBATCH_DROP_CLEAN ||
	       reason == TLBBATCH_DROP_WRITEBACK;
}

static void drop_folio(struct tlbbatch_context *ctx, const struct tlbbatch_waiting *w,
		       enum tlbbatch_drop reason)
{
	if (written_by_others(reason))
		folio_set_dirty(w->folio);
	/* Reclaim counted it as written when it was deferred. It wasn't: rule B13. */
	compat_take_back(ctx->stat, &ctx->pages_taken_back, w->folio, w->nr_pages);
	tlbbatch_count(TLBBATCH_FOLIOS_DROPPED, 1);
	tlbbatch_count(TLBBATCH_DROPPED_LOCKED + reason, 1);
	trace_drop(w->folio, w->nr_pages, reason);
	tlbbatch_debug_dropped(&ctx->debug, reason == TLBBATCH_DROP_MAPPED,
			       reason == TLBBATCH_DROP_GONE);
	tlbbatch_debug_lose(w->folio);
	/* Not the last reference: reclaim's isolation reference holds the folio. */
	folio_put(w->folio);
}

/**
 * tlbbatch_batch_write() - write out all that wait
 * @ctx: the running task's pass
 * @io: gathers what is written; the caller submits it. In pageout() it must be reclaim's
 *	own: a task that holds one request unsubmitted and asks for a second may wait for
 *	ever for the pool that both come from (rule B11)
 *
 * Folios that no flush has covered yet get one here, before anything is written
 * (rule B1). While a folio is written this task holds no other folio's lock (rule B6):
 * a swap device that is served by user space (FUSE, nbd) may fault on any of them. A
 * folio whose write-out completed at once (zram, zswap) is freed right after it, which
 * gives back memory while a compressor takes some.
 *
 * Context: the owner of @ctx, in pageout() behind a write-out or behind
 *	shrink_folio_list(); it holds no folio lock. Sleeps where the kernel's
 *	write-out sleeps.
 */
void tlbbatch_batch_write(struct tlbbatch_context *ctx, struct swap_io_ctx *io)
{
	unsigned int nr = ctx->nr_waiting, late = 0, i;

	if (!nr)
		return;
	trace_drain(nr, ctx->nr_uncovered);
	if (ctx->nr_uncovered && !tlbbatch_negative_late_flush())
		tlbbatch_flush_now(ctx);
	tlbbatch_count(TLBBATCH_BATCHES, 1);
	folio_batch_init(&ctx->freed);
	ctx->writing = true;
	for (i = 0; i < nr; i++) {
		struct tlbbatch_waiting w = ctx->waiting[i];
		enum tlbbatch_drop reason = tlbbatch_folio_write(ctx, io, &w);

		if (reason != TLBBATCH_DROP_NONE) {
			drop_folio(ctx, &w, reason);
		} else {
			tlbbatch_count(TLBBATCH_FOLIOS_WRITTEN, 1);
			if (tlbbatch_negative_late_flush())
				ctx->waiting[late++] = w;
			else
				tlbbatch_folio_free_written(ctx, w.folio);
		}
		WRITE_ONCE(ctx->nr_waiting, nr - i - 1);
		cond_resched();
	}
	if (tlbbatch_negative_late_flush())
		tlbbatch_flush_now(ctx);
	for (i = 0; i < late; i++)
		tlbbatch_folio_free_written(ctx, ctx->waiting[i].folio);
	tlbbatch_folio_free_group(ctx);
	ctx->writing = false;
}

/**
 * tlbbatch_batch_write_rest() - write out all that wait, when reclaim's swap I/O is over
 * @ctx: the running task's pass
 *
 * Rule B11: the batch is empty, and its I/O submitted, before the pass returns.
 *
 * Context: the owner of @ctx, behind shrink_folio_list().
 */
void tlbbatch_batch_write_rest(struct tlbbatch_context *ctx)
{
	struct compat_swap_io own = { };

	if (!ctx->nr_waiting)
		return;
	tlbbatch_batch_write(ctx, compat_swap_io_handle(&own));
	compat_swap_io_submit(&own);
}
