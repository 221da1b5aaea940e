// SPDX-License-Identifier: GPL-2.0-only
/*
 * Discards the huge page that one entry maps: a page that MADV_FREE gave up, and that nobody
 * has written since. All of this runs with the entry's page table lock held, from the first
 * look at the entry to the last change (rule F1).
 *
 *  1. The entry becomes invalid, and no CPU has it in its TLB any more. It isn't none: whoever
 *     looks at it without the lock sees a huge page, and waits for the lock, as in a split.
 *  2. Who could still write? Nobody by the entry. A CPU that stored before has set the dirty bit.
 *     Who holds the page by a reference shows in the count of references, or has marked the
 *     folio dirty before he let go.
 *  3. If anybody wrote, or may write, the entry comes back as it was.
 *  4. If not, the mapping ends as it does in zap_huge_pmd(), and the entry is none. A kernel that
 *     doesn't expect that gets an empty page table there, as behind a split.
 *
 * page_table_check counts each entry by which programs can reach a page. It hears of it in
 * pmdp_invalidate(), and in set_pmd_at() if the entry comes back. An invalid entry isn't counted,
 * so nobody has to tell when that one ends (rule F8).
 *
 * The rest is reclaim's: it sees a folio that isn't mapped, and frees it.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/page-flags.h>
#include <linux/percpu.h>
#include <linux/rmap.h>
#include <linux/userfaultfd_k.h>
#include <tlbbatch/lazyfree_stats.h>
#include "compat/huge_pmd_compat.h"
#include "debug/debug.h"
#include "events/tlbbatch_events.h"
#include "lazyfree/lazyfree_discard.h"
#include "lazyfree/lazyfree_policy.h"

/* Section: counters */

enum counter {
#define X(upper, lower) upper,
	LAZYFREE_COUNTERS(X)
#undef X
	NR_COUNTERS
};

struct counts {
	u64 value[NR_COUNTERS];
};

static DEFINE_PER_CPU(struct counts, counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	LAZYFREE_COUNTERS(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_lazyfree_counters = {
	.value = counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};

/* Section: whether it acts */

/* The hooks act. Written under the mutex of the knob. */
static bool acts;

/**
 * tlbbatch_lazyfree_set() - let the hooks act, or not
 * @on: whether they do
 *
 * Context: process context; the mutex of the knob held.
 */
void tlbbatch_lazyfree_set(bool on)
{
	WRITE_ONCE(acts, on);
}

/**
 * tlbbatch_lazyfree_acts() - do the hooks act?
 *
 * Context: any, an ftrace callback included.
 */
bool notrace tlbbatch_lazyfree_acts(void)
{
	return READ_ONCE(acts);
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE

static void count_verdict(enum tlbbatch_lazyfree_verdict verdict)
{
	static const enum counter of[] = {
		[TLBBATCH_LAZYFREE_TRY] = TRIED,
		[TLBBATCH_LAZYFREE_SHARED] = DECLINED_SHARED,
		[TLBBATCH_LAZYFREE_VMA] = DECLINED_VMA,
		[TLBBATCH_LAZYFREE_DIRTY] = DECLINED_DIRTY,
		[TLBBATCH_LAZYFREE_PROTECTED] = DECLINED_PROTECTED,
		[TLBBATCH_LAZYFREE_NOTIFIER] = DECLINED_NOTIFIER,
		[TLBBATCH_LAZYFREE_OTHER] = DECLINED_OTHER,
	};

	if (verdict != TLBBATCH_LAZYFREE_NONE)
		this_cpu_inc(counts.value[of[verdict]]);
}

/* As events/tlbbatch_events.h names them. */
static_assert(TLBBATCH_LAZYFREE_DISCARD == 0 && TLBBATCH_LAZYFREE_RESTORE_DIRTY == 1 &&
	      TLBBATCH_LAZYFREE_RESTORE_REFERENCED == 2);

static void count_end(enum tlbbatch_lazyfree_end end)
{
	switch (end) {
	case TLBBATCH_LAZYFREE_DISCARD:
		this_cpu_add(counts.value[PAGES_DISCARDED], HPAGE_PMD_NR);
		break;
	case TLBBATCH_LAZYFREE_RESTORE_DIRTY:
		this_cpu_inc(counts.value[RESTORED_DIRTY]);
		break;
	case TLBBATCH_LAZYFREE_RESTORE_REFERENCED:
		this_cpu_inc(counts.value[RESTORED_REFERENCED]);
		break;
	}
}

/* Section: looking */

/* The folio that an entry maps whole; NULL if it maps none, as a migration entry. */
static struct folio *folio_of(pmd_t pmd)
{
	if (!pmd_present(pmd) || !pmd_trans_huge(pmd))
		return NULL;
	return page_folio(pmd_page(pmd));
}

static bool is_within(const struct vm_area_struct *vma, unsigned long addr)
{
	return IS_ALIGNED(addr, HPAGE_PMD_SIZE) && addr >= vma->vm_start &&
	       addr + HPAGE_PMD_SIZE <= vma->vm_end;
}

/* The page table lock is held. */
static struct tlbbatch_lazyfree_facts look(struct vm_area_struct *vma, unsigned long addr,
					   pmd_t *pmdp, struct folio *folio)
{
	pmd_t pmd = READ_ONCE(*pmdp);
	/* mlock() changes them, and takes no lock that is held here. */
	unsigned long flags = READ_ONCE(vma->vm_flags);

	return (struct tlbbatch_lazyfree_facts){
		.is_lazyfree = folio_test_anon(folio) && !folio_test_swapbacked(folio),
		.is_mapped = folio_of(pmd) == folio,
		.is_odd = !is_within(vma, addr) || folio_nr_pages(folio) != HPAGE_PMD_NR ||
			  !folio_test_locked(folio) || folio_test_swapcache(folio) ||
			  folio_test_hwpoison(folio) || folio_test_has_hwpoisoned(folio) ||
			  folio_test_mlocked(folio) || !pmd_huge_pte(vma->vm_mm, pmdp),
		.is_dirty = folio_test_dirty(folio),
		.maps = compat_maps(folio),
		.whole_maps = folio_entire_mapcount(folio),
		.is_locked_vma = flags & VM_LOCKED,
		.is_droppable_vma = flags & VM_DROPPABLE,
		.is_special_vma = flags & VM_SHADOW_STACK || userfaultfd_armed(vma),
		.is_entry_dirty = pmd_dirty(pmd),
		.is_writable = pmd_flags(pmd) & _PAGE_RW,
		.is_fault_wanted = pmd_protnone(pmd) || pmd_uffd(pmd),
	};
}

/* Section: trying */

/*
 * Rule F3: the entry is never none before it is known that the page goes. zap_pmd_range()
 * passes over an entry that is none without taking the lock. If it came back, MADV_DONTNEED
 * and munmap() would have missed it.
 */
static pmd_t invalidate(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmdp)
{
	pmd_t old;

	tlbbatch_debug_lazyfree_wait();
	/*
	 * An xchg, so @old has the dirty bit of each store by the entry. Then the flush: CPUs
	 * with a clean entry in their TLB would have to set the bit, and find no entry.
	 */
	if (tlbbatch_negative_lazyfree_flush())
		old = pmdp_establish(vma, addr, pmdp, pmd_mkinvalid(*pmdp));
	else
		old = static_call(tlbbatch_lf_pmdp_invalidate)(vma, addr, pmdp);
	if (tlbbatch_negative_lazyfree_none())
		pmd_clear(pmdp);
	tlbbatch_debug_lazyfree_wait();
	return old;
}

static struct tlbbatch_lazyfree_state look_again(struct folio *folio, pmd_t old,
						 bool is_droppable)
{
	struct tlbbatch_lazyfree_state state = {
		.is_entry_dirty = pmd_dirty(old),
		.is_droppable = is_droppable,
	};

	/*
	 * Rule F5. Pairs with the full barrier of the atomic increment in GUP-fast, between its
	 * two looks at the entry (try_grab_folio(), in 6.12 and later try_grab_folio_fast()).
	 * Either the reference is seen here, or GUP-fast sees an entry that changed.
	 */
	smp_mb();
	state.refs = folio_ref_count(folio);
	state.maps = compat_maps(folio);
	/*
	 * Rule F4. Pairs with the full barrier of the atomic decrement in folio_put(). Whoever
	 * writes to a page that he holds marks it dirty before he lets go. So if his reference is
	 * gone above, his mark is seen below. __remove_mapping() relies on the same.
	 */
	smp_rmb();
	state.is_dirty = folio_test_dirty(folio);

	if (tlbbatch_negative_lazyfree_dirty()) {
		state.is_dirty = false;
		state.is_entry_dirty = false;
	}
	if (tlbbatch_negative_lazyfree_refs())
		state.refs = state.maps + 1;
	return state;
}

/*
 * Rules F3 and F8: as zap_huge_pmd() and try_to_unmap_one() end a mapping, or as
 * __split_huge_pmd_locked() and then they do. The page table comes from those that were deposited
 * in this mm for a split. It may be another huge page's, but each of them is empty, and no CPU
 * has used it since it was deposited.
 *
 * If the VMA has become mlocked meanwhile, this CPU's mlock batch may get a reference to the folio.
 * Reclaim can't free it then. It is freed when the batch is drained.
 */
static void end_mapping(struct vm_area_struct *vma, pmd_t *pmdp, struct folio *folio)
{
	bool leaves_table = COMPAT_LEAVES_TABLE && !tlbbatch_negative_lazyfree_table();
	struct mm_struct *mm = vma->vm_mm;
	pgtable_t table;

	update_hiwater_rss(mm);
	if (!leaves_table)
		pmd_clear(pmdp);
	table = static_call(tlbbatch_lf_pgtable_trans_huge_withdraw)(mm, pmdp);
	compat_remove_rmap(folio, vma);
	if (leaves_table) {
		/* Who sees the table sees it empty. Pairs with the dependency of his walk. */
		smp_wmb();
		/* It stays counted. No TLB has anything of what was here: see invalidate(). */
		pmd_populate(mm, pmdp, table);
	} else {
		compat_free_table(mm, table);
		mm_dec_nr_ptes(mm);
	}
	compat_sub_anon_rss(mm, HPAGE_PMD_NR);
	/* Not the last one: reclaim has isolated the folio. */
	folio_put(folio);
}

static enum tlbbatch_lazyfree_end try_it(struct vm_area_struct *vma, unsigned long addr,
					 pmd_t *pmdp, struct folio *folio, pmd_t *old,
					 bool is_droppable)
{
	struct tlbbatch_lazyfree_state state;
	enum tlbbatch_lazyfree_end end;

	*old = invalidate(vma, addr, pmdp);
	state = look_again(folio, *old, is_droppable);
	end = tlbbatch_lazyfree_end_of(&state);
	count_end(end);
	trace_lazyfree(folio, end);
	if (end == TLBBATCH_LAZYFREE_DISCARD)
		end_mapping(vma, pmdp, folio);
	else
		set_pmd_at(vma->vm_mm, addr, pmdp, *old);
	return end;
}

/**
 * tlbbatch_lazyfree_discard() - discard a huge page, in place of a split
 * @vma: where it is mapped
 * @addr: the address that the entry is for
 * @pmdp: the entry
 * @has_notifiers: the mm has MMU notifiers, and nobody has told them
 *
 * Context: reclaim, called in place of what try_to_unmap_one() calls; the folio and its
 *	anon_vma locked, and the entry's page table lock held. It doesn't sleep.
 * Return: true if the mapping has ended. If false, all is as it was, and the kernel may split.
 */
bool tlbbatch_lazyfree_discard(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmdp,
			       bool has_notifiers)
{
	struct folio *folio = folio_of(READ_ONCE(*pmdp));
	struct tlbbatch_lazyfree_facts facts;
	enum tlbbatch_lazyfree_verdict verdict;
	pmd_t old;

	if (!folio)
		return false;
	facts = look(vma, addr, pmdp, folio);
	facts.has_notifiers = has_notifiers;
	verdict = tlbbatch_lazyfree_judge(&facts);
	count_verdict(verdict);
	if (verdict != TLBBATCH_LAZYFREE_TRY)
		return false;
	/*
	 * One mapping, and its lock is held: fork would need it, too. So it stays one. And the
	 * folio stays lazyfree: its lock is held.
	 */
	return try_it(vma, addr, pmdp, folio, &old, false) == TLBBATCH_LAZYFREE_DISCARD;
}

/**
 * tlbbatch_lazyfree_discard_own() - discard a huge page, in place of the kernel's own discard
 * @vma: where it is mapped
 * @addr: the address that the entry is for
 * @pmdp: the entry
 * @folio: the page, which MADV_FREE gave up
 *
 * Rule F6: what unmap_huge_pmd_locked() does, but the entry is never none. A page that was
 * written is one that swap backs again. When a page stays, the caller stops, as it does for an
 * mlocked VMA: reclaim finds the folio mapped, and activates it.
 *
 * Context: as tlbbatch_lazyfree_discard(); the MMU notifiers were told.
 */
enum tlbbatch_lazyfree_done
tlbbatch_lazyfree_discard_own(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmdp,
			      struct folio *folio)
{
	struct tlbbatch_lazyfree_facts facts = look(vma, addr, pmdp, folio);
	enum tlbbatch_lazyfree_verdict verdict = tlbbatch_lazyfree_judge_own(&facts);
	enum tlbbatch_lazyfree_end end;
	pmd_t old;

	count_verdict(verdict);
	if (verdict == TLBBATCH_LAZYFREE_NONE)
		return TLBBATCH_LAZYFREE_LEFT;
	/*
	 * What is mlocked, or odd, stays as it is. If mlock() has only set VM_LOCKED, its walk
	 * waits for the lock that is held, finds the entry, and mlocks the page.
	 */
	if (verdict != TLBBATCH_LAZYFREE_TRY && verdict != TLBBATCH_LAZYFREE_DIRTY)
		return TLBBATCH_LAZYFREE_KEPT;
	if (facts.is_entry_dirty)
		folio_set_dirty(folio);
	if (verdict == TLBBATCH_LAZYFREE_DIRTY) {
		folio_set_swapbacked(folio);
		return TLBBATCH_LAZYFREE_KEPT;
	}
	end = try_it(vma, addr, pmdp, folio, &old, facts.is_droppable_vma);
	/* The folio is still isolated and locked, whatever became of its mapping. */
	if (pmd_dirty(old))
		folio_set_dirty(folio);
	if (end == TLBBATCH_LAZYFREE_DISCARD)
		return TLBBATCH_LAZYFREE_DISCARDED;
	/* Rule F5: an additional reference alone says nothing of the content. */
	if (end == TLBBATCH_LAZYFREE_RESTORE_DIRTY)
		folio_set_swapbacked(folio);
	return TLBBATCH_LAZYFREE_KEPT;
}

#else /* !CONFIG_TRANSPARENT_HUGEPAGE: see lazyfree_fit.c */

bool tlbbatch_lazyfree_discard(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmdp,
			       bool has_notifiers)
{
	return false;
}

enum tlbbatch_lazyfree_done
tlbbatch_lazyfree_discard_own(struct vm_area_struct *vma, unsigned long addr, pmd_t *pmdp,
			      struct folio *folio)
{
	return TLBBATCH_LAZYFREE_LEFT;
}

#endif /* CONFIG_TRANSPARENT_HUGEPAGE */
