/* SPDX-License-Identifier: GPL-2.0-only */
/* Huge pages, the entries that map them, and what else discarding looks at. */
#ifndef SIM_LAZYFREE_KERNEL_H
#define SIM_LAZYFREE_KERNEL_H

#include <stdbool.h>
#include "probed.h"

#define CONFIG_TRANSPARENT_HUGEPAGE	1
bool sim_enabled(const char *option);
#define IS_ENABLED(option)		sim_enabled(#option)

/* sim.h has others, with fewer members. */
#define mm_struct		sim_small_mm
#include "ftrace.h"
#undef mm_struct

#define udelay(us)	do { } while (0)

/* --- entries ---------------------------------------------------------------------------- */

typedef struct { unsigned long pmd; } pmd_t;
typedef struct { unsigned long prot; } pgprot_t;

#define _PAGE_PRESENT	BIT(0)
#define _PAGE_RW	BIT(1)
#define _PAGE_DIRTY	BIT(6)
#define _PAGE_PSE	BIT(7)
#define _PAGE_PROTNONE	BIT(8)
#define _PAGE_UFFD	BIT(10)
/* Where x86 keeps the dirty bit of an entry that doesn't allow writes. */
#define _PAGE_SAVED_DIRTY	BIT(11)
#define SIM_PFN		(~(BIT(PMD_SHIFT) - 1))

#define PMD_SHIFT		21
#define HPAGE_PMD_NR		512
#define HPAGE_PMD_SIZE		BIT(PMD_SHIFT)
#define PMD_MASK		(~(HPAGE_PMD_SIZE - 1))
#define IS_ALIGNED(x, a)	(!((x) & ((a) - 1)))

#define __pgprot(x)		((pgprot_t){ x })
#define pgprot_val(x)		((x).prot)
#define PAGE_NONE		__pgprot(_PAGE_PROTNONE)
#define PAGE_READONLY		__pgprot(_PAGE_PRESENT)
#define PAGE_SHARED		__pgprot(_PAGE_PRESENT | _PAGE_RW)
#define pfn_pmd(pfn, prot_)	((pmd_t){ (pfn) << PAGE_SHIFT | (prot_).prot })
#define pmd_flags(x)		((x).pmd & ~SIM_PFN)
#define pmd_none(x)		(!(x).pmd)
#define pmd_present(x)		(pmd_flags(x) & (_PAGE_PRESENT | _PAGE_PROTNONE | _PAGE_PSE))
#define pmd_trans_huge(x)	(!!(pmd_flags(x) & _PAGE_PSE))
#define pmd_write(x)		(!!(pmd_flags(x) & _PAGE_RW))
#define pmd_dirty(x)		(!!(pmd_flags(x) & (_PAGE_DIRTY | _PAGE_SAVED_DIRTY)))
#define pmd_protnone(x)		((pmd_flags(x) & (_PAGE_PROTNONE | _PAGE_PRESENT)) == _PAGE_PROTNONE)
#define pmd_uffd_wp(x)		(!!(pmd_flags(x) & _PAGE_UFFD))
/* For a build that is unsafe on purpose. */
#define pmd_mkinvalid(x)		((pmd_t){ (x).pmd & ~(_PAGE_PRESENT | _PAGE_PROTNONE) })
#define pmdp_establish(vma, addr, pmdp, value)	((void)(value), *(pmdp))
#define pmd_mkdirty(x)		((pmd_t){ (x).pmd | _PAGE_DIRTY })

/* Which step of pmd_modify() loses the dirty bit. */
struct sim_step { unsigned long from, to; };
extern struct sim_step sim_loses;
pmd_t pmd_modify(pmd_t pmd, pgprot_t prot);

/* --- pages, where they are mapped -------------------------------------------------------- */

struct rcu_head {
	struct rcu_head *next;
};

struct page {
	int nr;
	struct rcu_head rcu_head;
};

typedef struct page *pgtable_t;

struct folio {
	struct page page;
	bool anon, swapbacked, locked, swapcache, hwpoison, has_hwpoisoned, mlocked, dirty;
	int refs, maps, whole_maps, nr_pages;
};

struct mm_struct {
	pgtable_t deposited;
	bool notifiers;
	long nr_ptes, hiwater;
#ifdef TLBBATCH_HAVE_MM_RSS_PERCPU
	long rss_stat[4];
#else
	struct { struct { long counter; } count[4]; } rss_stat;
#endif
};

struct vm_area_struct {
	struct mm_struct *vm_mm;
	unsigned long vm_start, vm_end, vm_flags;
};

typedef struct { bool held; } spinlock_t;

#define MM_ANONPAGES		1
#define VM_NONE			0
#define VM_LOCKED		BIT(0)
#define VM_UFFD			BIT(1)
#define VM_DROPPABLE		BIT(2)
#define VM_SHADOW_STACK		BIT(3)

/* One folio is all that entries map. */
extern struct folio sim_folio;
extern spinlock_t sim_ptl;
/* With an entry at hand: whoever changes one has the lock. */
void sim_locked(void);

#define page_folio(page_)		((void)(page_), &sim_folio)
struct page *pmd_page(pmd_t pmd);
struct page *folio_page(struct folio *folio, unsigned long n);
#define folio_test_anon(f)		((f)->anon)
#define folio_test_swapbacked(f)	((f)->swapbacked)
#define folio_test_locked(f)		((f)->locked)
#define folio_test_swapcache(f)		((f)->swapcache)
#define folio_test_hwpoison(f)		((f)->hwpoison)
#define folio_test_has_hwpoisoned(f)	((f)->has_hwpoisoned)
#define folio_test_mlocked(f)		((f)->mlocked)
#define folio_test_dirty(f)		((f)->dirty)
#define folio_set_dirty(f)		((f)->dirty = true)
#define folio_set_swapbacked(f)		((f)->swapbacked = true)
#define folio_nr_pages(f)		((f)->nr_pages)
#define folio_ref_count(f)		((f)->refs)
#define folio_mapcount(f)		((f)->maps)
#define folio_entire_mapcount(f)	((f)->whole_maps)
#define folio_put(f)			((f)->refs--)
#define userfaultfd_armed(vma)		(!!((vma)->vm_flags & VM_UFFD))
#define mm_has_notifiers(mm)		((mm)->notifiers)
#define pmd_huge_pte(mm, pmdp)		((mm)->deposited)
#define mm_dec_nr_ptes(mm)		((mm)->nr_ptes--)
#define set_pmd_at(mm, addr, pmdp, value)	\
	(sim_is_here(mm, addr, pmdp), sim_table_check(pmdp, value), *(pmdp) = (value))
/* An entry is changed: the right one, with its lock. */
void sim_is_here(const struct mm_struct *mm, unsigned long addr, const pmd_t *pmdp);
/* What page_table_check is told, before the entry changes. */
void sim_table_check(const pmd_t *pmdp, pmd_t value);
#define pmd_clear(pmdp)			(sim_locked(), (pmdp)->pmd = 0)
#define pte_free(mm, table)		sim_free_table(table)
void sim_free_table(pgtable_t table);
#define smp_wmb()			sim_note("wmb")
#define pmd_populate(mm, pmdp, table)	sim_populate(mm, pmdp, table)
void sim_populate(const struct mm_struct *mm, pmd_t *pmdp, pgtable_t table);
void update_hiwater_rss(struct mm_struct *mm);

#ifdef TLBBATCH_HAVE_MM_RSS_PERCPU
#define percpu_counter_add(counter, n)	(*(counter) += (n))
#else
#define atomic_long_sub_return(n, v)	((v)->counter -= (n))
#endif

#define pmd_lock(mm, pmdp)		((void)(pmdp), sim_lock_pmd())
spinlock_t *sim_lock_pmd(void);
void spin_unlock(spinlock_t *lock);

/* --- the machine ------------------------------------------------------------------------- */

#include "release.h"

/* --- sysfs --------------------------------------------------------------------------------- */

#include "sysfs_types.h"

#endif /* SIM_LAZYFREE_KERNEL_H */
