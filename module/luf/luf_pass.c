// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which tasks are in a reclaim pass, as far as can be told from outside, at the
 * entries of functions. What a pass unmaps and flushes is luf_unmap.c's.
 *
 *  shrink_folio_list()		a pass begins: nothing of it is pending
 *  move_folios_to_lru()	it is over; where that isn't called (MADV_PAGEOUT) the
 *				task's next pass, other unmap or exit ends it
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "debug/debug.h"
#include "luf/luf_alloc.h"
#include "luf/luf_counters.h"
#include "luf/luf_pass.h"
#include "luf/luf_pending.h"
#include "luf/luf_table.h"
#include "pass/task_table.h"

/*
 * A slot whose pass is over, as far as is known, is another task's for the taking,
 * as is one that wasn't used for so long.
 */
#define IDLE_JIFFIES	(60 * HZ)

/* Tracking is about to end. */
static bool closing;
static struct pass *passes;
static unsigned long *pass_masks;
static unsigned int passes_bits;
static struct tlbbatch_task_hash passes_hash;

/**
 * tlbbatch_luf_passes_init() - make the table of passes
 *
 * Context: process context, may sleep. Return: 0 or -ENOMEM.
 */
int tlbbatch_luf_passes_init(void)
{
	unsigned int nr = tlbbatch_luf_passes_for(num_possible_cpus());
	unsigned int words = BITS_TO_LONGS(nr_cpu_ids), i;

	passes = tlbbatch_luf_alloc(nr, sizeof(*passes));
	pass_masks = tlbbatch_luf_alloc(nr, 3 * words * sizeof(*pass_masks));
	if (!passes || !pass_masks) {
		vfree(pass_masks);
		vfree(passes);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		raw_spin_lock_init(&passes[i].lock);
		passes[i].before = &pass_masks[3 * i * words];
		passes[i].sent = &pass_masks[(3 * i + 1) * words];
		passes[i].owed = &pass_masks[(3 * i + 2) * words];
	}
	passes_bits = ilog2(nr);
	passes_hash = tlbbatch_task_hash_for(passes_bits);
	return 0;
}

/**
 * tlbbatch_luf_forget_files() - end the interest in a pass's files
 * @pass: locked
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_forget_files(struct pass *pass)
{
	unsigned int i, nr = pass->files.nr;

	pass->stale_files = false;
	for (i = 0; i < nr; i++)
		tlbbatch_luf_interest(pass->files.table, pass->files.file[i], -1);
	WRITE_ONCE(pass->files.nr, 0);
	pass->remote = false;
	pass->open_write = false;
}

/**
 * tlbbatch_luf_forget_unmaps() - no unmap of it is pending
 * @pass: locked
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_forget_unmaps(struct pass *pass)
{
	pass->readonly = 0;
	pass->mixed = 0;
	pass->untracked = false;
	WRITE_ONCE(pass->hit, false);
	pass->last_mixed = false;
	bitmap_zero(pass->owed, nr_cpu_ids);
}

/**
 * tlbbatch_luf_forget() - nothing is pending: give all of it back
 * @pass: locked
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_forget(struct pass *pass)
{
	tlbbatch_luf_forget_files(pass);
	tlbbatch_luf_pages_drop(&pass->pages);
	tlbbatch_luf_forget_unmaps(pass);
}

/**
 * tlbbatch_luf_passes_exit() - free it
 *
 * Context: process context; nobody tracks any more.
 */
void tlbbatch_luf_passes_exit(void)
{
	unsigned int i;

	for (i = 0; i < BIT(passes_bits); i++)
		tlbbatch_luf_forget(&passes[i]);
	vfree(pass_masks);
	vfree(passes);
	passes = NULL;
}

static bool is_mine(const struct pass *pass)
{
	return pass->task == current &&
	       pass->started == current->start_boottime;
}

/**
 * tlbbatch_luf_get_pass() - the running task's slot
 *
 * Only a thief contends for its lock, and for a moment.
 *
 * Context: task, preemption off.
 * Return: the slot, locked; NULL if the task has none.
 */
struct pass *tlbbatch_luf_get_pass(void)
{
	unsigned int slot, i;

	for_each_tlbbatch_task_slot(slot, i, current, passes_hash) {
		struct pass *pass = &passes[slot];

		if (READ_ONCE(pass->task) != current)
			continue;
		raw_spin_lock(&pass->lock);
		if (is_mine(pass)) {
			/* Only in sparse's eyes: it knows no lock that is kept at times. */
			__release(&pass->lock);
			return pass;
		}
		raw_spin_unlock(&pass->lock);
	}
	return NULL;
}

/**
 * tlbbatch_luf_put_pass() - unlock it
 * @pass: the running task's slot
 */
void tlbbatch_luf_put_pass(struct pass *pass)
{
	/* In sparse's eyes: pairs with tlbbatch_luf_get_pass() and claim_pass(). */
	__acquire(&pass->lock);
	WRITE_ONCE(pass->used, jiffies);
	raw_spin_unlock(&pass->lock);
}

static bool is_idle(const struct pass *pass)
{
	return !READ_ONCE(pass->task) || !READ_ONCE(pass->active) ||
	       jiffies - READ_ONCE(pass->used) >= IDLE_JIFFIES;
}

/*
 * Rule L15. Of MADV_PAGEOUT no end is seen: who sleeps behind it would keep the slot. All
 * reclaim runs with PF_MEMALLOC. A task that is in a slot is alive: it doesn't get past
 * do_exit()'s first instruction without the lock (tlbbatch_luf_see_exit()), and behind
 * it is given none (claim_pass()).
 */
static bool is_over(const struct pass *pass)
{
	return is_idle(pass) ||
	       (!(READ_ONCE(pass->task->flags) & PF_MEMALLOC) &&
		!tlbbatch_luf_break(TLBBATCH_LUF_BREAK_SLEEPERS));
}

static struct pass *claim_pass(void)
{
	unsigned int slot, i;

	/* Nobody would take it back from a task that dies. */
	if (current->flags & PF_EXITING)
		return NULL;
	for_each_tlbbatch_task_slot(slot, i, current, passes_hash) {
		struct pass *pass = &passes[slot];

		if (!raw_spin_trylock(&pass->lock))
			continue;
		if (is_over(pass)) {
			tlbbatch_luf_forget(pass);
			pass->completes = false;
			pass->started = current->start_boottime;
			WRITE_ONCE(pass->task, current);
			__release(&pass->lock);
			return pass;
		}
		raw_spin_unlock(&pass->lock);
	}
	return NULL;
}

/**
 * tlbbatch_luf_see_pass() - shrink_folio_list() begins
 *
 * What an earlier pass left pending was never flushed by this task as a batch: its
 * pages have no other CPU's entries.
 *
 * Context: reclaim, preemption off.
 */
void tlbbatch_luf_see_pass(void)
{
	struct pass *pass = tlbbatch_luf_get_pass() ?: claim_pass();

	if (!pass) {
		tlbbatch_luf_count(TLBBATCH_LUF_PASSES_UNSEEN, 1);
		return;
	}
	tlbbatch_luf_forget(pass);
	WRITE_ONCE(pass->active, true);
	pass->demotes = false;
	pass->completes = false;
	/* What is pending already wasn't seen: whose it is isn't known (rule L3). */
	if (current->tlb_ubc.flush_required)
		pass->mixed = 1;
	tlbbatch_luf_put_pass(pass);
}

/**
 * tlbbatch_luf_see_pass_end() - what shrink_folio_list() left is put back
 *
 * Up to 6.12 or so under lruvec->lru_lock, for which interrupts wait, too: whoever
 * holds a lock of ours may be interrupted by one (rule L16). So none is taken here, and what is
 * pending is forgotten by whoever takes the slot next.
 *
 * Context: reclaim, interrupts off perhaps.
 */
void tlbbatch_luf_see_pass_end(void)
{
	unsigned int slot, i;

	for_each_tlbbatch_task_slot(slot, i, current, passes_hash) {
		struct pass *pass = &passes[slot];

		if (READ_ONCE(pass->task) == current)
			WRITE_ONCE(pass->active, false);
	}
}

/**
 * tlbbatch_luf_see_exit() - the task exits, and needs its slot no more
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_exit(void)
{
	struct pass *pass = tlbbatch_luf_get_pass();

	if (!pass)
		return;
	tlbbatch_luf_forget(pass);
	WRITE_ONCE(pass->task, NULL);
	tlbbatch_luf_put_pass(pass);
}

/*
 * An event met a file, or NULL for all. A pass that unmapped some of it and hasn't flushed
 * yet gives up its generation (rule L12). Without a lock: a hit too many is on the safe
 * side.
 */
static void hit_passes(const struct address_space *file)
{
	unsigned int i, j, nr;

	for (i = 0; i < BIT(passes_bits); i++) {
		struct pass *pass = &passes[i];

		/* Pairs with the release in add_file(), luf_unmap.c. */
		nr = smp_load_acquire(&pass->files.nr);
		for (j = 0; j < min(nr, TLBBATCH_LUF_FILES); j++)
			if (!file || READ_ONCE(pass->files.file[j]) == file)
				WRITE_ONCE(pass->hit, true);
	}
}

/**
 * tlbbatch_luf_give_up() - a stale entry of a file could be seen from now on
 * @file: the file; NULL for all
 * @reason: what happened
 *
 * Passes first (rule L12): one that isn't in the table yet, when that is gone through, finds
 * out that it was hit when it enters it.
 *
 * Context: any but NMI, before the kernel acts.
 */
void tlbbatch_luf_give_up(const struct address_space *file,
			  enum tlbbatch_luf_reason reason)
{
	if (file && !tlbbatch_luf_interesting(file))
		return;
	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_EVENTS) &&
	    reason != TLBBATCH_LUF_REASON_OFF)
		return;
	hit_passes(file);
	/* Pairs with the barrier in begin_generation(), luf_unmap.c. */
	smp_mb();
	tlbbatch_luf_table_give_up(file, reason);
}

/**
 * tlbbatch_luf_is_closing() - is tracking about to end?
 *
 * Context: any, behind the full barrier of note_file() or add_file(), luf_unmap.c. It
 *	pairs with smp_mb() in tlbbatch_luf_close().
 */
bool tlbbatch_luf_is_closing(void)
{
	return READ_ONCE(closing);
}

/**
 * tlbbatch_luf_close() - no generation begins any more, and all that are open end
 * @close: or begin again, if tracking can't end
 *
 * Before the first event goes unseen: else a generation could be saved behind it (rule L18).
 *
 * Context: process context.
 */
void tlbbatch_luf_close(bool close)
{
	WRITE_ONCE(closing, close);
	if (!close)
		return;
	/*
	 * A pass that didn't see it in begin_generation() finds that it was hit. Pairs
	 * with the full barriers of note_file() and, by tlbbatch_luf_interest(), of
	 * add_file(), luf_unmap.c.
	 */
	smp_mb();
	tlbbatch_luf_give_up(NULL, TLBBATCH_LUF_REASON_OFF);
}
