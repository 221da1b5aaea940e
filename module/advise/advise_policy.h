/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a flush came, and what batching would have made of it, as pure functions of plain
 * facts. No kernel type appears here: tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_ADVISE_POLICY_H
#define TLBBATCH_ADVISE_POLICY_H

#include <tlbbatch/advise_stats.h>
#include "kernel/portable.h"
#include "pass/defer_policy.h"
#include "receivers/receivers_policy.h"

enum tlbbatch_cause {
#define X(upper, lower) TLBBATCH_CAUSE_##upper,
	ADVISE_CAUSES(X)
#undef X
	TLBBATCH_CAUSES
};

/**
 * struct tlbbatch_flush_facts - what is known of a flush and of the task that asks for it
 * @of_batch: it is of a batch of unmaps, and names no mm
 * @in_pass: the task is in a reclaim pass
 * @asked_dirty: reclaim has asked for the flush of a dirty folio, and hasn't got it yet
 * @mm_gone: no task uses the mm any more
 * @reclaims: the task reclaims memory (reclaim_state)
 * @memalloc: it may use the last reserves, as reclaim and direct compaction do
 * @compactor: it is the thread that compacts a node
 * @syscall: the system call that it is in; less than 0 if it is in none
 * @is_compat: @syscall is a number of the 32-bit table
 */
struct tlbbatch_flush_facts {
	bool of_batch;
	bool in_pass;
	bool asked_dirty;
	bool mm_gone;
	bool reclaims;
	bool memalloc;
	bool compactor;
	int syscall;
	bool is_compat;
};

enum tlbbatch_cause tlbbatch_advise_cause(const struct tlbbatch_flush_facts *facts);

/**
 * struct tlbbatch_whatif - a pass, as it would be if it were batched
 * @batch_size: folios that share a flush
 * @waiting: folios that would wait now
 * @owed: a flush would be owed now
 * @frees_early: a folio that would wait is written already: reclaim has freed it
 * @worth: whether enough other CPUs are interrupted for a folio to wait
 */
struct tlbbatch_whatif {
	unsigned int batch_size;
	unsigned int waiting;
	bool owed;
	bool frees_early;
	struct tlbbatch_worth worth;
};

/* What would have become of a folio that reclaim wrote. */
enum tlbbatch_fate {
	TLBBATCH_FATE_WAITS,
	TLBBATCH_FATE_FLUSHED,	/* written, behind a flush of all that is owed */
	TLBBATCH_FATE_WRITTEN,	/* written; no flush was owed */
};

/**
 * struct tlbbatch_whatif_folio - a folio that reclaim wrote
 * @is_file: it is neither anonymous nor shmem's
 * @gate: where it would have waited; no meaning if @is_file
 * @nr_pages: its pages
 * @is_done: its write-out is over, as zram's is at once
 */
struct tlbbatch_whatif_folio {
	bool is_file;
	enum tlbbatch_gate gate;
	unsigned int nr_pages;
	bool is_done;
};

void tlbbatch_whatif_begin(struct tlbbatch_whatif *pass, unsigned int batch_size,
			   unsigned int min_receivers);
void tlbbatch_whatif_asked(struct tlbbatch_whatif *pass);
bool tlbbatch_whatif_needs_look(const struct tlbbatch_whatif *pass,
				const struct tlbbatch_whatif_folio *folio);
enum tlbbatch_fate tlbbatch_whatif_written(struct tlbbatch_whatif *pass,
					   const struct tlbbatch_whatif_folio *folio,
					   unsigned int receivers);
void tlbbatch_whatif_flushed(struct tlbbatch_whatif *pass);
bool tlbbatch_whatif_frees(struct tlbbatch_whatif *pass);
bool tlbbatch_whatif_end(struct tlbbatch_whatif *pass);

#endif /* TLBBATCH_ADVISE_POLICY_H */
