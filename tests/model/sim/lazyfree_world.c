// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that reclaims one huge page: what lazyfree hooks in it, and what it calls. */
#include "lazyfree_world.h"
#include "lazyfree/lazyfree.h"
#include "lazyfree/lazyfree_discard.h"

struct folio sim_folio;
spinlock_t sim_ptl;
struct sim_step sim_loses;
bool sim_is_xenpv;
bool lf_no_thp, lf_is_rt;
struct sim_uts sim_uts = { UTS_RELEASE };
struct mm_struct lf_mm;
struct vm_area_struct lf_vma;
struct page lf_table;
pmd_t lf_pmd;
struct lf_world lf;
static unsigned long unmap_one_size = 1, returns_to;

bool sim_enabled(const char *option)
{
	if (!strcmp(option, "CONFIG_PREEMPTION"))
		return sim_preemption;
	if (!strcmp(option, "CONFIG_TRANSPARENT_HUGEPAGE"))
		return !lf_no_thp;
	return !strcmp(option, "CONFIG_PREEMPT_RT") && lf_is_rt;
}

/* --- the kernel ---------------------------------------------------------------------------- */

pmd_t pmd_modify(pmd_t from, pgprot_t prot)
{
	unsigned long was = from.pmd & (_PAGE_PRESENT | _PAGE_RW | _PAGE_PROTNONE);
	bool loses = was == sim_loses.from && prot.prot == sim_loses.to;
	unsigned long dirty = 0;

	if (pmd_dirty(from) && !loses)
		dirty = prot.prot & _PAGE_RW ? _PAGE_DIRTY : _PAGE_SAVED_DIRTY;
	return (pmd_t){ (from.pmd & (SIM_PFN | _PAGE_PSE)) | prot.prot | dirty };
}

/* Who holds mmap_lock for writing looks. He found the entry huge before. */
static void mapper_looks(void)
{
	lf.none_used |= LEAVES_TABLE && pmd_none(lf_pmd);
}

/* Rule F1. */
void sim_locked(void)
{
	if (!sim_ptl.held)
		sim_breach("F1: an entry is changed without its lock");
}

spinlock_t *sim_lock_pmd(void)
{
	if (sim_ptl.held)
		sim_breach("who has the lock of an entry waits for it");
	sim_ptl.held = true;
	return &sim_ptl;
}

void spin_unlock(spinlock_t *lock)
{
	sim_locked();
	mapper_looks();
	lock->held = false;
	lf.is_trying = false;
}

void sim_is_here(const struct mm_struct *mm, unsigned long addr, const pmd_t *pmdp)
{
	sim_locked();
	if (mm != &lf_mm || addr != ADDR || pmdp != &lf_pmd)
		sim_breach("F4: another entry than that of the page is changed, or flushed");
}

/* What isn't the entry of a huge page has no page that one could look at. */
struct page *pmd_page(pmd_t pmd)
{
	if (!pmd_present(pmd) || !pmd_trans_huge(pmd))
		sim_breach("F2: the page of an entry is looked at that has none");
	return &sim_folio.page;
}

struct page *folio_page(struct folio *folio, unsigned long n)
{
	if (n)
		sim_breach("F8: a huge page's mapping is that of its first page");
	return &folio->page;
}

static int is_reachable(pmd_t pmd)
{
	return pmd_trans_huge(pmd) && pmd.pmd & _PAGE_PRESENT;
}

void sim_table_check(const pmd_t *pmdp, pmd_t value)
{
	lf.nr_checked += is_reachable(value) - is_reachable(*pmdp);
}

/* Others look at the entry, without the lock. */
void lf_others_look(void)
{
	lf.none_seen |= lf.is_trying && pmd_none(lf_pmd);
	lf.valid_seen |= lf.is_trying && lf_pmd.pmd & _PAGE_PRESENT;
}

static noinline pmd_t pmdp_invalidate(struct vm_area_struct *of, unsigned long addr, pmd_t *pmdp)
{
	void (*does)(void) = lf.at_xchg;
	pmd_t old;

	sim_is_here(of->vm_mm, addr, pmdp);
	lf.at_xchg = NULL;
	if (does)
		does();
	old = *pmdp;
	sim_table_check(pmdp, (pmd_t){ old.pmd & ~(_PAGE_PRESENT | _PAGE_PROTNONE) });
	pmdp->pmd &= ~(_PAGE_PRESENT | _PAGE_PROTNONE);
	sim_note("flush");
	lf.is_trying = true;
	lf_others_look();
	return old;
}

static void rmap_removed(struct folio *folio, struct vm_area_struct *of)
{
	sim_is_here(of->vm_mm, ADDR, &lf_pmd);
	mapper_looks();
	if (LEAVES_TABLE ? lf_pmd.pmd & _PAGE_PRESENT : !pmd_none(lf_pmd))
		sim_breach("a mapping ends that is still there");
	lf.is_unmapped = true;
	folio->maps--;
	folio->whole_maps--;
}

static noinline void folio_remove_rmap_pmd(struct folio *folio, struct page *page,
					   struct vm_area_struct *of)
{
	rmap_removed(folio, of);
}

static noinline void page_remove_rmap(struct page *page, struct vm_area_struct *of, bool compound)
{
	if (!compound)
		sim_breach("a huge page's mapping ends as that of a small one");
	rmap_removed(&sim_folio, of);
}

static noinline pgtable_t pgtable_trans_huge_withdraw(struct mm_struct *of, pmd_t *pmdp)
{
	pgtable_t it = of->deposited;

	sim_is_here(of, ADDR, pmdp);
	mapper_looks();
	if (!it)
		sim_breach("no table was deposited");
	if (lf_pmd.pmd & _PAGE_PRESENT)
		sim_breach("F3: a table is withdrawn while the entry is valid");
	of->deposited = NULL;
	return it;
}

void sim_free_table(pgtable_t it)
{
	lf.nr_freed += it == &lf_table;
}

void sim_populate(const struct mm_struct *mm, pmd_t *pmdp, pgtable_t it)
{
	sim_is_here(mm, ADDR, pmdp);
	mapper_looks();
	if (it != &lf_table || lf_mm.deposited)
		sim_breach("F3: the table that follows isn't the one that was deposited");
	if (!lf.is_unmapped)
		sim_breach("F3: a table follows before the mapping has ended");
	pmdp->pmd = TABLE_ENTRY;
	sim_note("populate");
}

/* RCU's grace period is longer than any test. */
static noinline void pte_free_defer(struct mm_struct *of, pgtable_t it)
{
}

static noinline void pte_free_now(struct rcu_head *head)
{
	sim_free_table(head == &lf_table.rcu_head ? &lf_table : NULL);
}

long lf_rss(void)
{
#ifdef TLBBATCH_HAVE_MM_RSS_PERCPU
	return lf_mm.rss_stat[MM_ANONPAGES];
#else
	return lf_mm.rss_stat.count[MM_ANONPAGES].counter;
#endif
}

#ifdef TLBBATCH_HAVE_MM_RSS_PERCPU
#define COUNTS_AS(count)	true
#else
#define COUNTS_AS(count)	((count) == lf_rss())
#endif

static noinline void mm_trace_rss_stat(struct mm_struct *of, int member, long count)
{
	lf.nr_traced += member == MM_ANONPAGES && COUNTS_AS(count);
}

void update_hiwater_rss(struct mm_struct *of)
{
	of->hiwater = max(of->hiwater, lf_rss());
}

static noinline pmd_t *mm_find_pmd(struct mm_struct *of, unsigned long address)
{
	return address >> PMD_SHIFT == ADDR >> PMD_SHIFT && !lf.has_no_tables ? &lf_pmd : NULL;
}

static void runs(unsigned long to)
{
	void (*does)(void) = lf.in_original;

	returns_to = to;
	lf.in_original = NULL;
	if (does)
		does();
}

#define RUNS()	runs((unsigned long)__builtin_return_address(0))

#if IS_6_1_SHAPE
static noinline void split_huge_pmd_address(struct vm_area_struct *of, unsigned long address,
					    bool freeze, struct folio *folio)
{
	if (sim_ptl.held)
		sim_breach("a split waits for a lock that its caller has");
	RUNS();
	lf.nr_split++;
}
static struct folio another;
#define SPLIT(freeze)	\
	split_huge_pmd_address(&lf_vma, ADDR, freeze, lf.of_another ? &another : &sim_folio)
#else
static noinline void split_huge_pmd_locked(struct vm_area_struct *of, unsigned long address,
					   pmd_t *pmdp, bool freeze, struct folio *folio)
{
	sim_locked();
	RUNS();
	lf.nr_split++;
}
#define SPLIT(freeze)	split_huge_pmd_locked(&lf_vma, ADDR, &lf_pmd, freeze, &sim_folio)
#endif

noinline bool unmap_huge_pmd_locked(struct vm_area_struct *of, unsigned long addr,
					   pmd_t *pmdp, struct folio *folio)
{
	pmd_t old = *pmdp;

	sim_locked();
	RUNS();
	lf.nr_unmapped++;
	/* The kernel's own discard: none while it flushes, and then back. */
	if (pmd_trans_huge(old)) {
		lf.is_trying = true;
		pmdp->pmd = 0;
		lf_others_look();
		*pmdp = old;
	}
	return false;
}

/* What matters of it: for a huge page. */
noinline enum end try_to_unmap_one(void)
{
	enum end end = GOES_ON;

	LOCK();
	if (lf.discards_itself && !IS_6_1) {
		if (unmap_huge_pmd_locked(&lf_vma, ADDR, &lf_pmd, &sim_folio))
			end = DONE;
		else if (!IS_6_12)
			end = ABORTED;
	}
	if (end == GOES_ON)
		SPLIT(lf.freezes);
	/* The entry may be gone now: the walk ends then. */
	UNLOCK();
	barrier();
	return end;
}

noinline void freeze_one(void)
{
	LOCK();
	SPLIT(true);
	UNLOCK();
	barrier();
}

/* Others want a mapping split. */
noinline void split_for_others(void)
{
	LOCK();
	SPLIT(false);
	UNLOCK();
	barrier();
}

static const char *symbol_text(unsigned long addr)
{
	static char text[64];

	if (addr != (unsigned long)try_to_unmap_one)
		return NULL;
	sprintf(text, "try_to_unmap_one+0x0/0x%lx", unmap_one_size);
	return text;
}

void lf_world_init(void)
{
	hook_world_init();
	sim_symbol_text = symbol_text;
#if IS_6_1_SHAPE
	hook_world_has("split_huge_pmd_address", split_huge_pmd_address,
		       "void(struct vm_area_struct *, unsigned long, bool, struct folio *)");
	hook_world_has("page_remove_rmap", page_remove_rmap,
		       "void(struct page *, struct vm_area_struct *, bool)");
	hook_world_has("mm_find_pmd", mm_find_pmd, "pmd_t *(struct mm_struct *, unsigned long)");
#else
	hook_world_has("split_huge_pmd_locked", split_huge_pmd_locked, IS_6_12 ?
		       "void(struct vm_area_struct *, unsigned long, pmd_t *, bool, struct folio *)" :
		       "void(struct vm_area_struct *, unsigned long, pmd_t *, bool)");
	hook_world_has("unmap_huge_pmd_locked", unmap_huge_pmd_locked,
		       "bool(struct vm_area_struct *, unsigned long, pmd_t *, struct folio *)");
	hook_world_has("folio_remove_rmap_pmd", folio_remove_rmap_pmd,
		       "void(struct folio *, struct page *, struct vm_area_struct *)");
#endif
#ifdef TLBBATCH_HAVE_PTE_FREE_DEFER
	hook_world_has("pte_free_defer", pte_free_defer, "void(struct mm_struct *, pgtable_t)");
	hook_world_has("pte_free_now", pte_free_now, "void(struct callback_head *)");
#endif
#ifdef TLBBATCH_HAVE_MM_RSS_PERCPU
	hook_world_has("mm_trace_rss_stat", mm_trace_rss_stat, "void(struct mm_struct *, int)");
#else
	hook_world_has("mm_trace_rss_stat", mm_trace_rss_stat,
		       "void(struct mm_struct *, int, long)");
#endif
	hook_world_has("pmdp_invalidate", pmdp_invalidate,
		       "pmd_t(struct vm_area_struct *, unsigned long, pmd_t *)");
	hook_world_has("pgtable_trans_huge_withdraw", pgtable_trans_huge_withdraw,
		       "pgtable_t(struct mm_struct *, pmd_t *)");
	hook_world_has("try_to_unmap_one", try_to_unmap_one,
		       "bool(struct folio *, struct vm_area_struct *, unsigned long, void *)");

	/* How large it is: its last call isn't far from its end. */
	lf_vma.vm_mm = &lf_mm;
	try_to_unmap_one();
	unmap_one_size = returns_to + 1 - (unsigned long)try_to_unmap_one;
	lf.discards_itself = true;
	try_to_unmap_one();
	lf.discards_itself = false;
	unmap_one_size = max(unmap_one_size, returns_to + 1 - (unsigned long)try_to_unmap_one);
}

/* --- the knob --------------------------------------------------------------------------------- */

ssize_t write_mode(const char *text)
{
	struct kobj_attribute *attr = (void *)tlbbatch_lazyfree_files.group->attrs[0];

	return attr->store(NULL, attr, text, strlen(text));
}

const char *mode(void)
{
	struct kobj_attribute *attr = (void *)tlbbatch_lazyfree_files.group->attrs[0];
	static char buf[64];

	attr->show(NULL, attr, buf);
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

/* --- a page, and what became of it ------------------------------------------------------------ */

static u64 counts[NR];

u64 counted(unsigned int index)
{
	return tlbbatch_counter_read(&tlbbatch_lazyfree_counters, index) - counts[index];
}

void fresh(void)
{
	unsigned int i;

	sim_folio = (struct folio){ .anon = true, .locked = true, .refs = 2, .maps = 1,
				    .whole_maps = 1, .nr_pages = HPAGE_PMD_NR };
	memset(&lf_mm, 0, sizeof(lf_mm));
	lf_mm.deposited = &lf_table;
	lf_mm.nr_ptes = 4;
#ifdef TLBBATCH_HAVE_MM_RSS_PERCPU
	lf_mm.rss_stat[MM_ANONPAGES] = 1000;
#else
	lf_mm.rss_stat.count[MM_ANONPAGES].counter = 1000;
#endif
	/* The page is one of several. */
	lf_vma = (struct vm_area_struct){ &lf_mm, ADDR - HPAGE_PMD_SIZE, ADDR + 2 * HPAGE_PMD_SIZE, 0 };
	lf_pmd.pmd = 5UL << PMD_SHIFT | ENTRY_FLAGS;
	lf.nr_split = lf.nr_unmapped = lf.nr_freed = lf.nr_traced = 0;
	lf.nr_checked = 1;
	lf.none_seen = lf.none_used = lf.valid_seen = lf.is_trying = lf.is_unmapped = false;
	for (i = 0; i < NR; i++)
		counts[i] = tlbbatch_counter_read(&tlbbatch_lazyfree_counters, i);
	sim_forget();
}

bool is_ended(void)
{
	return LEAVES_TABLE ? lf_pmd.pmd == TABLE_ENTRY : pmd_none(lf_pmd);
}

bool is_gone(void)
{
	return is_ended() && !sim_folio.maps && !sim_folio.whole_maps && sim_folio.refs == 1 &&
	       counted(PAGES_DISCARDED) == HPAGE_PMD_NR && counted(TRIED) == 1 && !lf.nr_split;
}

bool is_back(unsigned long also)
{
	return lf_pmd.pmd == (5UL << PMD_SHIFT | ENTRY_FLAGS | also) && !counted(PAGES_DISCARDED) &&
	       lf_mm.deposited && lf_mm.nr_ptes == 4 && lf_rss() == 1000;
}
