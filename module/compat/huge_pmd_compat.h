/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs where the mapping of a huge page ends. */
#ifndef TLBBATCH_COMPAT_HUGE_PMD_H
#define TLBBATCH_COMPAT_HUGE_PMD_H

#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/userfaultfd_k.h>
#include <asm/pgalloc.h>
#include "compat/rss_compat.h"
#include "lazyfree/lazyfree_symbols.h"
#include "probed.h"

/* 6.6 and 6.11. */
#ifndef VM_SHADOW_STACK
#define VM_SHADOW_STACK	VM_NONE
#endif
#ifndef VM_DROPPABLE
#define VM_DROPPABLE	VM_NONE
#endif

/*
 * 6.12 splits the mapping of what unmap_huge_pmd_locked() leaves mapped. Later kernels take it
 * that the page stays, and has been marked if it was written.
 */
#ifdef TLBBATCH_HAVE_SPLIT_HUGE_PMD_FOLIO
#define COMPAT_SPLITS_WHAT_STAYS	true
#else
#define COMPAT_SPLITS_WHAT_STAYS	false
#endif

/*
 * Rule F3. In older kernels any task may turn a huge entry into a page table, but only one that
 * holds mmap_lock makes it none. mremap() and mlock() hold mmap_lock for writing, so they don't
 * look, and would take page frame 0 for a table. There a table follows, as behind a split. A
 * kernel copes with none if walks may fail, and if its own reclaim has made such entries none.
 * That came with 6.11. move_normal_pmd() has looked since 6.12; require_uffd_move_looks.c
 * refuses what lies between.
 */
#if defined(TLBBATCH_HAVE_PTE_OFFSET_MAP_FAILS) && defined(TLBBATCH_HAVE_SPLIT_HUGE_PMD_LOCKED)
#define COMPAT_LEAVES_TABLE	false
#else
#define COMPAT_LEAVES_TABLE	true
#endif

#ifndef TLBBATCH_HAVE_PMD_UFFD
#define pmd_uffd(pmd)	pmd_uffd_wp(pmd)
#endif

#ifdef TLBBATCH_HAVE_FOLIO_REMOVE_RMAP_PMD

static inline void compat_remove_rmap(struct folio *folio, struct vm_area_struct *vma)
{
	static_call(tlbbatch_lf_folio_remove_rmap_pmd)(folio, folio_page(folio, 0), vma);
}

static inline int compat_maps(struct folio *folio)
{
	return folio_mapcount(folio);
}

#else

static inline void compat_remove_rmap(struct folio *folio, struct vm_area_struct *vma)
{
	static_call(tlbbatch_lf_page_remove_rmap)(folio_page(folio, 0), vma, true);
}

/*
 * Of these kernels modules can't link folio_mapcount(). Mappings of a part of the folio are
 * left out here. Each has a reference, so the count of references gives them away.
 */
static inline int compat_maps(struct folio *folio)
{
	return folio_entire_mapcount(folio);
}

#endif /* TLBBATCH_HAVE_FOLIO_REMOVE_RMAP_PMD */

/*
 * Frees a page table that was withdrawn, at once, as zap_deposited_table() does. No walk is in it:
 * before khugepaged deposited it, it had the anon_vma's lock, mmap_lock for writing, and an IPI for
 * GUP-fast. pte_free() itself may need what modules can't link.
 */
static inline void compat_free_table(struct mm_struct *mm, pgtable_t table)
{
#ifdef TLBBATCH_HAVE_PTE_FREE_DEFER
	static_call(tlbbatch_lf_pte_free_now)(&table->rcu_head);
#else
	pte_free(mm, table);
#endif
}

#endif /* TLBBATCH_COMPAT_HUGE_PMD_H */
