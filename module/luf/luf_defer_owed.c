// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is held back, and the flushes that are owed for it: for each node the folios of
 * passes whose flush was put off, the CPUs that it would have gone to, and the files.
 *
 *  open	what passes add to
 *  flushing	what a flush is under way for
 *  clean	what is flushed, and may be freed
 *
 * A folio goes from one to the next, and to the page allocator (rule D4). Who flushes takes
 * all of @open along. If another flush is under way, the task waits for it, and then flushes what is
 * open by then. An event leaves the folios alone. Who releases frees them, a few at a time.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "arch/x86.h"
#include "debug/debug.h"
#include "luf/luf_defer_counters.h"
#include "luf/luf_defer_flush.h"
#include "luf/luf_defer_interest.h"
#include "luf/luf_defer_knobs.h"
#include "luf/luf_defer_owed.h"
#include "luf/luf_defer_room.h"
#include "luf/luf_held.h"
#include "pass/group.h"

/* Pages that a task frees while others wait; of a large folio more. */
#define FREED_AT_ONCE	32U

/**
 * struct debt - folios, and what must be flushed before they are freed
 * @folios: frozen, uncharged, and on no other list
 * @cpus: that may have entries of them
 * @files: the hashes of their files; each is counted as interest
 * @nr: the number of the last group that was added
 */
struct debt {
	struct list_head folios;
	cpumask_var_t cpus;
	DECLARE_BITMAP(files, TLBBATCH_DEFER_FILES);
	u64 nr;
};

/**
 * struct owed - what a node's passes owe
 * @lock: tasks only; a flush is never made under it
 * @open: see above
 * @flushing: see above; empty unless @busy
 * @busy: a flush is under way for @flushing
 * @clean: see above
 * @freeing: tasks that are freeing folios of @clean, each with preemption off
 * @pages: pages of @open, for each zone
 * @held: pages of all three, and of what passes are about to add, for each zone
 * @since: when @open got its first folio, in jiffies
 * @due: when @work runs, in jiffies, while it is pending
 * @work: releases what has become too old, and frees what an event has flushed
 * @nid: the node
 */
struct owed {
	raw_spinlock_t lock;
	struct debt open;
	struct debt flushing;
	bool busy;
	struct list_head clean;
	unsigned int freeing;
	unsigned long pages[MAX_NR_ZONES];
	unsigned long held[MAX_NR_ZONES];
	unsigned long since;
	unsigned long due;
	struct delayed_work work;
	int nid;
};

static struct owed **owed_by_node;
static struct workqueue_struct *workqueue;
/* Over all nodes; there whether deferral is on or not. */
static atomic_long_t held_pages;
/* The number of the last debt. It goes on when deferral begins anew: see luf_held.c. */
static atomic64_t debts;

/* Section: the flush */

static struct owed *owed_of(int nid)
{
	return owed_by_node[nid];
}

/**
 * tlbbatch_owed_has() - can anything of a node be held back?
 * @nid: the node
 *
 * Context: any. Return: false if the node got its memory later.
 */
bool tlbbatch_owed_has(int nid)
{
	return owed_of(nid);
}

static void move_debt(struct debt *to, struct debt *from)
{
	list_splice_tail_init(&from->folios, &to->folios);
	cpumask_copy(to->cpus, from->cpus);
	cpumask_clear(from->cpus);
	bitmap_copy(to->files, from->files, TLBBATCH_DEFER_FILES);
	bitmap_zero(from->files, TLBBATCH_DEFER_FILES);
	to->nr = from->nr;
}

enum flushed { NOTHING_OPEN, FLUSHED, OTHER_FLUSHES };

/* Preemption off as long as the node is busy: others spin then. */
static enum flushed flush_open_undisturbed(struct owed *owed)
{
	enum flushed what = FLUSHED;

	raw_spin_lock(&owed->lock);
	if (owed->busy)
		what = OTHER_FLUSHES;
	else if (list_empty(&owed->open.folios))
		what = NOTHING_OPEN;
	else
		move_debt(&owed->flushing, &owed->open);
	if (what == FLUSHED) {
		WRITE_ONCE(owed->busy, true);
		memset(owed->pages, 0, sizeof(owed->pages));
	}
	raw_spin_unlock(&owed->lock);
	if (what != FLUSHED)
		return what;

	/* While @busy only the flusher touches @flushing. */
	if (!tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_UNFLUSHED)) {
		tlbbatch_defer_flush(owed->flushing.cpus);
		tlbbatch_held_flushed(owed->nid, owed->flushing.nr);
	}
	tlbbatch_interest_drop(owed->flushing.files);

	raw_spin_lock(&owed->lock);
	cpumask_clear(owed->flushing.cpus);
	bitmap_zero(owed->flushing.files, TLBBATCH_DEFER_FILES);
	list_splice_tail_init(&owed->flushing.folios, &owed->clean);
	WRITE_ONCE(owed->busy, false);
	raw_spin_unlock(&owed->lock);
	return what;
}

/*
 * Flushes what is open, unless another flush is under way. What was open is clean then, and
 * no event cares for it any more.
 */
static enum flushed flush_open(struct owed *owed)
{
	enum flushed what;

	preempt_disable();
	what = flush_open_undisturbed(owed);
	preempt_enable();
	return what;
}

/*
 * The same, and waits for another's flush. One that begins meanwhile has taken all along that
 * was open before.
 */
static enum flushed flush_open_for_sure(struct owed *owed)
{
	enum flushed what = flush_open(owed);
	unsigned int others = 0;

	while (what == OTHER_FLUSHES && others++ < 2) {
		while (READ_ONCE(owed->busy))
			cpu_relax();
		what = flush_open(owed);
	}
	return what;
}

/* Section: give back */

/* Preemption off: whoever needs the memory waits for these. Return: were there any? */
static bool free_some_undisturbed(struct owed *owed)
{
	unsigned long pages[MAX_NR_ZONES] = { };
	struct folio *folio, *next;
	unsigned int zone, nr = 0;
	LIST_HEAD(folios);

	raw_spin_lock(&owed->lock);
	list_for_each_entry_safe(folio, next, &owed->clean, lru) {
		list_move_tail(&folio->lru, &folios);
		pages[folio_zonenum(folio)] += folio_nr_pages(folio);
		nr += folio_nr_pages(folio);
		if (nr >= FREED_AT_ONCE)
			break;
	}
	WRITE_ONCE(owed->freeing, owed->freeing + !!nr);
	raw_spin_unlock(&owed->lock);
	if (!nr)
		return false;
	list_for_each_entry(folio, &folios, lru)
		tlbbatch_held_release(folio);
	tlbbatch_group_free(&folios);
	/* They are room only now. */
	raw_spin_lock(&owed->lock);
	for (zone = 0; zone < MAX_NR_ZONES; zone++) {
		WRITE_ONCE(owed->held[zone], owed->held[zone] - pages[zone]);
		atomic_long_sub(pages[zone], &held_pages);
		tlbbatch_defer_count(DEFER_PAGES_RELEASED, pages[zone]);
	}
	WRITE_ONCE(owed->freeing, owed->freeing - 1);
	raw_spin_unlock(&owed->lock);
	return true;
}

static bool free_some(struct owed *owed)
{
	bool some;

	preempt_disable();
	some = free_some_undisturbed(owed);
	preempt_enable();
	return some;
}

/*
 * Frees what is clean. The rest stays where others find it: a task may be preempted between its
 * rounds, and for long.
 */
static void free_clean(struct owed *owed)
{
	while (free_some(owed))
		;
}

/**
 * tlbbatch_owed_release() - flush what a node owes, and free what it holds back
 * @nid: the node
 * @cause: why
 *
 * When this returns, all that was owed before the call is flushed, and is free memory.
 * See rules D5 and D6.
 *
 * Context: task, interrupts on: a flush is waited for, which needs this CPU's answer. May be an
 *	ftrace callback, preemption off. No lock that the page allocator takes.
 */
void tlbbatch_owed_release(int nid, enum tlbbatch_defer_counter cause)
{
	struct owed *owed = owed_of(nid);

	if (flush_open_for_sure(owed) == FLUSHED)
		tlbbatch_defer_count(cause, 1);
	free_clean(owed);
	/* Not for long: they aren't preempted, and have a few folios each. */
	while (READ_ONCE(owed->freeing))
		cpu_relax();
}

/**
 * tlbbatch_owed_release_all() - the same for all nodes
 * @cause: why
 *
 * Context: as tlbbatch_owed_release().
 */
void tlbbatch_owed_release_all(enum tlbbatch_defer_counter cause)
{
	int nid;

	for_each_node_state(nid, N_MEMORY)
		if (owed_of(nid))
			tlbbatch_owed_release(nid, cause);
}

/*
 * The lock is held. Work that is due sooner stays as it is. A pass calls this before it gives up the lock:
 * if it were preempted in between, nothing would bound the age of what others add meanwhile.
 */
static void come_in(struct owed *owed, unsigned long delay)
{
	if (delayed_work_pending(&owed->work) && time_after_eq(jiffies + delay, owed->due))
		return;
	owed->due = jiffies + delay;
	mod_delayed_work(workqueue, &owed->work, delay);
}

/**
 * tlbbatch_owed_event() - a stale entry could be seen from now on
 * @cause: what is about to happen
 *
 * Flushes all that is owed, or waits until another has: when this returns, no CPU has an entry of
 * what was held back before the call.
 *
 * Context: task, interrupts on; preemption may be off. Frees nothing.
 */
void tlbbatch_owed_event(enum tlbbatch_defer_counter cause)
{
	int nid;

	if (tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_EVENTS))
		return;
	for_each_node_state(nid, N_MEMORY) {
		struct owed *owed = owed_of(nid);

		if (!owed || flush_open_for_sure(owed) != FLUSHED)
			continue;
		tlbbatch_defer_count(cause, 1);
		raw_spin_lock(&owed->lock);
		come_in(owed, 0);
		raw_spin_unlock(&owed->lock);
	}
}

/* The lock is held. With luf/age_ms 0 some calls end unseen, kswapd's for one: a jiffy is their bound. */
static unsigned long due_of(const struct owed *owed)
{
	return owed->since + max(msecs_to_jiffies(tlbbatch_defer_age_ms()), 1UL);
}

static unsigned long until(unsigned long due)
{
	return time_after_eq(jiffies, due) ? 1UL : due - jiffies;
}

static void work_fn(struct work_struct *work)
{
	struct owed *owed = container_of(to_delayed_work(work), struct owed, work);
	unsigned long due;

	raw_spin_lock(&owed->lock);
	due = due_of(owed);
	raw_spin_unlock(&owed->lock);
	if (time_after_eq(jiffies, due))
		tlbbatch_owed_release(owed->nid, DEFER_CAUSE_AGE);
	else
		free_clean(owed);
	raw_spin_lock(&owed->lock);
	/* A task that has flushed, or is about to, may be preempted before it frees. */
	if (owed->busy || !list_empty(&owed->clean))
		come_in(owed, 1);
	/* A younger debt has taken this one's place. */
	else if (!list_empty(&owed->open.folios))
		come_in(owed, until(due_of(owed)));
	raw_spin_unlock(&owed->lock);
}

/* Section: what passes add */

/**
 * tlbbatch_owed_reserve() - make room for pages that the caller is about to add
 * @nid: the node
 * @pages: how many of each zone
 * @batch: luf/batch, in pages
 *
 * Rule D5: the room is taken at once, or passes together could hold more.
 *
 * Context: reclaim. Return: false if there is no room.
 */
bool tlbbatch_owed_reserve(int nid, const unsigned int *pages, unsigned long batch)
{
	struct owed *owed = owed_of(nid);
	unsigned int i;
	bool good;

	raw_spin_lock(&owed->lock);
	good = tlbbatch_defer_has_room(nid, owed->held, pages, batch);
	for (i = 0; good && i < MAX_NR_ZONES; i++)
		WRITE_ONCE(owed->held[i], owed->held[i] + pages[i]);
	raw_spin_unlock(&owed->lock);
	return good;
}

/**
 * tlbbatch_owed_add() - hold back folios, and owe the running task's flush for them
 * @nid: the node
 * @folios: frozen and uncharged; empty afterwards
 * @pages: how many pages of each zone they are; tlbbatch_owed_reserve() has made room
 * @files: hashes of their files, which the caller has counted; empty afterwards
 *
 * Rules D3 and D4: when this returns, an event finds them. The task's own batch is empty then: the
 * only place where it is emptied without a flush.
 *
 * Context: reclaim; interrupts on.
 */
void tlbbatch_owed_add(int nid, struct list_head *folios, const unsigned int *pages,
		       unsigned long *files)
{
	struct owed *owed = owed_of(nid);
	unsigned int i, hash;

	raw_spin_lock(&owed->lock);
	if (list_empty(&owed->open.folios))
		owed->since = jiffies;
	owed->open.nr = atomic64_inc_return(&debts);
	tlbbatch_held_owe(folios, nid, owed->open.nr);
	list_splice_tail_init(folios, &owed->open.folios);
	for (i = 0; i < MAX_NR_ZONES; i++) {
		owed->pages[i] += pages[i];
		atomic_long_add(pages[i], &held_pages);
	}
	tlbbatch_arch_move_batch(owed->open.cpus);
	if (tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_MARK))
		tlbbatch_arch_forget_mark();
	for_each_set_bit(hash, files, TLBBATCH_DEFER_FILES)
		if (!__test_and_set_bit(hash, owed->open.files))
			__clear_bit(hash, files);
	/* Not only for the first: luf/age_ms may be new. */
	come_in(owed, until(due_of(owed)));
	raw_spin_unlock(&owed->lock);
	/* What is left is counted twice. */
	tlbbatch_interest_drop(files);
	bitmap_zero(files, TLBBATCH_DEFER_FILES);
}

static unsigned long sum_of(const unsigned long *pages)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < MAX_NR_ZONES; i++)
		sum += READ_ONCE(pages[i]);
	return sum;
}

/**
 * tlbbatch_owed_is_full() - do a node's passes owe a flush for so many pages?
 * @nid: the node
 * @batch: luf/batch, in pages
 *
 * Context: any.
 */
bool tlbbatch_owed_is_full(int nid, unsigned long batch)
{
	return sum_of(owed_of(nid)->pages) >= batch;
}

/**
 * tlbbatch_owed_release_if_low() - give back what a node holds, if memory has become short
 * @nid: the node
 *
 * Rule D5. Who asks for memory looks next whether there is any.
 *
 * Context: as tlbbatch_owed_release().
 */
void tlbbatch_owed_release_if_low(int nid)
{
	struct owed *owed = owed_of(nid);

	if (owed && tlbbatch_defer_lacks_memory(nid, owed->held, tlbbatch_defer_batch()))
		tlbbatch_owed_release(nid, DEFER_CAUSE_LOW);
}

/**
 * tlbbatch_owed_held() - pages that are held back right now
 *
 * Context: any.
 * Return: their number over all nodes; 0 at rest.
 */
u64 tlbbatch_owed_held(void)
{
	return atomic_long_read(&held_pages);
}

/* Section: begin and end */

static void owed_free(struct owed *owed)
{
	if (!owed)
		return;
	free_cpumask_var(owed->flushing.cpus);
	free_cpumask_var(owed->open.cpus);
	kfree(owed);
}

static struct owed *owed_make(int nid)
{
	struct owed *owed = kzalloc_node(sizeof(*owed), GFP_KERNEL, nid);

	if (!owed)
		return NULL;
	raw_spin_lock_init(&owed->lock);
	INIT_LIST_HEAD(&owed->open.folios);
	INIT_LIST_HEAD(&owed->flushing.folios);
	INIT_LIST_HEAD(&owed->clean);
	INIT_DELAYED_WORK(&owed->work, work_fn);
	owed->nid = nid;
	if (zalloc_cpumask_var(&owed->open.cpus, GFP_KERNEL) &&
	    zalloc_cpumask_var(&owed->flushing.cpus, GFP_KERNEL))
		return owed;
	owed_free(owed);
	return NULL;
}

/**
 * tlbbatch_owed_init() - make what nodes need
 *
 * A node that gets memory later has none, and nothing of it is held back.
 *
 * Context: process context, may sleep. Return: 0 or -ENOMEM.
 */
int tlbbatch_owed_init(void)
{
	int nid;

	workqueue = alloc_workqueue("tlbbatch_defer", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	owed_by_node = kcalloc(nr_node_ids, sizeof(*owed_by_node), GFP_KERNEL);
	if (!workqueue || !owed_by_node)
		goto failed;
	for_each_node_state(nid, N_MEMORY) {
		owed_by_node[nid] = owed_make(nid);
		if (!owed_by_node[nid])
			goto failed;
	}
	return 0;

failed:
	tlbbatch_owed_exit();
	return -ENOMEM;
}

/**
 * tlbbatch_owed_exit() - release all, and free what nodes need
 *
 * Context: process context, may sleep; no pass defers, and nobody sees events any more. So
 *	what is owed was flushed before (rule D7).
 */
void tlbbatch_owed_exit(void)
{
	int nid;

	for (nid = 0; owed_by_node && nid < nr_node_ids; nid++) {
		if (owed_by_node[nid]) {
			tlbbatch_owed_release(nid, DEFER_CAUSE_OFF);
			cancel_delayed_work_sync(&owed_by_node[nid]->work);
			tlbbatch_owed_release(nid, DEFER_CAUSE_OFF);
		}
		owed_free(owed_by_node[nid]);
	}
	kfree(owed_by_node);
	owed_by_node = NULL;
	if (workqueue)
		destroy_workqueue(workqueue);
	workqueue = NULL;
}
