/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decisions of dirty-folio batching, as pure functions of plain facts.
 * No kernel type appears here: tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_BATCH_POLICY_H
#define TLBBATCH_BATCH_POLICY_H

#include <tlbbatch/batch_stats.h>
#include "kernel/portable.h"

/* Folios per flush. At 1 the kernel's own rhythm is kept: a flush for each. */
#define TLBBATCH_BATCH_MIN	1U
#define TLBBATCH_BATCH_DEFAULT	64U
#define TLBBATCH_BATCH_MAX	512U

/*
 * Folios that a pass can let wait: a batch, but for its last member. MADV_PAGEOUT
 * hands over a page table's worth at once; LRU reclaim isolates 32 to 64.
 */
#define TLBBATCH_WAITING_MAX	(TLBBATCH_BATCH_MAX - 1)

/* Why a folio that waited went back to the LRU instead of being written. */
enum tlbbatch_drop {
#define X(upper, lower) TLBBATCH_DROP_##upper,
	DROP_REASONS(X)
#undef X
	TLBBATCH_DROP_NR,
	TLBBATCH_DROP_NONE = TLBBATCH_DROP_NR	/* nothing against writing it */
};

/* Where a folio waits: in the swap cache, or still in its file's page cache. */
enum tlbbatch_gate {
	TLBBATCH_GATE_SWAP,
	TLBBATCH_GATE_SHMEM,
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
 * struct tlbbatch_defer_facts - what decides whether a folio may wait
 * @flush_owed: a dirty PTE was unmapped and not flushed yet
 * @for_reclaim: the write-out was asked for by reclaim
 * @waiting: folios that wait already
 * @capacity: folios that can wait, TLBBATCH_WAITING_MAX at most
 */
struct tlbbatch_defer_facts {
	bool flush_owed;
	bool for_reclaim;
	unsigned int waiting;
	unsigned int capacity;
};

bool tlbbatch_policy_defer(const struct tlbbatch_defer_facts *facts);
bool tlbbatch_policy_batch_size_valid(unsigned int batch_size);
unsigned int tlbbatch_policy_batch_size(unsigned int batch_size, unsigned int pass_width);

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
