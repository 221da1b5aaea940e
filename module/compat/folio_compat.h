/* SPDX-License-Identifier: GPL-2.0-only */
/* Letting go of many folios at once. */
#ifndef TLBBATCH_COMPAT_FOLIO_H
#define TLBBATCH_COMPAT_FOLIO_H

#include <linux/mm.h>
#include "probed.h"

#ifdef TLBBATCH_HAVE_FOLIO_BATCH_HEADER
#include <linux/folio_batch.h>
#else
#include <linux/pagevec.h>
#endif

/* Uncharges and frees them together; the batch is empty afterwards. */
static inline void compat_folios_put(struct folio_batch *batch)
{
#ifdef TLBBATCH_HAVE_FOLIOS_PUT
	folios_put(batch);
#else
	release_pages((struct page **)batch->folios, folio_batch_count(batch));
	folio_batch_init(batch);
#endif
}

#endif /* TLBBATCH_COMPAT_FOLIO_H */
