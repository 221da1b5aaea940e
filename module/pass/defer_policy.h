/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which folios of a pass may wait for a flush that they share, as pure functions of plain
 * facts. Batching lets them wait, and advise counts what that would save: both ask here.
 * No kernel type appears: tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_DEFER_POLICY_H
#define TLBBATCH_DEFER_POLICY_H

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

/* Where a folio waits: in the swap cache, or still in its file's page cache. */
enum tlbbatch_gate {
	TLBBATCH_GATE_SWAP,
	TLBBATCH_GATE_SHMEM,
};

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
bool tlbbatch_policy_may_be_split(enum tlbbatch_gate gate, unsigned int nr_pages);
bool tlbbatch_policy_batch_size_valid(unsigned int batch_size);
unsigned int tlbbatch_policy_batch_size(unsigned int batch_size, unsigned int pass_width);

#endif /* TLBBATCH_DEFER_POLICY_H */
