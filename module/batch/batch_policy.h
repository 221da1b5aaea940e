/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decisions of dirty-folio batching, as pure functions of plain facts.
 * No kernel type appears here: tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_BATCH_POLICY_H
#define TLBBATCH_BATCH_POLICY_H

#include <tlbbatch/batch_stats.h>
#include "kernel/portable.h"
#include "pass/defer_policy.h"

/* Why a folio that waited went back to the LRU instead of being written. */
enum tlbbatch_drop {
#define X(upper, lower) TLBBATCH_DROP_##upper,
	DROP_REASONS(X)
#undef X
	TLBBATCH_DROP_NR,
	TLBBATCH_DROP_NONE = TLBBATCH_DROP_NR	/* nothing against writing it */
};

/**
 * struct tlbbatch_folio_facts - what is known of a folio under its lock
 * @nr_pages: pages that it has now
 * @nr_pages_deferred: pages that it had when it was deferred
 * @refs: its reference count
 * @anon: it is anonymous memory
 * @swapcache: it is in the swap cache
 * @same_mapping: folio_mapping() is what it was at the deferral
 * @swapbacked: it hasn't become lazyfree
 * @dirty: it is dirty
 * @writeback: it is under writeback
 * @mapped: some page table maps it
 * @dma_pinned: folio_maybe_dma_pinned()
 * @unevictable: mlocked, or its mapping is unevictable
 * @hwpoison: a page of it is poisoned
 */
struct tlbbatch_folio_facts {
	unsigned int nr_pages;
	unsigned int nr_pages_deferred;
	int refs;
	bool anon;
	bool swapcache;
	bool same_mapping;
	bool swapbacked;
	bool dirty;
	bool writeback;
	bool mapped;
	bool dma_pinned;
	bool unevictable;
	bool hwpoison;
};

enum tlbbatch_drop
tlbbatch_policy_recheck(enum tlbbatch_gate gate,
			const struct tlbbatch_folio_facts *facts);

/**
 * struct tlbbatch_owed - flushes that the kernel asked for and didn't get yet
 * @requests: how many
 * @ipis: IPIs that they would have sent, an upper bound
 */
struct tlbbatch_owed {
	u64 requests;
	u64 ipis;
};

/**
 * struct tlbbatch_settled - how one real flush settles what was owed
 * @requested: flushes to add to those requested
 * @avoided: flushes that never have to be issued
 * @ipis_avoided: IPIs that never have to be sent, an upper bound
 */
struct tlbbatch_settled {
	u64 requested;
	u64 avoided;
	u64 ipis_avoided;
};

struct tlbbatch_settled
tlbbatch_policy_settle(const struct tlbbatch_owed *owed, u64 flush_ipis);

bool tlbbatch_policy_tripped(u64 reported, u64 seen);

#endif /* TLBBATCH_BATCH_POLICY_H */
