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
#include <tlbbatch/counters.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/dirty_batch.h>
#include <tlbbatch/flush.h>
#include <tlbbatch/folio_free.h>
#include <tlbbatch/folio_write.h>

/**
 * tlbbatch_batch_defer() - let a folio wait
 * @ctx: the running task's pass; has room
 * @folio: locked, dirty bit cleared for I/O, at its write-out
 * @gate: where it is
 * @plug: reclaim's swap plug
 *
 * To reclaim this looks like a write-out that left the folio dirty: it goes to
 * the return list. It has been counted as written; a drop takes that back.
 *
 * Context: the owner of @ctx, in reclaim. Unlocks @folio.
 */
void tlbbatch_batch_defer(struct tlbbatch_context *ctx, struct folio *folio,
			  enum tlbbatch_gate gate, struct swap_iocb **plug)
{
	struct tlbbatch_waiting *w = &ctx->waiting[ctx->nr_waiting];

	w->folio = folio;
	w->mapping = folio_mapping(folio);
	w->nr_pages = folio_nr_pages(folio);
	w->gate = gate;
	ctx->plug = plug;
	ctx->deferred++;
	ctx->nr_uncovered++;
	WRITE_ONCE(ctx->nr_waiting, ctx->nr_waiting + 1);

	tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED, 1);
	if (gate == TLBBATCH_GATE_SHMEM)
		tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED_SHMEM, 1);
	if (w->nr_pages > 1)
		tlbbatch_count(TLBBATCH_FOLIOS_DEFERRED_LARGE, 1);

	folio_get(folio);
	folio_mark_dirty(folio);
	folio_unlock(folio);
}

/* Reclaim counted the folio as written when it was deferred. It wasn't. */
static void take_back(struct tlbbatch_context *ctx, struct tlbbatch_waiting *w)
{
	mod_node_page_state(folio_pgdat(w->folio), NR_VMSCAN_WRITE,
			    -(long)w->nr_pages);
	ctx->stat->nr_pageout -= w->nr_pages;
	ctx->pages_taken_back += w->nr_pages;
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
	take_back(ctx, w);
	tlbbatch_count(TLBBATCH_FOLIOS_DROPPED, 1);
	tlbbatch_count(TLBBATCH_DROPPED_LOCKED + reason, 1);
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
