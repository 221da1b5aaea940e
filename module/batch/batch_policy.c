// SPDX-License-Identifier: GPL-2.0-only
/* Pure decisions of dirty-folio batching; see batch_policy.h. */
#include "batch/batch_policy.h"

/**
 * tlbbatch_policy_recheck() - may a folio that waited be written now?
 * @gate: where it was deferred
 * @facts: what holds now, read under the folio lock
 *
 * Rule B7: while it waited the folio was unlocked: it may have been refaulted, pinned,
 * freed from swap, truncated or poisoned. No kernel splits a folio that has more
 * references than its cache's: that is checked all the same. The expected references are
 * the cache's (one a page), reclaim's isolation and the batch's own (rule B5).
 *
 * Context: any; pure.
 * Return: %TLBBATCH_DROP_NONE, or the first reason against it.
 */
enum tlbbatch_drop
tlbbatch_policy_recheck(enum tlbbatch_gate gate,
			const struct tlbbatch_folio_facts *facts)
{
	bool in_swap = gate == TLBBATCH_GATE_SWAP;

	if (facts->hwpoison)
		return TLBBATCH_DROP_HWPOISON;
	if (facts->nr_pages != facts->nr_pages_deferred)
		return TLBBATCH_DROP_SPLIT;
	if (facts->anon != in_swap || facts->swapcache != in_swap ||
	    !facts->same_mapping)
		return TLBBATCH_DROP_GONE;
	if (facts->writeback)
		return TLBBATCH_DROP_WRITEBACK;
	if (facts->mapped)
		return TLBBATCH_DROP_MAPPED;
	if (facts->dma_pinned)
		return TLBBATCH_DROP_PINNED;
	if (facts->unevictable || !facts->swapbacked)
		return TLBBATCH_DROP_UNEVICTABLE;
	if (!facts->dirty)
		return TLBBATCH_DROP_CLEAN;
	if (facts->refs != 2 + (int)facts->nr_pages)
		return TLBBATCH_DROP_REFERENCED;
	return TLBBATCH_DROP_NONE;
}

/**
 * tlbbatch_policy_settle() - what one real flush settles
 * @owed: requests that were put off since the last real flush
 * @flush_ipis: IPIs that this flush sends, an upper bound
 *
 * If nothing is owed, the flush is one that the kernel wanted by itself. Otherwise it
 * takes the place of one request, and the other requests are avoided.
 *
 * Context: any; pure.
 * Return: the amounts to add to the counters.
 */
struct tlbbatch_settled
tlbbatch_policy_settle(const struct tlbbatch_owed *owed, u64 flush_ipis)
{
	struct tlbbatch_settled settled = { 0 };

	if (!owed->requests) {
		settled.requested = 1;
		return settled;
	}
	settled.avoided = owed->requests - 1;
	/* The mask only grows: the last flush may reach more CPUs than one. */
	if (owed->ipis > flush_ipis)
		settled.ipis_avoided = owed->ipis - flush_ipis;
	return settled;
}

/**
 * tlbbatch_policy_tripped() - did a write-out bypass the hooks?
 * @reported: pages that reclaim counted as written in this pass
 * @seen: pages that the write-out hooks saw
 *
 * Rule B4: a write that no hook saw may have started before its flush.
 *
 * Context: any; pure.
 * Return: true if batching must be switched off.
 */
bool tlbbatch_policy_tripped(u64 reported, u64 seen)
{
	return reported != seen;
}
