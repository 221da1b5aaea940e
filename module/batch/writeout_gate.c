// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gates: every way by which a reclaim pass can start a write-out (rule B1).
 *
 * Swap-backed folios end in the swap write-out or, still in their page cache,
 * in shmem's: there they wait, or are written behind a flush. A shmem folio is
 * deferred before it leaves the page cache: once it is in the swap cache,
 * newer kernels refuse to write it from reclaim a second time, so one that was
 * dropped from a batch would stay for ever (rule B14).
 *
 * Where kswapd can still write files (up to 6.15), pageout() is hooked too, and
 * any folio whose mapping's writer is not a gate gets its flush first.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>
#include "batch/batch_counters.h"
#include "batch/batch_symbols.h"
#include "batch/dirty_batch.h"
#include "batch/flush.h"
#include "batch/folio_write.h"
#include "batch/reclaim_context.h"
#include "batch/reclaim_hooks.h"
#include "debug/debug.h"
#include "hooks/hook.h"
#include "kernel/kernel_calls.h"
#include "pass/demotion.h"
#include "receivers/receivers.h"

static bool at_home(const struct tlbbatch_writeout *out)
{
	bool in_swap = out->gate == TLBBATCH_GATE_SWAP;

	return folio_test_swapcache(out->folio) == in_swap &&
	       (folio_test_anon(out->folio) == in_swap ||
		tlbbatch_debug_defer_shmem_late());
}

/* Rule S7: would the flush of a folio that may wait interrupt enough other CPUs? */
static bool is_worth_waiting(struct tlbbatch_context *ctx)
{
	unsigned int receivers = 0;
	bool looks = tlbbatch_worth_needs_look(&ctx->worth), worth;

	if (looks)
		receivers = tlbbatch_receivers_now(ctx->worth.min);
	worth = tlbbatch_worth_decide(&ctx->worth, receivers, ctx->batch_size);
	if (looks) {
		tlbbatch_receivers_count(TLBBATCH_SHOOTDOWN_DEFERRALS_JUDGED, 1);
		tlbbatch_receivers_count(TLBBATCH_SHOOTDOWN_FOLIOS_DIRECT_FEW, !worth);
		tlbbatch_receivers_count(TLBBATCH_SHOOTDOWN_RECEIVERS_SEEN, receivers);
	}
	return worth;
}

/**
 * tlbbatch_gate_defers() - does a folio at a gate wait?
 * @out: the folio; @out->nr_pages is filled in
 *
 * If it needn't or mustn't wait, or fills the batch, what is owed is flushed. Then it
 * may be written, and tlbbatch_gate_wrote() writes the folios that waited after it.
 *
 * Context: pageout(), in a batched pass of this task; the folio is locked.
 * Return: true if it waits, unlocked, and the write-out must return 0.
 */
bool tlbbatch_gate_defers(struct tlbbatch_writeout *out)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();
	u64 start = tlbbatch_debug_clock();
	bool owed = tlbbatch_flush_owed();
	struct tlbbatch_defer_facts facts;

	out->nr_pages = folio_nr_pages(out->folio);
	facts = (struct tlbbatch_defer_facts){
		.flush_owed = owed || tlbbatch_debug_defer_always(),
		/* Rule B19: demotion may have been switched on since the pass began. */
		.for_reclaim = out->for_reclaim && at_home(out) &&
			       !tlbbatch_policy_may_be_split(out->gate, out->nr_pages) &&
			       !tlbbatch_debug_defer_never() &&
			       !tlbbatch_demotes(folio_nid(out->folio)),
		.waiting = ctx->nr_waiting,
		/* The last member of a batch is written directly: rule B18. */
		.capacity = ctx->batch_size - 1,
	};

	if (tlbbatch_policy_defer(&facts) && is_worth_waiting(ctx)) {
		ctx->pages_seen += out->nr_pages;
		tlbbatch_batch_defer(ctx, out);
		if (tlbbatch_debug_flush_each())
			tlbbatch_flush_now(ctx);
		tlbbatch_debug_spent_own(start);
		return true;
	}
	if (owed && !tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_DIRECT))
		tlbbatch_flush_now(ctx);
	tlbbatch_count(TLBBATCH_FOLIOS_DIRECT, 1);
	/* Shmem's write-out ends in swap's, which must not be gated again. */
	ctx->writing = true;
	return false;
}

/**
 * tlbbatch_gate_wrote() - a folio that didn't wait was written
 * @out: the folio, after tlbbatch_gate_defers() refused it
 * @ret: what the kernel's write-out returned
 *
 * It counts the pages that reclaim will count: none if the write-out was refused, and
 * one if the folio was split. Reclaim's reference still holds the folio.
 *
 * A write-out that took the folio has unlocked it, so that this task holds no folio
 * lock. Then the folios that wait and are covered are written here. A folio that was
 * refused is still locked: then they go on waiting (rule B9).
 *
 * Context: pageout(), in a batched pass of this task.
 * Return: @ret.
 */
int tlbbatch_gate_wrote(const struct tlbbatch_writeout *out, int ret)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();

	ctx->writing = false;
	if (ret == AOP_WRITEPAGE_ACTIVATE)
		return ret;
	ctx->pages_seen += folio_test_large(out->folio) ? out->nr_pages : 1;
	if (!ctx->nr_uncovered)
		tlbbatch_batch_write(ctx, out->io);
	return ret;
}

/*
 * Rule B16. That the write-out is hooked isn't enough: a hook of another feature flushes
 * nothing.
 */
static bool is_gate(unsigned long writer)
{
	const struct tlbbatch_target *target = tlbbatch_target_at(writer);

	return target && target->write_out &&
	       (target->writer.key == &STATIC_CALL_KEY(tlbbatch_write_swap) ||
		target->writer.key == &STATIC_CALL_KEY(tlbbatch_write_shmem));
}

/**
 * tlbbatch_file_write_begin() - reclaim writes a dirty folio
 * @write: for tlbbatch_file_write_end()
 * @folio: locked
 * @writer: address of its mapping's own write-out, 0 if it has none
 *
 * The mapping's writer decides where the folio goes. If that isn't a gate, what was put
 * off is flushed here. The same holds for a mapping without a writer, whose folios the
 * flusher writes. The folios that wait stay in their batch, and are covered now.
 * Rule B16.
 *
 * Context: pageout(), in a batched pass of this task.
 */
void tlbbatch_file_write_begin(struct tlbbatch_file_write *write,
			       struct folio *folio, unsigned long writer)
{
	write->nr_pages = 0;
	if (writer && is_gate(writer))
		return;
	/* Without a writer it is unlocked unwritten, for the flusher to write. */
	if (writer)
		write->nr_pages = folio_nr_pages(folio);
	if (tlbbatch_flush_owed() &&
	    !tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_FILE))
		tlbbatch_flush_now(tlbbatch_context_current());
}

/**
 * tlbbatch_file_write_end() - pageout() has returned
 * @write: from tlbbatch_file_write_begin()
 * @ret: what pageout() returned
 *
 * Context: pageout(), in a batched pass of this task.
 * Return: @ret.
 */
int tlbbatch_file_write_end(const struct tlbbatch_file_write *write, int ret)
{
	if (write->nr_pages && ret == tlbbatch_pageout_success()) {
		tlbbatch_context_current()->pages_seen += write->nr_pages;
		tlbbatch_count(TLBBATCH_FOLIOS_FILE, 1);
	}
	return ret;
}
