// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which slots of the table are in use, and which wait to be given back.
 *
 * Every flush of reclaim takes a slot, and every page that is used again may end one, on
 * all CPUs at once. So the table is split into shards, one for a few CPUs each: a CPU
 * takes slots from its own shard while that has any, and whoever ends a generation
 * puts it on a list of its slot's shard, without a lock. What then has to be done,
 * flushing virtually and clearing the index, is done by a reclaim pass, outside of the
 * lock that orders who takes what off a list.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include "luf/luf_slots.h"

#ifdef TLBBATCH_DEBUG
/* So that small guests have several. */
#define CPUS_PER_SHARD	2
#else
#define CPUS_PER_SHARD	TLBBATCH_LUF_CPUS_PER_SHARD
#endif

/* How many are taken off each list at once. Each flush adds one, so this suffices. */
#define SETTLE_EACH	8
#define REAP_EACH	32
/* A CPU that loses the race for a bit so often goes on to the next shard. */
#define TAKE_TRIES	64

/**
 * struct shard - some of the slots, one after the other
 * @lock: who takes off the lists; tasks only, never an interrupt (rule L16)
 * @owed: generations of which a page was used again: LUF would flush for them
 * @done: generations that are over in all models
 * @nr_used: slots in use
 */
struct shard {
	raw_spinlock_t lock;
	struct llist_head owed;
	struct llist_head done;
	atomic_t nr_used;
} ____cacheline_aligned_in_smp;

static struct shard shards[TLBBATCH_LUF_SHARDS_MAX];
static unsigned int shard_bits;
/* Set by test_and_set_bit(), cleared by clear_bit_unlock(); readers need no order. */
static DECLARE_BITMAP(used, TLBBATCH_LUF_GENERATIONS) ____cacheline_aligned_in_smp;

static_assert(!(TLBBATCH_LUF_SHARDS_MAX & (TLBBATCH_LUF_SHARDS_MAX - 1)));

/**
 * tlbbatch_luf_slots_init() - no slot is in use
 *
 * Context: process context; nobody tracks.
 */
void tlbbatch_luf_slots_init(void)
{
	unsigned int i;

	shard_bits = ilog2(tlbbatch_luf_shards_for(nr_cpu_ids, CPUS_PER_SHARD));
	for (i = 0; i < TLBBATCH_LUF_SHARDS_MAX; i++) {
		raw_spin_lock_init(&shards[i].lock);
		init_llist_head(&shards[i].owed);
		init_llist_head(&shards[i].done);
		atomic_set(&shards[i].nr_used, 0);
	}
	bitmap_zero(used, TLBBATCH_LUF_GENERATIONS);
}

/**
 * tlbbatch_luf_nr_shards() - how many parts there are
 *
 * Context: any, while the table is there.
 */
unsigned int tlbbatch_luf_nr_shards(void)
{
	return 1U << shard_bits;
}

/**
 * tlbbatch_luf_my_shard() - the running CPU's part
 *
 * CPUs with neighbouring numbers share one: they are on the same node, mostly.
 *
 * Context: any; a hint if preemption is on.
 */
unsigned int tlbbatch_luf_my_shard(void)
{
	return ((u64)raw_smp_processor_id() << shard_bits) / nr_cpu_ids;
}

static unsigned int slots_each(void)
{
	return TLBBATCH_LUF_GENERATIONS >> shard_bits;
}

/**
 * tlbbatch_luf_my_first_slot() - where the running CPU's part begins
 *
 * Context: as tlbbatch_luf_my_shard().
 */
unsigned int tlbbatch_luf_my_first_slot(void)
{
	return tlbbatch_luf_my_shard() * slots_each();
}

static struct shard *shard_of(unsigned int slot)
{
	return &shards[slot / slots_each()];
}

static unsigned int take_from(unsigned int shard)
{
	unsigned int slot = shard * slots_each(), end = slot + slots_each();
	unsigned int tries;

	if (atomic_read(&shards[shard].nr_used) >= slots_each())
		return TLBBATCH_LUF_GENERATIONS;
	for (tries = 0; tries < TAKE_TRIES; tries++) {
		slot = find_next_zero_bit(used, end, slot);
		if (slot >= end)
			break;
		/*
		 * Pairs with the release in tlbbatch_luf_give_back(): the slot is
		 * clean.
		 */
		if (!test_and_set_bit(slot, used)) {
			atomic_inc(&shards[shard].nr_used);
			return slot;
		}
	}
	return TLBBATCH_LUF_GENERATIONS;
}

/**
 * tlbbatch_luf_take_slot() - for a generation that is about to be opened
 *
 * Context: task, preemption off.
 * Return: a slot whose word doesn't describe an open generation yet;
 *	TLBBATCH_LUF_GENERATIONS if no slot is free.
 */
unsigned int tlbbatch_luf_take_slot(void)
{
	unsigned int mine = tlbbatch_luf_my_shard(), slot, i;

	for (i = 0; i < tlbbatch_luf_nr_shards(); i++) {
		slot = take_from((mine + i) & (tlbbatch_luf_nr_shards() - 1));
		if (slot < TLBBATCH_LUF_GENERATIONS)
			return slot;
	}
	return TLBBATCH_LUF_GENERATIONS;
}

/**
 * tlbbatch_luf_next_used() - the next slot that is in use
 * @slot: from this one on
 *
 * Context: any, no lock.
 * Return: the slot, TLBBATCH_LUF_GENERATIONS if there is none.
 */
unsigned int tlbbatch_luf_next_used(unsigned int slot)
{
	return find_next_bit(used, TLBBATCH_LUF_GENERATIONS, slot);
}

/**
 * tlbbatch_luf_slot_owes() - LUF would flush for a generation now
 * @slot: its slot
 * @node: the caller's alone until it is settled
 *
 * Context: any, also NMI.
 */
void tlbbatch_luf_slot_owes(unsigned int slot, struct llist_node *node)
{
	llist_add(node, &shard_of(slot)->owed);
}

/**
 * tlbbatch_luf_slot_over() - a generation is over in all models
 * @slot: its slot
 * @node: the caller's alone until it is reaped
 *
 * Context: any, also NMI.
 */
void tlbbatch_luf_slot_over(unsigned int slot, struct llist_node *node)
{
	llist_add(node, &shard_of(slot)->done);
}

/**
 * tlbbatch_luf_give_back() - a slot that was reaped may be taken again
 * @slot: it
 *
 * Context: whoever reaped it.
 */
void tlbbatch_luf_give_back(unsigned int slot)
{
	struct shard *shard = shard_of(slot);

	/* A release; pairs with test_and_set_bit() in take_from(). */
	clear_bit_unlock(slot, used);
	atomic_dec(&shard->nr_used);
}

static unsigned int take_nodes(struct llist_head *list, struct llist_node **nodes,
			       unsigned int max)
{
	unsigned int nr = 0;

	while (nr < max && (nodes[nr] = llist_del_first(list)))
		nr++;
	return nr;
}

/**
 * tlbbatch_luf_slots_reap() - finish generations that have ended
 * @shard: in this part
 * @settle: called for what is owed
 * @free: called for what is over; gives the slot back
 *
 * Bounded. What somebody else is taking already is left to them.
 *
 * Context: task, preemption off.
 * Return: whether there may be more.
 */
bool tlbbatch_luf_slots_reap(unsigned int shard,
			     void (*settle)(struct llist_node *node),
			     void (*free)(struct llist_node *node))
{
	struct llist_node *owed[SETTLE_EACH], *done[REAP_EACH];
	struct shard *from = &shards[shard];
	unsigned int nr_owed, nr_done, i;

	/* Read before the lock is taken, because the lists are mostly empty. */
	if (llist_empty(&from->owed) && llist_empty(&from->done))
		return false;
	if (!raw_spin_trylock(&from->lock))
		return true;
	nr_owed = take_nodes(&from->owed, owed, SETTLE_EACH);
	nr_done = take_nodes(&from->done, done, REAP_EACH);
	raw_spin_unlock(&from->lock);
	for (i = 0; i < nr_owed; i++)
		settle(owed[i]);
	for (i = 0; i < nr_done; i++)
		free(done[i]);
	return nr_owed || nr_done == REAP_EACH;
}

/**
 * tlbbatch_luf_slots_tight() - is there little room left?
 * @slot: where the caller looks
 *
 * Only if the slot's own part is nearly full, the other parts are asked.
 *
 * Context: any.
 */
bool tlbbatch_luf_slots_tight(unsigned int slot)
{
	unsigned int i, nr = 0;

	if (atomic_read(&shard_of(slot)->nr_used) <= slots_each() / 4 * 3)
		return false;
	for (i = 0; i < tlbbatch_luf_nr_shards(); i++)
		nr += atomic_read(&shards[i].nr_used);
	return nr > TLBBATCH_LUF_GENERATIONS / 4 * 3;
}

/**
 * tlbbatch_luf_shard_of() - the part that a slot is in
 * @slot: it
 */
unsigned int tlbbatch_luf_shard_of(unsigned int slot)
{
	return slot / slots_each();
}
