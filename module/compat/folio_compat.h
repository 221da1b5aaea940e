/* SPDX-License-Identifier: GPL-2.0-only */
/* How folios are let go. */
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

/* Does reclaim flush before it frees a large folio that was mapped? */
static inline bool compat_large_folios_flushed(void)
{
#ifdef TLBBATCH_HAVE_LARGE_FOLIOS_FLUSHED
	return true;
#else
	return false;
#endif
}

/* Has anybody looked at what this kernel's reclaim does with a group of folios? */
static inline bool compat_reclaim_known(void)
{
#ifdef TLBBATCH_HAVE_RECLAIM_KNOWN
	return true;
#else
	return false;
#endif
}

#endif /* TLBBATCH_COMPAT_FOLIO_H */
