// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pass that is batched, and replacements of the flushes that shrink_folio_list() calls.
 *
 *  shrink_folio_list()           see pass_hook.c: a pass begins, and ends
 *    try_to_unmap_flush_dirty()  per dirty folio: put off
 *    pageout() ... write-out     see writeout_gate.c: deferred, or flushed first
 *    try_to_unmap_flush()        before folios are freed: flushed, as in the kernel
 *
 * What waits is written behind a direct write-out whose flush covers all of it, such as
 * that of the folio that fills the batch, and behind the original.
 *
 * The ftrace callback (hook_set.c) sends only tasks in a batched pass here.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/printk.h>
#include "batch/batch_counters.h"
#include "batch/batch_symbols.h"
#include "batch/dirty_batch.h"
#include "batch/flush.h"
#include "batch/reclaim_context.h"
#include "batch/reclaim_hooks.h"
#include "compat/stat_compat.h"
#include "debug/debug.h"
#include "pass/demotion.h"
#include "pass/flush_calls.h"
#include "pass/pass.h"
#include "receivers/receivers.h"

/* Set when the tripwire goes off. From then on open passes put no flush off any more. */
static bool trip;

/**
 * tlbbatch_batch_tripped() - has the tripwire gone off since it was last armed?
 *
 * Context: any.
 */
bool tlbbatch_batch_tripped(void)
{
	return READ_ONCE(trip);
}

/**
 * tlbbatch_batch_rearm() - rearm the tripwire, after it switched batching off
 *
 * Context: process context; no pass is batched any more.
 */
void tlbbatch_batch_rearm(void)
{
	WRITE_ONCE(trip, false);
}

/*
 * Rule B4: a write-out that no hook saw may have started before its flush. It is
 * noticed, because reclaim counts it by itself.
 */
static bool check_tripwire(struct tlbbatch_context *ctx)
{
	u64 reported = compat_pages_written(ctx->stat, ctx->pages_taken_back, ctx->pages_traced);

	if (likely(!tlbbatch_policy_tripped(reported, ctx->pages_seen)) ||
	    tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_TRIPWIRE))
		return true;
	WRITE_ONCE(trip, true);
	pr_err_ratelimited("reclaim wrote %llu pages, the hooks saw %llu: batching stops\n",
			   reported, ctx->pages_seen);
	return false;
}

static unsigned int batch_size_for(const struct scan_control *sc, unsigned int batch_size)
{
	/* The priority means nothing if a list is handed over (MADV_PAGEOUT, DAMON). */
	if (IS_ENABLED(TLBBATCH_DEBUG) && tlbbatch_nr_to_reclaim(sc) &&
	    tlbbatch_debug_priority_low(tlbbatch_priority(sc)))
		return TLBBATCH_BATCH_MIN;
	return batch_size;
}

/**
 * tlbbatch_batch_begin() - a pass begins
 * @pass: the pass
 * @batch_size: folios that share a flush in it
 *
 * Context: reclaim, before the original.
 */
void tlbbatch_batch_begin(struct tlbbatch_pass *pass, unsigned int batch_size)
{
	struct tlbbatch_context *ctx = tlbbatch_context_of(pass);

	ctx->batch_size = batch_size_for(pass->sc, batch_size);
	/*
	 * Rule B4: enabled=1 may have been written again behind the tripwire's back.
	 * Rule B19: demotion migrates, retries and flushes in between.
	 */
	ctx->batched = !tlbbatch_batch_tripped() && !tlbbatch_demotes(pass->pgdat->node_id);
	pass->puts_off = ctx->batched;
	if (ctx->batched)
		pass->flushes |= TLBBATCH_FLUSH_BATCHED;
	ctx->writing = false;
	ctx->owes = false;
	ctx->sc = pass->sc;
	ctx->stat = pass->stat;
	ctx->nr_waiting = 0;
	ctx->nr_uncovered = 0;
	ctx->worth = (struct tlbbatch_worth){ .min = READ_ONCE(tlbbatch_receivers_min) };
	ctx->owed = (struct tlbbatch_owed){ 0 };
	ctx->deferred = 0;
	ctx->flushes = 0;
	ctx->nr_reclaimed = 0;
	ctx->pages_seen = 0;
	ctx->pages_taken_back = 0;
	ctx->pages_traced = 0;
	ctx->pages_activated[0] = 0;
	ctx->pages_activated[1] = 0;
	ctx->debug = (struct tlbbatch_debug_pass){ };
	tlbbatch_count(ctx->batched ? TLBBATCH_PASSES :
				      TLBBATCH_PASSES_UNBATCHED, 1);
}

/**
 * tlbbatch_batch_end() - a pass is over
 * @pass: the pass
 *
 * Context: reclaim, after the original. The folio list is that of the original's
 *	caller, so it still belongs to this task.
 * Return: false if a write-out bypassed the hooks: batching must stop (rule B4).
 */
bool tlbbatch_batch_end(struct tlbbatch_pass *pass)
{
	struct tlbbatch_context *ctx = tlbbatch_context_of(pass);
	unsigned int activated;

	if (!ctx->batched)
		return true;
	/*
	 * Rules B9 and B11. Reclaim's last flush, before it freed folios, covers these.
	 */
	tlbbatch_batch_write_rest(ctx);
	if (ctx->owed.requests)
		tlbbatch_flush_now(ctx);

	activated = ctx->pages_activated[0] + ctx->pages_activated[1];
	if (activated) {
		ctx->stat->nr_activate[0] += ctx->pages_activated[0];
		ctx->stat->nr_activate[1] += ctx->pages_activated[1];
		count_vm_events(PGACTIVATE, activated);
	}
	if (ctx->deferred) {
		tlbbatch_count(TLBBATCH_PASSES_DEFERRING, 1);
		tlbbatch_count(TLBBATCH_FLUSHES_DEFERRING, ctx->flushes);
		tlbbatch_debug_pass_end(&ctx->debug, ctx->deferred);
	}
	pass->nr_reclaimed += ctx->nr_reclaimed;
	ctx->batched = false;
	pass->flushes &= ~TLBBATCH_FLUSH_BATCHED;
	return check_tripwire(ctx);
}

/**
 * tlbbatch_batch_flush() - reclaim flushes before it frees
 * @pass: the running task's pass, which is batched
 *
 * The flush is executed (rule B2), and covers the folios that wait. They aren't written
 * here (rule B10): the caller may be a THP split that holds rmap locks, or reclaim with
 * folios that it has uncharged and not freed yet.
 *
 * Context: reclaim, in a batched pass of this task.
 */
void tlbbatch_batch_flush(struct tlbbatch_pass *pass)
{
	struct tlbbatch_context *ctx = tlbbatch_context_of(pass);

	tlbbatch_debug_before_flush(ctx->owes);
	if (tlbbatch_negative_late_flush() && !ctx->writing)
		tlbbatch_batch_write_rest(ctx);
	tlbbatch_flush_now(ctx);
	if (tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_INFLUSH) && !ctx->writing)
		tlbbatch_batch_write_rest(ctx);
}

/**
 * tlbbatch_hook_try_to_unmap_flush_dirty() - reclaim is about to write a folio
 *
 * The flush is put off. At a gate the folio then waits, or is written after a flush.
 *
 * Only shrink_folio_list() calls this, for one folio, which is locked. If the folio
 * meets no gate, because somebody holds a reference, it is unlocked with its flush put
 * off. The rules for a folio that waits then hold for it, too.
 *
 * Context: reclaim, in a batched pass of this task.
 */
void tlbbatch_hook_try_to_unmap_flush_dirty(void)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();

	if (!tlbbatch_flush_owed())
		return;
	tlbbatch_flush_put_off(ctx);
	if (tlbbatch_batch_tripped())
		tlbbatch_flush_now(ctx);
}
