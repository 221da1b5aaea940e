// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lazyfree: which calls are redirected, what is looked at, in which order, and what becomes of the
 * entry. Built for the shapes of several kernels: see the Makefile.
 */
#include <setjmp.h>
#include "lazyfree_world.h"
#include "lazyfree/lazyfree.h"
#include "lazyfree/lazyfree_discard.h"
#include "lazyfree/lazyfree_fit.h"
#include "lazyfree/lazyfree_hooks.h"

static void test_goes(void)
{
	fresh();
	looks();
	try_to_unmap_one();
	ok(is_gone(), "a page that nobody wrote goes whole, and isn't split");
	ok(!lf.none_seen, "F3: nobody saw the entry none before it was decided");
	ok(!lf.none_used, "F3: nor did who takes it that it is never none");
	ok(!lf.valid_seen, "F4: nor valid");
	ok(sim_did("flush"), "F4: every CPU has forgotten the entry");
	ok_int(lf_rss(), 1000 - HPAGE_PMD_NR, "F8: the process has so many pages less");
	ok_int(lf_mm.hiwater, 1000, "F8: what it had before is remembered");
	if (!LEAVES_TABLE) {
		ok_int(lf_mm.nr_ptes, 3, "F8: and a page table less");
		ok_int(lf.nr_freed, 1, "F8: which was freed at once");
	} else {
		ok_int(lf_mm.nr_ptes, 4, "F8: and as many page tables");
		ok_int(lf.nr_freed, 0, "F8: none of which was freed");
		ok(sim_in_order("flush", "populate"), "F3: the table comes behind the flush");
		ok(sim_in_order("wmb", "populate"), "F3: who sees the table sees it empty");
	}
	ok(!lf_mm.deposited, "F8: it isn't deposited any more");
	ok_int(lf.nr_traced, 1, "F8: the trace event comes");
	ok_int(lf.nr_checked, 0, "F8: page_table_check counts no entry for it any more");
	ok_int(sim_events("lazyfree"), 1, "E1: so does the module's own");
	ok(!sim_folio.swapbacked && !sim_folio.dirty, "reclaim finds it as it was");
}

/* While @is_so, the kernel has the mapping split. */
static void is_split(bool *is_so, const char *name)
{
	fresh();
	*is_so = true;
	try_to_unmap_one();
	*is_so = false;
	ok(lf.nr_split == 1 && is_back(0) && !counted(TRIED), "%s", name);
}

static void test_callers(void)
{
	fresh();
	split_for_others();
	ok(lf.nr_split == 1 && is_back(0) && !counted(TRIED), "F2: who wants a mapping split gets it split");
	fresh();
	freeze_one();
	ok(lf.nr_split == 1 && is_back(0) && !counted(TRIED), "F2: so does who wants it frozen");
	is_split(&lf.freezes, "F2: in try_to_unmap_one, too, what is to be frozen isn't discarded");
	if (!IS_6_1)
		return;
	is_split(&lf.of_another, "F2: an entry that maps another folio is split");
	is_split(&lf.has_no_tables, "F2: a process that has nothing there is left to the kernel");
}

#define DECLINES(counter, what, name) do {					\
	pmd_t _before;								\
	fresh();								\
	what;									\
	_before = lf_pmd;								\
	try_to_unmap_one();							\
	ok(lf.nr_split == 1 && lf_pmd.pmd == _before.pmd && !counted(TRIED) && !sim_did("flush"), \
	   "%s is left to the kernel", name);					\
	ok_int(counted(counter), 1, "and counted");				\
} while (0)

static void test_declines(void)
{
	DECLINES(DECLINED_DIRTY, sim_folio.dirty = true, "F4: a dirty folio");
	DECLINES(DECLINED_DIRTY, lf_pmd.pmd |= _PAGE_DIRTY, "F4: a dirty entry");
	DECLINES(DECLINED_DIRTY, lf_pmd.pmd = (lf_pmd.pmd & ~_PAGE_RW) | _PAGE_SAVED_DIRTY,
		 "F4: one that was dirty when it was protected");
	DECLINES(DECLINED_SHARED, sim_folio.maps = sim_folio.whole_maps = 2, "F2: a forked page");
	if (!IS_6_1)
		DECLINES(DECLINED_SHARED, sim_folio.maps = 3, "F2: one that is mapped in parts, too");
	DECLINES(DECLINED_VMA, lf_vma.vm_flags = VM_LOCKED, "F2: an mlocked VMA");
	DECLINES(DECLINED_VMA, lf_vma.vm_flags = VM_UFFD, "F2: a VMA with a userfaultfd");
	DECLINES(DECLINED_VMA, lf_vma.vm_flags = VM_DROPPABLE, "F2: a droppable VMA");
	DECLINES(DECLINED_VMA, lf_vma.vm_flags = VM_SHADOW_STACK, "F2: a shadow stack");
	DECLINES(DECLINED_PROTECTED, lf_pmd.pmd &= ~_PAGE_RW, "F7: a write-protected entry");
	DECLINES(DECLINED_PROTECTED, lf_pmd.pmd |= _PAGE_UFFD, "F7: one that userfaultfd protects");
	DECLINES(DECLINED_PROTECTED, lf_pmd.pmd = (lf_pmd.pmd & ~_PAGE_PRESENT) | _PAGE_PROTNONE,
		 "F7: one of NUMA balancing");
	DECLINES(DECLINED_OTHER, sim_folio.locked = false, "F2: a folio that isn't locked");
	DECLINES(DECLINED_OTHER, sim_folio.swapcache = true, "F2: one in the swap cache");
	DECLINES(DECLINED_OTHER, sim_folio.hwpoison = true, "F2: a poisoned one");
	DECLINES(DECLINED_OTHER, sim_folio.has_hwpoisoned = true, "F2: one with a poisoned page");
	DECLINES(DECLINED_OTHER, sim_folio.mlocked = true, "F2: an mlocked one");
	DECLINES(DECLINED_OTHER, lf_mm.deposited = NULL, "F8: an entry without a deposited table");
	DECLINES(DECLINED_OTHER, lf_vma.vm_end = ADDR + HPAGE_PMD_SIZE - 4096, "F2: a part of a page");
	DECLINES(DECLINED_OTHER, lf_vma.vm_start = ADDR + 4096, "F2: the other part");
	DECLINES(DECLINED_OTHER, sim_folio.nr_pages = 1024, "F2: a part of a larger folio");
}

static u64 counted_in_all(void)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < NR; i++)
		sum += counted(i);
	return sum;
}

static void test_not_ours(void)
{
	fresh();
	sim_folio.swapbacked = true;
	try_to_unmap_one();
	ok(lf.nr_split == 1 && is_back(0) && !counted_in_all(), "F2: a page that swap backs isn't ours");
	fresh();
	sim_folio.anon = false;
	try_to_unmap_one();
	ok(lf.nr_split == 1 && is_back(0) && !counted_in_all(), "F2: nor a file's");
	ok(!sim_events("lazyfree"), "E1: of what isn't tried no event tells");
	fresh();
	lf_pmd.pmd = 9UL << PMD_SHIFT;
	try_to_unmap_one();
	ok(lf.nr_split == 1 && lf_pmd.pmd == 9UL << PMD_SHIFT && !counted_in_all(),
	   "F2: nor an entry that isn't present");
	fresh();
	lf_pmd.pmd = 9UL << PMD_SHIFT | _PAGE_PRESENT;
	try_to_unmap_one();
	ok(lf.nr_split == 1 && !counted_in_all(), "F2: nor a page table");
}

static void grabs(void)
{
	sim_folio.refs++;
}

static void marks_and_lets_go(void)
{
	lf_others_look();
	sim_folio.dirty = true;
	sim_folio.refs--;
}

static void grabs_and_looks(void)
{
	lf_others_look();
	grabs();
}

static void test_restores(void)
{
	fresh();
	lf.at_xchg = stores;
	try_to_unmap_one();
	ok(is_back(_PAGE_DIRTY) && lf.nr_split == 1, "F4: a store right before: the entry is back, dirty");
	ok_int(counted(RESTORED_DIRTY), 1, "F4: and counted");
	ok_int(lf.nr_checked, 1, "F8: page_table_check counts an entry that is back");
	ok_int(sim_events("lazyfree"), 1, "E1: an event tells of that, too");
	ok(!sim_folio.swapbacked && !sim_folio.dirty, "F4: the kernel's split says what that means");

	fresh();
	sim_at_barrier = grabs_and_looks;
	try_to_unmap_one();
	ok(!sim_at_barrier && is_back(0) && lf.nr_split == 1, "F5: GUP-fast got a reference: the entry is back");
	ok_int(counted(RESTORED_REFERENCED), 1, "F5: and counted");
	ok(!sim_folio.swapbacked, "F5: the page is as lazyfree as before");

	fresh();
	sim_folio.refs = 3;
	sim_at_barrier = marks_and_lets_go;
	try_to_unmap_one();
	ok(is_back(0) && counted(RESTORED_DIRTY) == 1,
	   "F4: who wrote to it marks it dirty and lets go, before the count: it stays");

	fresh();
	sim_folio.refs = 3;
	sim_at_rmb = marks_and_lets_go;
	try_to_unmap_one();
	ok(!sim_at_rmb && is_back(0) && counted(RESTORED_DIRTY) == 1,
	   "F4: behind the count: the flag is read later, and it stays");

	fresh();
	sim_folio.refs = 3;
	looks();
	try_to_unmap_one();
	ok(is_back(0) && lf.nr_split == 1 && counted(RESTORED_REFERENCED) == 1,
	   "F5: somebody holds it all the time: it stays");
	ok(!lf.none_seen && !lf.valid_seen, "F3: an entry that comes back was never none");
	ok_int(counted(TRIED), 1, "F3: it was tried");
}

/* --- notifiers, and tasks that sleep -------------------------------------------------------------- */

static struct task_struct gone = { .comm = "gone", .pid = 11 };
static struct task_struct sleeper = { .comm = "sleeper", .pid = 12 };
static struct task_struct writer = { .comm = "writer", .pid = 13 };
static jmp_buf awake;
static unsigned int slept;

static void another_sleep(void)
{
	if (++slept == 60)
		longjmp(awake, 1);
}

/* Rule F9: who writes off waits as long. */
static void off_comes(void)
{
	current = &writer;
	sim_others = another_sleep;
	if (!setjmp(awake)) {
		write_mode("off");
		ok(false, "F9: off returns while a task sleeps in a replacement");
	}
	sim_others = NULL;
	ok_int(slept, 60, "F9: off waits for a task that sleeps in a replacement");
	ok(sim_logged("waits for MMU notifiers"), "F9: and says so");
	ok(sim_logged("sleeper/12 ") && !sim_logged("gone/11 "), "F9: and names it, and nobody else");
}

static void test_notifiers(void)
{
	fresh();
	lf_mm.notifiers = true;
	try_to_unmap_one();
	if (!IS_6_1) {
		ok(is_gone(), "notifiers were told before: the page goes");
		return;
	}
	ok(lf.nr_split == 1 && is_back(0) && counted(DECLINED_NOTIFIER) == 1,
	   "F2: where notifiers weren't told the mapping is split");
}

/* --- off -------------------------------------------------------------------------------------------- */

static void test_off(void)
{
	fresh();
	ok_int(write_mode("off\n"), 4, "off");
	ok(sim_did("rcu_tasks"), "F9: tasks in a replacement are waited for");
	ok_str(mode(), "[off] pmd", "mode says so");
	try_to_unmap_one();
	ok(lf.nr_split == 1 && !counted_in_all(), "off: the kernel splits");
	ok_int(write_mode("pmd"), 3, "on again");
	ok_str(mode(), "off [pmd]", "mode says so");

	fresh();
	sim_trouble.refuses = -ENODEV;
	ok_int(write_mode("off"), -ENODEV, "ftrace doesn't let go");
	ok_str(mode(), "[off] pmd", "H3: but it is off");
	try_to_unmap_one();
	ok(lf.nr_split == 1 && is_back(0) && !counted_in_all(), "H3: a hook that stays discards nothing");
	ok_int(write_mode("pmd"), -ENODEV, "H3: it can't be switched on again");
	try_to_unmap_one();
	ok(lf.nr_split == 2 && !counted_in_all(), "H3: still nothing is discarded");
	sim_trouble.refuses = 0;
	ok_int(write_mode("off"), 3, "ftrace lets go");
	ok_int(write_mode("pmd"), 3, "on again");
}

static bool acts_in_switch;

static void at_switch(void)
{
	acts_in_switch = tlbbatch_lazyfree_acts();
}

/*
 * Another feature is being switched, and waits for a pass that sleeps. Two writers come: who waits
 * for that has the knob's mutex, and the other one waits for him.
 */
static void test_off_at_once(void)
{
	acts_in_switch = true;
	sim_at_second_mutex = at_switch;
	ok_int(write_mode("pmd"), 3, "one writes pmd again while another feature is switched");
	ok(!!sim_at_second_mutex, "F9: he doesn't wait, and keeps nobody waiting who writes off");
	ok_int(write_mode("off"), 3, "the other one writes off");
	ok(!sim_at_second_mutex && !acts_in_switch, "F9: nothing is discarded before that is over");
	acts_in_switch = true;
	sim_at_second_mutex = at_switch;
	ok_int(write_mode("pmd"), 3, "on again");
	ok(!sim_at_second_mutex && !acts_in_switch,
	   "F9: while the first pmd waits, and off for it, nothing is discarded");
}

/* Off has come when a call is already on its way to the replacement. */
static void test_raced(void)
{
	fresh();
	sim_trouble.always = true;
	tlbbatch_lazyfree_set(false);
	try_to_unmap_one();
	ok(lf.nr_split == 1 && is_back(0) && !counted_in_all(), "H3: a replacement looks again whether it is on");
	tlbbatch_lazyfree_set(true);
	sim_trouble.always = false;
}

/* --- kernels and machines --------------------------------------------------------------------------- */

static void test_unfit(void)
{
	const unsigned long prots[] = { PAGE_SHARED.prot, PAGE_READONLY.prot, PAGE_NONE.prot };
	unsigned int step;

	ok(!tlbbatch_lazyfree_unsafe(), "F7: a kernel that keeps the dirty bit will do");
	for (step = 0; step < 9; step++) {
		sim_loses = (struct sim_step){ prots[step / 3], prots[step % 3] };
		if (sim_loses.from != sim_loses.to)
			ok(tlbbatch_lazyfree_unsafe(), "F7: one that loses it won't, step %u", step);
	}
	sim_loses = (struct sim_step){ };
	lf_no_thp = true;
	ok(tlbbatch_lazyfree_unsafe(), "F7: nor one without huge pages");
	lf_no_thp = false;
	lf_is_rt = true;
	ok(tlbbatch_lazyfree_unsafe(), "F9: nor one where spinlocks sleep");
	lf_is_rt = false;
	strscpy(sim_uts.release, "7.2.6+sim", sizeof(sim_uts.release));
	ok_str(tlbbatch_lazyfree_unsafe() ?: "", "the module was built for another kernel, 7.2.12+sim",
	       "F7: nor one of another release than that whose pmd_modify() is tried");
	strscpy(sim_uts.release, "7.2.12+simulated", sizeof(sim_uts.release));
	ok(tlbbatch_lazyfree_unsafe(), "F7: even if its name begins alike");
	strscpy(sim_uts.release, UTS_RELEASE, sizeof(sim_uts.release));
	ok(!tlbbatch_lazyfree_unsafe(), "F7: of the same one it will do");

	ok_int(write_mode("off"), 3, "off");
	sim_xenpv = true;
	sim_forget();
	ok_int(write_mode("pmd"), -EOPNOTSUPP, "F7: not under Xen");
	ok(sim_logged("Xen"), "F7: and it says so");
	sim_xenpv = false;
	ok_int(write_mode("pme"), -EINVAL, "no such mode");
	ok_int(write_mode("pmd"), 3, "on again");
}

/* Unload tries again until ftrace lets go. */
static void in_unload(void)
{
	sim_others = NULL;
	fresh();
	try_to_unmap_one();
	sim_trouble.refuses = 0;
}

int main(void)
{
	lf_world_init();
	ok_int(sim_load(), 0, "it loads");
	ok_str(tlbbatch_lazyfree.unavailable, "", "huge pages can be discarded");
	fresh();
	try_to_unmap_one();
	ok(lf.nr_split == 1 && !counted_in_all(), "loaded: the kernel splits");
	ok_int(write_mode("pmd\n"), 4, "huge pages are discarded");
	test_goes();
	test_callers();
	test_declines();
	test_not_ours();
	test_restores();
	if (IS_6_12)
		test_own_and_split();
	else if (!IS_6_1)
		test_own();
	test_notifiers();
	test_unfit();
	test_off();
	test_off_at_once();
	test_raced();
	if (!IS_6_1)
		test_own_raced();
	ok_int(sim_breaches(), 0, "F1: no entry was changed without its lock, and no other breach");
	if (IS_6_1) {
		/* The last test: who wrote off is left waiting. */
		fresh();
		lf_mm.notifiers = true;
		current = &gone;
		try_to_unmap_one();
		current = &sleeper;
		lf.in_original = off_comes;
		try_to_unmap_one();
		return tap_done();
	}
	sim_trouble.refuses = -ENODEV;
	sim_others = in_unload;
	sim_unload();
	ok(!sim_others && lf.nr_split == 1 && !counted_in_all(),
	   "H3: at unload, too, a hook that ftrace doesn't let go of discards nothing");
	return hook_world_done();
}
