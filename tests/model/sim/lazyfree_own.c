// SPDX-License-Identifier: GPL-2.0-only
/* Lazyfree in place of the kernel's own discard (rule F6), for hook_lazyfree.c. */
#include "lazyfree_world.h"
#include "lazyfree/lazyfree_discard.h"

#define STAYS(counter, what, name) do {						\
	pmd_t _before;								\
	fresh();								\
	what;									\
	_before = lf_pmd;							\
	ok(try_to_unmap_one() == ABORTED, "F6: %s stays", name);		\
	ok(!lf.nr_unmapped && !lf.none_seen, "F6: %s isn't left to the kernel, which makes it none", \
	   name);								\
	ok(lf_pmd.pmd == _before.pmd && !sim_folio.swapbacked && !sim_did("flush"), \
	   "F6: %s is as it was", name);					\
	ok(counted(counter) == 1 && !counted(TRIED), "and counted");		\
} while (0)

/* try_to_unmap_one() has looked at VM_LOCKED before. mlock() has come since. */
static void test_own_odd(void)
{
	STAYS(DECLINED_VMA, lf_vma.vm_flags = VM_LOCKED, "what is being mlocked");
	STAYS(DECLINED_VMA, (lf_vma.vm_flags = VM_LOCKED, lf_pmd.pmd |= _PAGE_DIRTY),
	      "what is being mlocked and was written");
	STAYS(DECLINED_OTHER, sim_folio.mlocked = true, "what was mlocked");
	STAYS(DECLINED_OTHER, sim_folio.hwpoison = true, "what is poisoned");
	STAYS(DECLINED_OTHER, lf_mm.deposited = NULL, "an entry without a deposited table");
	STAYS(DECLINED_OTHER, lf_vma.vm_end = ADDR + HPAGE_PMD_SIZE - 4096, "a part of a page");
}

void test_own(void)
{
	lf.discards_itself = true;
	fresh();
	ok_int(try_to_unmap_one(), DONE, "F6: a page that nobody wrote goes");
	ok(is_gone() && !lf.nr_unmapped, "F6: and the kernel's own function doesn't run");

	fresh();
	sim_folio.refs = 3;
	looks();
	ok_int(try_to_unmap_one(), ABORTED, "F6: one that is held stays");
	ok(is_back(0) && !lf.none_seen && !lf.nr_unmapped, "F3: its entry was never none");
	ok(!sim_folio.swapbacked, "F5: that it is held doesn't make it a page that swap backs");

	fresh();
	lf.at_xchg = stores;
	ok_int(try_to_unmap_one(), ABORTED, "F6: one that is written stays");
	ok(is_back(_PAGE_DIRTY) && lf.nr_checked == 1, "F6: with its entry");
	ok(sim_folio.dirty && sim_folio.swapbacked, "F6: and swap backs it again");

	fresh();
	lf_pmd.pmd |= _PAGE_DIRTY;
	ok_int(try_to_unmap_one(), ABORTED, "F6: one that was written before stays");
	ok(sim_folio.dirty && sim_folio.swapbacked && counted(DECLINED_DIRTY) == 1 && !sim_did("flush"),
	   "F6: swap backs it, and nothing was tried");

	fresh();
	lf_pmd.pmd = (lf_pmd.pmd & ~_PAGE_RW) | _PAGE_SAVED_DIRTY;
	ok_int(try_to_unmap_one(), ABORTED, "F6: so does one that was written and then protected");
	ok(sim_folio.dirty && sim_folio.swapbacked && counted(DECLINED_DIRTY) == 1 && !sim_did("flush"),
	   "F6: swap backs it, too");

	fresh();
	lf_vma.vm_flags = VM_DROPPABLE;
	lf.at_xchg = stores;
	ok_int(try_to_unmap_one(), DONE, "F6: what may be dropped goes, dirty or not");
	ok(sim_folio.dirty && !sim_folio.swapbacked, "F6: as the kernel leaves it");

	fresh();
	sim_folio.maps = sim_folio.whole_maps = 2;
	sim_folio.refs = 3;
	ok_int(try_to_unmap_one(), DONE, "F6: one mapping of two goes");
	ok(is_ended() && sim_folio.refs == 2 && sim_folio.maps == 1, "F6: and the other one stays");

	fresh();
	lf_pmd.pmd = 9UL << PMD_SHIFT;
	try_to_unmap_one();
	ok(lf.nr_unmapped == 1 && !counted(TRIED) && lf_pmd.pmd == 9UL << PMD_SHIFT,
	   "F6: an entry that isn't present is the kernel's own affair");
	test_own_odd();
	fresh();
	LOCK();
	ok(unmap_huge_pmd_locked(&lf_vma, ADDR, &lf_pmd, &sim_folio) && is_gone(),
	   "F6: whoever calls it, the entry isn't none for a while");
	UNLOCK();
	lf.discards_itself = false;
}

static void unmap_huge_pmd(void)
{
	LOCK();
	unmap_huge_pmd_locked(&lf_vma, ADDR, &lf_pmd, &sim_folio);
	UNLOCK();
}

/* Off has come when a call is already on its way to the replacement. */
void test_own_raced(void)
{
	fresh();
	unmap_huge_pmd();
	fresh();
	sim_trouble.always = true;
	tlbbatch_lazyfree_set(false);
	unmap_huge_pmd();
	ok(lf.nr_unmapped == 1 && is_back(0) && !counted(TRIED) && !counted(DECLINED_OTHER),
	   "H3: the replacement of the kernel's own discard looks again whether it is on");
	tlbbatch_lazyfree_set(true);
	sim_trouble.always = false;
}

void test_own_and_split(void)
{
	lf.discards_itself = true;
	fresh();
	ok_int(try_to_unmap_one(), GOES_ON, "F6: the kernel goes on to the split");
	ok(is_gone() && !lf.nr_unmapped, "F6: in place of which the page goes");
	fresh();
	sim_folio.swapbacked = sim_folio.swapcache = true;
	try_to_unmap_one();
	ok(lf.nr_split == 1 && !lf.nr_unmapped && is_back(0), "F6: a page that swap backs is split");
	fresh();
	lf.at_xchg = stores;
	try_to_unmap_one();
	ok(is_back(_PAGE_DIRTY) && lf.nr_split == 1 && !sim_folio.swapbacked && !sim_folio.dirty,
	   "F6: what was written is split, and its flags are the kernel's affair");
	lf.discards_itself = false;
}
