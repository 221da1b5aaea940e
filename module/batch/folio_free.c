// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frees folios whose write-out completed synchronously: zram, zswap, brd, pages full of
 * zeros. Only this file takes a folio out of its mapping, or off reclaim's return list
 * (rule B12).
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include "batch/batch_counters.h"
#include "batch/batch_symbols.h"
#include "batch/folio_free.h"
#include "compat/folio_compat.h"
#include "debug/debug.h"
#include "kernel/kernel_calls.h"

static bool completed(struct folio *folio)
{
	return !folio_test_writeback(folio) && !folio_test_dirty(folio);
}

/* As reclaim does it; on success the folio is frozen at no reference. */
static bool remove_from_mapping(struct tlbbatch_context *ctx,
				struct folio *folio)
{
	struct address_space *mapping = folio_mapping(folio);

	return mapping &&
	       static_call(tlbbatch_remove_mapping)(mapping, folio, true,
						    tlbbatch_target_memcg(ctx->sc));
}

/**
 * tlbbatch_folio_free_written() - free a written folio if it is done with
 * @ctx: the running task's pass; its flush has covered @folio (rule B2)
 * @folio: unlocked, on the return list of the pass; the batch's reference to
 *	it is used up
 *
 * It joins a group that is freed together: tlbbatch_folio_free_group() must follow.
 * What can't be freed now (write-out under way, redirtied, in use, locked) stays
 * on the return list, as in the kernel.
 *
 * Context: the owner of @ctx, in shrink_folio_list() or behind it: the list is the
 *	running task's. Doesn't sleep.
 */
void tlbbatch_folio_free_written(struct tlbbatch_context *ctx,
				 struct folio *folio)
{
	unsigned int nr_pages;

	if (!completed(folio) || !folio_trylock(folio)) {
		folio_put(folio);
		return;
	}
	nr_pages = folio_nr_pages(folio);
	/* Under the lock: __remove_mapping() expects the isolation's alone. */
	folio_put(folio);
	if (!completed(folio) || folio_has_private(folio) ||
	    !remove_from_mapping(ctx, folio)) {
		folio_unlock(folio);
		return;
	}
	list_del(&folio->lru);
	/* One reference again, to let go of it the ordinary way. */
	folio_ref_unfreeze(folio, 1);
	folio_unlock(folio);
	ctx->nr_reclaimed += nr_pages;
	tlbbatch_count(TLBBATCH_FOLIOS_FREED, 1);
	tlbbatch_debug_freed(&ctx->debug);
	if (!folio_batch_add(&ctx->freed, folio))
		compat_folios_put(&ctx->freed);
}

/**
 * tlbbatch_folio_free_group() - free the folios that are still gathered to be freed
 * @ctx: the running task's pass
 *
 * Freed one by one, each would take the locks of its cgroup's counters and of its zone.
 *
 * Context: the pass that took them out of their mappings. Doesn't sleep.
 */
void tlbbatch_folio_free_group(struct tlbbatch_context *ctx)
{
	if (folio_batch_count(&ctx->freed))
		compat_folios_put(&ctx->freed);
}
