// SPDX-License-Identifier: GPL-2.0-only
/* 6.9, 99fbb6bfc16f ("mm: make folios_put() the basis of release_pages()"). */
#include <linux/mm.h>

void probe(struct folio_batch *batch)
{
	folios_put(batch);
}
