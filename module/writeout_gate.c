// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gates: every way by which a reclaim pass can start a write-out.
 *
 * Swap-backed folios end in the swap write-out or, still in their page cache,
 * in shmem's: there they wait, or are written behind a flush. A shmem folio is
 * deferred before it leaves the page cache: once it is in the swap cache,
 * newer kernels refuse to write it from reclaim a second time, so one that was
 * dropped from a batch would stay for ever.
 *
 * Where kswapd can still write files (up to 6.15), pageout() is hooked too, and
 * any folio whose mapping's writer is not a gate gets its flush first.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>
#include <tlbbatch/counters.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/dirty_batch.h>
#include <tlbbatch/flush.h>
#include <tlbbatch/kernel_calls.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/reclaim_hooks.h>
#include <tlbbatch/symbols.h>

static bool at_home(struct folio *folio, enum tlbbatch_gate gate)
{
	bool in_swap = gate == TLBBATCH_GATE_SWAP;

	return folio_test_anon(folio) == in_swap &&
	       folio_test_swapcache(folio) == in_swap;
}

/* Returns true if the folio waits now; else it may be written at once. */
static bool gate_defer(struct tlbbatch_context *ctx,
		       const struct compat_writeout *out,
		       enum tlbbatch_gate gate)
{
	u64 start = tlbbatch_debug_clock();
	bool owed = tlbbatch_flush_owed();
	struct tlbbatch_defer_facts facts = {
		.flush_owed = owed || tlbbatch_debug_defer_always(),
		/* Demotion may have been switched on since the pass began. */
		.for_reclaim = out->for_reclaim && at_home(out->folio, gate) &&
			       !tlbbatch_demotes(folio_nid(out->folio)),
		.waiting = ctx->nr_waiting,
		.capacity = ARRAY_SIZE(ctx->waiting),
	};

	if (tlbbatch_policy_defer(&facts)) {
		ctx->pages_seen += folio_nr_pages(out->folio);
		tlbbatch_batch_defer(ctx, out->folio, gate, out->plug);
		tlbbatch_debug_spent_own(start);
		return true;
	}
	if (owed)
		tlbbatch_flush_now(ctx);
	tlbbatch_count(TLBBATCH_FOLIOS_DIRECT, 1);
	return false;
}

/* What reclaim counts as written: everything but a refusal. */
static int gate_wrote(struct tlbbatch_context *ctx, long nr_pages, int ret)
{
	ctx->writing = false;
	if (ret != AOP_WRITEPAGE_ACTIVATE)
		ctx->pages_seen += nr_pages;
	return ret;
}

/**
 * tlbbatch_hook_swap_writeout() - an anonymous folio is to be swapped out
 * @COMPAT_WRITEOUT_PARAMS: what the kernel's swap write-out takes
 *
 * Context: pageout(), in a batched pass of this task; the folio is locked.
 * Return: 0 if it waits, else what the kernel's write-out returns.
 */
int tlbbatch_hook_swap_writeout(COMPAT_WRITEOUT_PARAMS)
{
	struct compat_writeout out = compat_writeout_args(COMPAT_WRITEOUT_ARGS);
	struct tlbbatch_context *ctx = tlbbatch_context_current();
	long nr_pages = folio_nr_pages(out.folio);

	if (gate_defer(ctx, &out, TLBBATCH_GATE_SWAP))
		return 0;
	ctx->writing = true;
	return gate_wrote(ctx, nr_pages,
			  static_call(tlbbatch_orig_swap_writeout)(COMPAT_WRITEOUT_ARGS));
}

/**
 * tlbbatch_hook_shmem_writeout() - a shmem folio is to be swapped out
 * @COMPAT_WRITEOUT_PARAMS: what the kernel's shmem write-out takes
 *
 * The folio still is in its page cache.
 *
 * Context: pageout(), in a batched pass of this task; the folio is locked.
 * Return: 0 if it waits, else what the kernel's write-out returns.
 */
int tlbbatch_hook_shmem_writeout(COMPAT_WRITEOUT_PARAMS)
{
	struct compat_writeout out = compat_writeout_args(COMPAT_WRITEOUT_ARGS);
	struct tlbbatch_context *ctx = tlbbatch_context_current();
	long nr_pages = folio_nr_pages(out.folio);

	if (gate_defer(ctx, &out, TLBBATCH_GATE_SHMEM))
		return 0;
	/* It ends in the swap write-out, which must not be gated again. */
	ctx->writing = true;
	return gate_wrote(ctx, nr_pages,
			  static_call(tlbbatch_orig_shmem_writeout)(COMPAT_WRITEOUT_ARGS));
}

/**
 * tlbbatch_hook_pageout() - reclaim writes a dirty folio
 * @folio: locked
 * @mapping: its mapping, or NULL
 * @plug: reclaim's swap plug
 *
 * Only the mapping's own writer tells which way the folio will go. A file's
 * writer knows nothing of batches: what was put off is flushed before it runs,
 * and the folios that wait (now covered) stay in their batch.
 *
 * Context: shrink_folio_list(), in a batched pass of this task.
 * Return: what pageout() returns.
 */
int tlbbatch_hook_pageout(struct folio *folio, struct address_space *mapping,
			  struct swap_iocb **plug)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();
	long nr_pages = folio_nr_pages(folio);
	int ret;

	if (!mapping || tlbbatch_writer_is_gated(compat_mapping_writer(mapping)))
		return static_call(tlbbatch_orig_pageout)(folio, mapping, plug);

	if (tlbbatch_flush_owed())
		tlbbatch_flush_now(ctx);
	ret = static_call(tlbbatch_orig_pageout)(folio, mapping, plug);
	if (ret == tlbbatch_pageout_success()) {
		ctx->pages_seen += nr_pages;
		tlbbatch_count(TLBBATCH_FOLIOS_FILE, 1);
	}
	return ret;
}
