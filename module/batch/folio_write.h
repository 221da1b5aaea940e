/* SPDX-License-Identifier: GPL-2.0-only */
/* Recheck a folio that waited, and write it out. */
#ifndef TLBBATCH_FOLIO_WRITE_H
#define TLBBATCH_FOLIO_WRITE_H

#include "batch/reclaim_context.h"

struct swap_io_ctx;

enum tlbbatch_drop tlbbatch_folio_write(struct tlbbatch_context *ctx,
					struct swap_io_ctx *io,
					const struct tlbbatch_waiting *w);

#endif /* TLBBATCH_FOLIO_WRITE_H */
