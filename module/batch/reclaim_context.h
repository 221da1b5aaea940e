/* SPDX-License-Identifier: GPL-2.0-only */
/* What batching remembers of a reclaim pass. Its hooks act only in a pass that is batched. */
#ifndef TLBBATCH_RECLAIM_CONTEXT_H
#define TLBBATCH_RECLAIM_CONTEXT_H

#include <linux/mm_types.h>
#include "batch/batch_policy.h"
#include "compat/folio_compat.h"
#include "debug/debug.h"
#include "pass/pass.h"
#include "receivers/receivers_policy.h"

struct reclaim_stat;
struct scan_control;

/**
 * struct tlbbatch_waiting - a folio that waits for its batch's flush
 * @folio: unlocked and not frozen; the batch holds a reference of its own
 * @mapping: folio_mapping() at the deferral; compared, never followed
 * @nr_pages: pages at the deferral, which is what was counted as written
 * @gate: where it was deferred
 */
struct tlbbatch_waiting {
	struct folio *folio;
	struct address_space *mapping;
	unsigned int nr_pages;
	enum tlbbatch_gate gate;
};

/**
 * struct tlbbatch_context - a reclaim pass, to batching
 * @batch_size: folios per flush, as it was when the pass began
 * @batched: the hooks act in this pass; false between passes
 * @writing: the module's own write-out runs: the gates let everything through
 * @owes: a flush was put off and not issued yet; also read by tasks that write or remove
 *	shmem outside of reclaim
 * @sc: the pass's scan_control; only read through a BTF offset
 * @stat: the pass's statistics, on its caller's stack
 * @nr_waiting: entries of @waiting; also read by sysfs, without a lock
 * @nr_uncovered: how many of them, the youngest ones, no flush has covered yet
 * @worth: whether enough other CPUs are interrupted for a folio to wait
 * @owed: flushes that were put off since the last real one
 * @deferred: folios deferred in this pass
 * @flushes: real flushes in this pass
 * @nr_reclaimed: pages freed here
 * @pages_seen: pages that the write-out hooks saw being written
 * @pages_taken_back: pages taken out of @stat again
 * @pages_traced: pages that reclaim's trace event said were written
 * @pages_activated: pages activated here, anon and file, added to @stat at the end
 * @waiting: the batch, first in first out
 * @freed: folios out of their mappings, a reference each, to be freed together
 * @debug: the test builds' own; of no size in a release build
 *
 * Only the owner writes to it, so it needs no lock.
 */
struct tlbbatch_context {
	unsigned int batch_size;
	bool batched;
	bool writing;
	bool owes;
	struct scan_control *sc;
	struct reclaim_stat *stat;
	unsigned int nr_waiting;
	unsigned int nr_uncovered;
	struct tlbbatch_worth worth;
	struct tlbbatch_owed owed;
	u64 deferred;
	u64 flushes;
	unsigned int nr_reclaimed;
	u64 pages_seen;
	u64 pages_taken_back;
	u64 pages_traced;
	unsigned int pages_activated[2];
	struct tlbbatch_waiting waiting[TLBBATCH_WAITING_MAX];
	struct folio_batch freed;
	struct tlbbatch_debug_pass debug;
};

extern struct tlbbatch_pass_part tlbbatch_batch_part;

static __always_inline struct tlbbatch_context *
tlbbatch_context_of(struct tlbbatch_pass *pass)
{
	return tlbbatch_pass_memory(pass, &tlbbatch_batch_part);
}

bool tlbbatch_context_acts(unsigned long parent_ip);
bool tlbbatch_context_gates(unsigned long parent_ip);
bool tlbbatch_context_gates_shmem(unsigned long parent_ip);

struct tlbbatch_context *tlbbatch_context_current(void);
struct tlbbatch_context *tlbbatch_context_batched(void);
u64 tlbbatch_contexts_waiting_folios(void);
bool tlbbatch_contexts_owe(void);

#endif /* TLBBATCH_RECLAIM_CONTEXT_H */
