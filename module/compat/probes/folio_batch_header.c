// SPDX-License-Identifier: GPL-2.0-only
/* 7.1 or so gave the folio batch a header of its own, and removed linux/pagevec.h. */
#include <linux/folio_batch.h>

unsigned int probe(struct folio_batch *batch)
{
	return folio_batch_count(batch);
}
