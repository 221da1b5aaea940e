// SPDX-License-Identifier: GPL-2.0-only
/*
 * The batch: defer, flush once, recheck, write out.
 *
 * A folio that waits is unlocked and unfrozen, off the LRU, and on the return
 * list of shrink_folio_list(), which the running task owns. It carries
 * reclaim's isolation reference and one of the batch's own: reclaim tests the
 * dirty bit again after the deferral, and would free a folio that somebody
 * cleaned in between, was it not for that reference.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <compat/stat_compat.h>
#include <tlbbatch/counters.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/dirty_batch.h>
#include <tlbbatch/flush.h>
#include <tlbbatch/folio_free.h>
#include <tlbbatch/folio_write.h>
#include <tlbbatch/reclaim_hooks.h>

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
	ctx->io = out->io;
	ctx->deferred++;
	ctx->nr_uncovered++;
	WRITE_ONCE(ctx->nr_waiting, ctx->nr_waiting + 1);

	tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED, 1);
	if (w->gate == TLBBATCH_GATE_SHMEM)
		tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED_SHMEM, 1);
	if (w->nr_pages > 1)
		tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED_LARGE, 1);

	folio_get(folio);
	folio_mark_dirty(folio);
	folio_unlock(folio);
}

/*
 * Somebody outside of reclaim (a GPU driver's shrinker) may have cleaned the
 * folio while it waited, before the flush: a store through a stale entry could
 * have come after that write. Dirty again, it will be written again; on one that
 * is about to be freed the bit means nothing.
 */
static void drop(struct tlbbatch_context *ctx, struct tlbbatch_waiting *w,
		 enum tlbbatch_drop reason)
{
	folio_set_dirty(w->folio);
	/* Reclaim counted it as written when it was deferred. It wasn't. */
	compat_take_back(ctx, w->folio, w->nr_pages);
	tlbbatch_count(TLBBATCH_FOLIOS_DROPPED, 1);
	tlbbatch_count(TLBBATCH_DROPPED_LOCKED + reason, 1);
	tlbbatch_debug_lose(w->folio);
	/* Never the last one: the return list still has the isolation's. */
	folio_put(w->folio);
}

/*
 * Write out all that wait, and keep at the front of the array those that the
 * kernel's write-out took. Returns their number.
 */
static unsigned int write_waiting(struct tlbbatch_context *ctx)
{
	unsigned int nr = ctx->nr_waiting;
	unsigned int written = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct tlbbatch_waiting w = ctx->waiting[i];
		enum tlbbatch_drop reason = tlbbatch_folio_write(ctx, &w);

		if (reason == TLBBATCH_KEEP) {
			tlbbatch_count(TLBBATCH_FOLIOS_WRITTEN, 1);
			ctx->waiting[written++] = w;
		} else {
			drop(ctx, &w, reason);
		}
		WRITE_ONCE(ctx->nr_waiting, nr - i - 1);
	}
	return written;
}

/**
 * tlbbatch_batch_drain() - flush, and write out all that wait
 * @ctx: the running task's pass
 *
 * One flush covers every folio that this pass has unmapped so far. No folio is
 * locked across it, and while one is written no other is: a swap device that is
 * served by user space (FUSE, nbd) may fault on any of them. What completed at
 * once (zram, zswap) is freed.
 *
 * Context: the owner of @ctx, called by shrink_folio_list() or by its wrapper,
 *	which hold no folio lock; sleeps where the kernel's write-out sleeps.
 */
void tlbbatch_batch_drain(struct tlbbatch_context *ctx)
{
	unsigned int written, i;

	tlbbatch_debug_before_drain(ctx);
	if (!tlbbatch_negative_late_flush())
		tlbbatch_flush_now(ctx);
	if (!ctx->nr_waiting && !tlbbatch_negative_late_flush())
		return;

	tlbbatch_count(TLBBATCH_BATCHES, 1);
	ctx->writing = true;
	written = write_waiting(ctx);
	if (tlbbatch_negative_late_flush())
		tlbbatch_flush_now(ctx);
	for (i = 0; i < written; i++)
		tlbbatch_folio_free_written(ctx, ctx->waiting[i].folio);
	ctx->writing = false;
}
