// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which tasks are in a reclaim pass, as far as the entries of functions tell. What a
 * pass unmaps and flushes is in luf_unmap.c.
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
 * Another task may take a slot whose pass is over, as far as is known; so may it take a
 * slot that has been idle for that long.
 */
#define IDLE_JIFFIES	(60 * HZ)

/* Tracking is about to end, or not all of what it watches is attached yet. */
static bool closing __read_mostly = true;
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
 * tlbbatch_luf_forget_unmaps() - forget a pass's pending unmaps
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
 * tlbbatch_luf_forget() - forget all that a pass has pending, and give its pages back
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
 * Only a task that takes over slots contends for the lock, and only for a moment.
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
			/*
			 * For sparse, which can't follow a lock that is returned held.
			 */
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
	/* For sparse: the reverse of tlbbatch_luf_get_pass() and claim_pass(). */
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
 * Rule L15. The end of MADV_PAGEOUT isn't seen, so that a task that sleeps after it
 * would keep the slot. All reclaim runs with PF_MEMALLOC. @task may be followed: a task
 * with a slot is alive, because it gives its slots back when it exits, under their locks
 * (tlbbatch_luf_see_exit()), and then gets no other one (claim_pass()). No task gets one
 * whose exit might go unseen: tracking is closed then.
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

	/* A task that is past exit_files() would not give its slot back. */
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
 * What an earlier pass left pending is forgotten: this task never flushed it as a
 * batch, so no other CPU has entries of its pages.
 *
 * Context: reclaim, preemption off.
 */
void tlbbatch_luf_see_pass(void)
{
	struct pass *pass = tlbbatch_luf_get_pass();

	if (!pass) {
		/* No pass of a task without a slot is seen then, nor misses one. */
		if (READ_ONCE(closing))
			return;
		pass = claim_pass();
	}
	if (!pass) {
		tlbbatch_luf_count(TLBBATCH_LUF_PASSES_UNSEEN, 1);
		return;
	}
	tlbbatch_luf_forget(pass);
	WRITE_ONCE(pass->active, true);
	pass->demotes = false;
	pass->completes = false;
	/* A flush is pending whose unmaps weren't seen: not read-only then (rule L3). */
	if (current->tlb_ubc.flush_required)
		pass->mixed = 1;
	tlbbatch_luf_put_pass(pass);
}

/**
 * tlbbatch_luf_see_pass_end() - reclaim puts back the folios that a pass left
 *
 * Up to 6.12 or so lruvec->lru_lock is held here. Interrupts take that lock, too, and
 * may interrupt a task that holds a lock of tracking's (rule L16). So none is taken
 * here. Whoever uses the slot next forgets what is pending.
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
 * tlbbatch_luf_see_exit() - the task exits, and needs its slots no more
 *
 * A thread that isn't the first of its process has another start_boottime after
 * execve(), so that it may have a slot that tlbbatch_luf_get_pass() doesn't find.
 *
 * Context: task, preemption off; it has PF_EXITING.
 */
void tlbbatch_luf_see_exit(void)
{
	unsigned int slot, i;

	for_each_tlbbatch_task_slot(slot, i, current, passes_hash) {
		struct pass *pass = &passes[slot];

		if (READ_ONCE(pass->task) != current)
			continue;
		raw_spin_lock(&pass->lock);
		/* Another task may have taken it over. */
		if (pass->task == current) {
			tlbbatch_luf_forget(pass);
			WRITE_ONCE(pass->task, NULL);
		}
		raw_spin_unlock(&pass->lock);
	}
}

/*
 * Marks the passes that unmapped pages of a file (NULL: of any) and haven't flushed yet:
 * they give up their generation (rule L12). No lock is taken: a mark too many is on the
 * safe side.
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
 * Passes are hit before the table is walked (rule L12). A pass whose generation isn't
 * in the table by then finds that it was hit, when it has entered the table.
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
	/* Pairs with smp_mb() in begin_generation(), luf_unmap.c. */
	smp_mb();
	tlbbatch_luf_table_give_up(file, reason);
}

/**
 * tlbbatch_luf_is_closing() - is tracking about to end, or about to begin?
 *
 * Context: any, behind the full barrier of note_file() or add_file(), luf_unmap.c. It
 *	pairs with smp_mb() in tlbbatch_luf_close().
 */
bool tlbbatch_luf_is_closing(void)
{
	return READ_ONCE(closing);
}

/**
 * tlbbatch_luf_close() - let no generation begin any more, and give up all that are open
 * @close: false to let generations begin
 *
 * It is closed before the first event can go unseen, and opened when none can any more:
 * in between a generation could wrongly count as saved (rule L18). It begins closed.
 *
 * Context: process context.
 */
void tlbbatch_luf_close(bool close)
{
	WRITE_ONCE(closing, close);
	if (!close)
		return;
	/*
	 * A pass that didn't see @closing in begin_generation() finds that it was hit.
	 * Pairs with smp_mb() in note_file() and, in add_file(), the full barrier of
	 * tlbbatch_luf_interest(); both in luf_unmap.c.
	 */
	smp_mb();
	tlbbatch_luf_give_up(NULL, TLBBATCH_LUF_REASON_OFF);
}
