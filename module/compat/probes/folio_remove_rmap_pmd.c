// SPDX-License-Identifier: GPL-2.0-only
/* 6.8, David Hildenbrand's series "mm/rmap: interface overhaul"; page_remove_rmap() before. */
#include <linux/mm.h>
#include <linux/rmap.h>

void probe(struct folio *folio, struct vm_area_struct *vma)
{
	folio_remove_rmap_pmd(folio, folio_page(folio, 0), vma);
}
