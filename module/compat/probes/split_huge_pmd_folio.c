// SPDX-License-Identifier: GPL-2.0-only
/*
 * From 6.11 to 6.15: split_huge_pmd_locked() gets the folio. Of these kernels the module supports
 * 6.12, which splits the mapping of what it doesn't discard whole. Later ones leave it mapped.
 */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmd, struct folio *folio)
{
	split_huge_pmd_locked(vma, addr, pmd, false, folio);
}
