/* SPDX-License-Identifier: GPL-2.0-only */
/* The batch of dirty folios that wait for one flush. */
#ifndef TLBBATCH_DIRTY_BATCH_H
#define TLBBATCH_DIRTY_BATCH_H

#include <tlbbatch/reclaim_context.h>

struct swap_io_ctx;
struct tlbbatch_writeout;

void tlbbatch_batch_defer(struct tlbbatch_context *ctx,
			  const struct tlbbatch_writeout *out);
void tlbbatch_batch_write(struct tlbbatch_context *ctx, struct swap_io_ctx *io);
void tlbbatch_batch_write_rest(struct tlbbatch_context *ctx);

#endif /* TLBBATCH_DIRTY_BATCH_H */
