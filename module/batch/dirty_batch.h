/* SPDX-License-Identifier: GPL-2.0-only */
/* The batch of dirty folios that wait for one flush. */
#ifndef TLBBATCH_DIRTY_BATCH_H
#define TLBBATCH_DIRTY_BATCH_H

#include "batch/batch_policy.h"
#include "batch/reclaim_context.h"

struct swap_io_ctx;

/**
 * struct tlbbatch_writeout - a folio at a gate
 * @folio: locked, its dirty bit cleared for I/O
 * @io: reclaim's swap I/O, to be handed on
 * @gate: which gate
 * @for_reclaim: reclaim asks for it
 * @nr_pages: pages that it had at the gate
 */
struct tlbbatch_writeout {
	struct folio *folio;
	struct swap_io_ctx *io;
	enum tlbbatch_gate gate;
	bool for_reclaim;
	long nr_pages;
};

void tlbbatch_batch_defer(struct tlbbatch_context *ctx,
			  const struct tlbbatch_writeout *out);
void tlbbatch_batch_write(struct tlbbatch_context *ctx, struct swap_io_ctx *io);
void tlbbatch_batch_write_rest(struct tlbbatch_context *ctx);

#endif /* TLBBATCH_DIRTY_BATCH_H */
