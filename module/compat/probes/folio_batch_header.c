// SPDX-License-Identifier: GPL-2.0-only
/* 7.1 or so: the folio batch has a header of its own; linux/pagevec.h is gone. */
#include <linux/folio_batch.h>

unsigned int probe(struct folio_batch *batch)
{
	return folio_batch_count(batch);
}
