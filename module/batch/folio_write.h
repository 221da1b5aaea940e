/* SPDX-License-Identifier: GPL-2.0-only */
/* Recheck a folio that waited, and write it out. */
#ifndef TLBBATCH_FOLIO_WRITE_H
#define TLBBATCH_FOLIO_WRITE_H

#include <linux/static_call.h>
#include "batch/reclaim_context.h"

struct swap_io_ctx;

/* Never defined: it gives the static calls below their type. */
int tlbbatch_type_write(struct swap_io_ctx *io, struct folio *folio);

/*
 * The kernel's write-out of a folio, entered behind the gate's hook, whatever its
 * prototype is. hook_set.c sets them.
 */
DECLARE_STATIC_CALL(tlbbatch_write_swap, tlbbatch_type_write);
DECLARE_STATIC_CALL(tlbbatch_write_shmem, tlbbatch_type_write);

enum tlbbatch_drop tlbbatch_folio_write(struct tlbbatch_context *ctx,
					struct swap_io_ctx *io,
					const struct tlbbatch_waiting *w);

#endif /* TLBBATCH_FOLIO_WRITE_H */
