/* SPDX-License-Identifier: GPL-2.0-only */
/* Free a folio whose write-out completed at once. */
#ifndef TLBBATCH_FOLIO_FREE_H
#define TLBBATCH_FOLIO_FREE_H

#include "batch/reclaim_context.h"

void tlbbatch_folio_free_written(struct tlbbatch_context *ctx,
				 struct folio *folio);
void tlbbatch_folio_free_group(struct tlbbatch_context *ctx);

#endif /* TLBBATCH_FOLIO_FREE_H */
