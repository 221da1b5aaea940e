// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replacements of shrink_folio_list() and of the flushes that it calls.
 *
 *  shrink_folio_list()           opens a context, runs the original, closes it
 *    try_to_unmap_flush_dirty()  per dirty folio: put off
 *    pageout() ... write-out     see writeout_gate.c: deferred, or flushed first
 *    try_to_unmap_flush()        before folios are freed: flushed, as in the kernel
 *
 * What waits is written behind the write-out of the folio that fills the batch, and
 * behind the original.
 *
 * The ftrace callback (hook_engine.c) sends only tasks with a context here.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/printk.h>
#include <linux/workqueue.h>
#include <compat/stat_compat.h>
#include <tlbbatch/batch_counters.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/dirty_batch.h>
#include <tlbbatch/flush.h>
#include <tlbbatch/kernel_calls.h>
#include <tlbbatch/knobs.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/reclaim_hooks.h>
#include <tlbbatch/symbols.h>

/* Set when the tripwire goes off: passes that are open put nothing off any more. */
static bool trip;

static void tripped(struct work_struct *work)
{
	tlbbatch_knob_switch_off("write-outs went by its hooks");
	WRITE_ONCE(trip, false);
}

static DECLARE_WORK(trip_work, tripped);

/**
 * tlbbatch_batch_unload() - stop batching for good
 *
 * A tripwire that went off does its work first.
 *
 * Context: unload; sysfs is gone.
 */
void tlbbatch_batch_unload(void)
{
	tlbbatch_knobs_exit();
	cancel_work_sync(&trip_work);
}

/*
 * Rule B4: a write that no hook saw may have started before its flush: the pass's own
 * statistics are the witness. Stop at once, detach from a worker.
 */
static void check_tripwire(struct tlbbatch_context *ctx)
{
	u64 reported = compat_pages_written(ctx->stat, ctx->pages_taken_back, ctx->pages_traced);

	if (likely(!tlbbatch_policy_tripped(reported, ctx->pages_seen)) ||
	    tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_TRIPWIRE))
		return;
	WRITE_ONCE(trip, true);
	tlbbatch_contexts_admit(false);
	pr_err_ratelimited("reclaim wrote %llu pages, the hooks saw %llu: batching stops\n",
			   reported, ctx->pages_seen);
	queue_work(system_long_wq, &trip_work);
}

static unsigned int batch_size_for(const struct scan_control *sc)
{
	/* A list that is handed over (MADV_PAGEOUT, DAMON) has no priority. */
	if (IS_ENABLED(TLBBATCH_DEBUG) && tlbbatch_nr_to_reclaim(sc) &&
	    tlbbatch_debug_priority_low(tlbbatch_priority(sc)))
		return TLBBATCH_BATCH_MIN;
	return tlbbatch_knob_batch_size();
}

static void begin_pass(struct tlbbatch_context *ctx, struct pglist_data *pgdat,
		       struct scan_control *sc, struct reclaim_stat *stat)
{
	ctx->batch_size = batch_size_for(sc);
	/* Rule B19: demotion migrates, retries and flushes in between: not batched. */
	ctx->unbatched = tlbbatch_demotes(pgdat->node_id);
	ctx->writing = false;
	ctx->owes = false;
	ctx->sc = sc;
	ctx->stat = stat;
	ctx->nr_waiting = 0;
	ctx->nr_uncovered = 0;
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
	tlbbatch_count(ctx->unbatched ? TLBBATCH_PASSES_UNBATCHED :
					TLBBATCH_PASSES, 1);
}

/* After the original: its folio list is the caller's, so still this task's. */
static void end_pass(struct tlbbatch_context *ctx)
{
	unsigned int activated;

	if (ctx->unbatched)
		return;
	/* Rules B9 and B11. Covered by the flush that reclaim's own frees came behind. */
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
	check_tripwire(ctx);
}

/**
 * tlbbatch_pass_begin() - shrink_folio_list() is about to run
 * @pgdat: the node
 * @sc: what the pass is for
 * @stat: its statistics, on its caller's stack
 *
 * A pass nested in another (it can't happen while reclaim sets PF_MEMALLOC) runs
 * unbatched: rule B19.
 *
 * Context: reclaim; the callback has claimed a context for this task.
 * Return: the context, for tlbbatch_pass_end().
 */
struct tlbbatch_context *tlbbatch_pass_begin(struct pglist_data *pgdat,
					     struct scan_control *sc,
					     struct reclaim_stat *stat)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();

	if (ctx->depth == 1)
		begin_pass(ctx, pgdat, sc, stat);
	tlbbatch_debug_in_pass();
	return ctx;
}

/**
 * tlbbatch_pass_end() - it has run
 * @ctx: from tlbbatch_pass_begin()
 * @nr_reclaimed: pages that it says it reclaimed
 *
 * Context: reclaim, behind the original. @ctx is not touched afterwards.
 * Return: pages reclaimed, those freed from the batch included.
 */
unsigned int tlbbatch_pass_end(struct tlbbatch_context *ctx,
			       unsigned int nr_reclaimed)
{
	if (ctx->depth == 1) {
		end_pass(ctx);
		nr_reclaimed += ctx->nr_reclaimed;
	}
	tlbbatch_context_leave(ctx);
	return nr_reclaimed;
}

/**
 * tlbbatch_hook_try_to_unmap_flush() - reclaim flushes before it frees
 *
 * It gets its flush (rule B2), which covers the folios that wait. They wait on (see
 * rule B10): the caller may be a THP split that holds rmap locks, or reclaim with folios that
 * it has uncharged and not freed yet.
 *
 * Context: reclaim, in a batched pass of this task.
 */
void tlbbatch_hook_try_to_unmap_flush(void)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();

	tlbbatch_debug_before_flush(ctx->owes);
	if (tlbbatch_negative_late_flush() && !ctx->writing)
		tlbbatch_batch_write_rest(ctx);
	tlbbatch_flush_now(ctx);
}

/**
 * tlbbatch_hook_try_to_unmap_flush_dirty() - reclaim is about to write a folio
 *
 * Put off: the gates see to it that the folio waits, or is written behind a flush.
 *
 * Only shrink_folio_list() calls this, for one folio, which is locked. If the folio
 * meets no gate (somebody holds a reference), it is unlocked with its flush put off,
 * as one that waits is; rules for what may happen to it then are the same.
 *
 * Context: reclaim, in a batched pass of this task.
 */
void tlbbatch_hook_try_to_unmap_flush_dirty(void)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();

	if (!tlbbatch_flush_owed())
		return;
	tlbbatch_flush_put_off(ctx);
	if (READ_ONCE(trip))
		tlbbatch_flush_now(ctx);
}
