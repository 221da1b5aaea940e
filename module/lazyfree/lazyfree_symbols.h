/* SPDX-License-Identifier: GPL-2.0-only */
/* What discarding needs of the running kernel besides its hooks, found at load. */
#ifndef TLBBATCH_LAZYFREE_SYMBOLS_H
#define TLBBATCH_LAZYFREE_SYMBOLS_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>
#include <linux/types.h>
#include "kernel/kernel_calls.h"

/* Never defined: they give the static calls below their types. */
pmd_t tlbbatch_type_lf_pmdp_invalidate(struct vm_area_struct *vma, unsigned long address,
				       pmd_t *pmdp);
pgtable_t tlbbatch_type_lf_pgtable_trans_huge_withdraw(struct mm_struct *mm, pmd_t *pmdp);
/* From 6.8 on a kernel has the first, before that the second: see huge_pmd_compat.h. */
void tlbbatch_type_lf_folio_remove_rmap_pmd(struct folio *folio, struct page *page,
					    struct vm_area_struct *vma);
void tlbbatch_type_lf_page_remove_rmap(struct page *page, struct vm_area_struct *vma,
				       bool compound);
/* From 6.6 on. */
void tlbbatch_type_lf_pte_free_now(struct rcu_head *head);
/* Up to 6.10. */
pmd_t *tlbbatch_type_lf_mm_find_pmd(struct mm_struct *mm, unsigned long address);

/* Called, never hooked: tlbbatch_lazyfree_find() sets them. */
DECLARE_STATIC_CALL(tlbbatch_lf_pmdp_invalidate, tlbbatch_type_lf_pmdp_invalidate);
DECLARE_STATIC_CALL(tlbbatch_lf_pgtable_trans_huge_withdraw,
		    tlbbatch_type_lf_pgtable_trans_huge_withdraw);
DECLARE_STATIC_CALL(tlbbatch_lf_folio_remove_rmap_pmd, tlbbatch_type_lf_folio_remove_rmap_pmd);
DECLARE_STATIC_CALL(tlbbatch_lf_page_remove_rmap, tlbbatch_type_lf_page_remove_rmap);
DECLARE_STATIC_CALL(tlbbatch_lf_pte_free_now, tlbbatch_type_lf_pte_free_now);
DECLARE_STATIC_CALL(tlbbatch_lf_mm_find_pmd, tlbbatch_type_lf_mm_find_pmd);

const char *tlbbatch_lazyfree_find(void);
bool tlbbatch_in_unmap_one(unsigned long ip);

#endif /* TLBBATCH_LAZYFREE_SYMBOLS_H */
