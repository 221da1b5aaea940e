// SPDX-License-Identifier: GPL-2.0-only
/* Required: the folio functions that the module calls, as in 6.1. */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/pagemap.h>
#include <linux/swap.h>

int probe(struct folio *folio)
{
	return folio_clear_dirty_for_io(folio) && folio_memcg(folio) &&
	       folio_maybe_dma_pinned(folio) && folio_mapping(folio) &&
	       folio_is_file_lru(folio);
}
