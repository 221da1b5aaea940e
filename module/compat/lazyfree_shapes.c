// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shapes of what try_to_unmap_one() calls for a huge page. BTF tells at load which one the
 * kernel has.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include "compat/huge_pmd_compat.h"
#include "compat/lazyfree_shapes.h"
#include "hooks/hook.h"
#include "lazyfree/lazyfree_discard.h"
#include "lazyfree/lazyfree_symbols.h"
#include "targets.h"

/* Seconds between two messages of what off waits for. */
#define MESSAGE_S	5

/* Each replacement looks again whether the feature is on: off may have come since. */

#ifdef TLBBATCH_HAVE_SPLIT_HUGE_PMD_LOCKED

typedef void tlbbatch_type_split_huge_pmd_locked(struct vm_area_struct *vma,
						 unsigned long address, pmd_t *pmd,
						 bool freeze);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_split_huge_pmd_locked,
			tlbbatch_type_split_huge_pmd_locked);

/* From 6.16 on. */
static void tlbbatch_hook_split_huge_pmd_locked(struct vm_area_struct *vma,
						unsigned long address, pmd_t *pmd, bool freeze)
{
	if (!freeze && tlbbatch_lazyfree_acts() &&
	    tlbbatch_lazyfree_discard(vma, address, pmd, false))
		return;
	static_call(tlbbatch_orig_split_huge_pmd_locked)(vma, address, pmd, freeze);
}

typedef void tlbbatch_type_split_huge_pmd_folio(struct vm_area_struct *vma,
						unsigned long address, pmd_t *pmd,
						bool freeze, struct folio *folio);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_split_huge_pmd_folio,
			tlbbatch_type_split_huge_pmd_folio);

/* Up to 6.15. The entry maps @folio, or try_to_unmap_one() wouldn't have found it. */
static void tlbbatch_hook_split_huge_pmd_folio(struct vm_area_struct *vma,
					       unsigned long address, pmd_t *pmd,
					       bool freeze, struct folio *folio)
{
	if (!freeze && tlbbatch_lazyfree_acts() &&
	    tlbbatch_lazyfree_discard(vma, address, pmd, false))
		return;
	static_call(tlbbatch_orig_split_huge_pmd_folio)(vma, address, pmd, freeze, folio);
}

typedef bool tlbbatch_type_unmap_huge_pmd_locked(struct vm_area_struct *vma,
						 unsigned long addr, pmd_t *pmdp,
						 struct folio *folio);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_unmap_huge_pmd_locked,
			tlbbatch_type_unmap_huge_pmd_locked);

static bool tlbbatch_hook_unmap_huge_pmd_locked(struct vm_area_struct *vma,
						unsigned long addr, pmd_t *pmdp,
						struct folio *folio)
{
	if (!tlbbatch_lazyfree_acts())
		goto original;
	/* 6.12 calls it for every huge page, and splits the mapping next: see there. */
	if (COMPAT_SPLITS_WHAT_STAYS)
		return false;
	switch (tlbbatch_lazyfree_discard_own(vma, addr, pmdp, folio)) {
	case TLBBATCH_LAZYFREE_DISCARDED:
		return true;
	case TLBBATCH_LAZYFREE_KEPT:
		return false;
	case TLBBATCH_LAZYFREE_LEFT:
		break;
	}
original:
	return static_call(tlbbatch_orig_unmap_huge_pmd_locked)(vma, addr, pmdp, folio);
}

#else /* up to 6.10 */

typedef void tlbbatch_type_split_huge_pmd_address(struct vm_area_struct *vma,
						  unsigned long address, bool freeze,
						  struct folio *folio);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_split_huge_pmd_address,
			tlbbatch_type_split_huge_pmd_address);

/* How many tasks are named. */
#define NAMES_MAX	4

/* Tasks that may sleep in the original, because of an MMU notifier, and the names of some. */
static atomic_t inside;
static struct {
	pid_t pid;		/* 0: nobody's */
	char comm[TASK_COMM_LEN];
} sleepers[NAMES_MAX];

/* Rule F9: what waits for tasks to leave counts those that sleep. */
static void enter_original(void)
{
	unsigned int i;

	atomic_inc(&inside);
	for (i = 0; i < NAMES_MAX; i++) {
		if (READ_ONCE(sleepers[i].pid) ||
		    cmpxchg(&sleepers[i].pid, 0, task_pid_nr(current)))
			continue;
		memcpy(sleepers[i].comm, current->comm, sizeof(sleepers[i].comm));
		break;
	}
}

static void leave_original(void)
{
	unsigned int i;

	for (i = 0; i < NAMES_MAX; i++)
		if (READ_ONCE(sleepers[i].pid) == task_pid_nr(current))
			WRITE_ONCE(sleepers[i].pid, 0);
	atomic_dec(&inside);
}

/* Nobody enters any more, so a name stays what it is. */
static void name_sleepers(void)
{
	unsigned int i;

	for (i = 0; i < NAMES_MAX; i++) {
		pid_t pid = READ_ONCE(sleepers[i].pid);

		if (pid)
			pr_info("lazyfree: %s/%d may be in an MMU notifier\n",
				sleepers[i].comm, pid);
	}
}

static bool discard_at(struct vm_area_struct *vma, unsigned long address, struct folio *folio)
{
	unsigned long addr = address & PMD_MASK;
	bool done = false;
	spinlock_t *lock;	/* of the entry */
	pmd_t *pmd;

	/* Its lock is held, so this doesn't change. */
	if (folio_test_swapbacked(folio))
		return false;
	pmd = static_call(tlbbatch_lf_mm_find_pmd)(vma->vm_mm, address);
	if (!pmd)
		return false;
	lock = pmd_lock(vma->vm_mm, pmd);
	/*
	 * The anon_vma's lock is held, which mmu_notifier_register() takes as well
	 * (mm_take_all_locks()). So no notifier comes while the page goes.
	 */
	if (pmd_trans_huge(*pmd) && pmd_present(*pmd) &&
	    page_folio(pmd_page(*pmd)) == folio)
		done = tlbbatch_lazyfree_discard(vma, addr, pmd, mm_has_notifiers(vma->vm_mm));
	spin_unlock(lock);
	return done;
}

static void tlbbatch_hook_split_huge_pmd_address(struct vm_area_struct *vma,
						 unsigned long address, bool freeze,
						 struct folio *folio)
{
	if (!freeze && folio && tlbbatch_lazyfree_acts() && discard_at(vma, address, folio))
		return;
	enter_original();
	static_call(tlbbatch_orig_split_huge_pmd_address)(vma, address, freeze, folio);
	leave_original();
}

#endif /* TLBBATCH_HAVE_SPLIT_HUGE_PMD_LOCKED */

/**
 * tlbbatch_lazyfree_wait() - wait until no task sleeps in a replacement
 *
 * Rule F9. No task enters a replacement any more, and RCU-tasks has waited for those that were in
 * one: with the page table lock held they don't sleep. Up to 6.10 a task may have begun to sleep
 * in the original. The hooks are unregistered by now, so a caller that is killed can't give up.
 *
 * Context: process context, may sleep.
 */
void tlbbatch_lazyfree_wait(void)
{
#ifndef TLBBATCH_HAVE_SPLIT_HUGE_PMD_LOCKED
	unsigned int tries = 0;

	while (atomic_read(&inside)) {
		schedule_timeout_idle(HZ / 10);
		if (++tries % (10 * MESSAGE_S))
			continue;
		pr_info("lazyfree: off waits for MMU notifiers, %u s now\n", tries / 10);
		name_sleepers();
	}
#endif
}

const struct tlbbatch_target tlbbatch_unmap_huge_pmd_locked_targets[] = {
	TLBBATCH_TBL_hook_unmap_huge_pmd_locked(TLBBATCH_TARGET)
	{ }
};

const struct tlbbatch_target tlbbatch_split_huge_pmd_targets[] = {
	TLBBATCH_TBL_hook_split_huge_pmd(TLBBATCH_TARGET)
	{ }
};
