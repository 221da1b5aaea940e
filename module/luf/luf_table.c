// SPDX-License-Identifier: GPL-2.0-only
/*
 * The open generations, and how each of them ends: in each model exactly once, by a
 * cmpxchg of its word (rule L8). Who wins it counts it; the slot is reaped when it has ended in
 * all models, later, by a reclaim pass or a reader of sysfs, since the winner may be
 * an interrupt or an NMI.
 *
 * Coverage is noticed late, whenever somebody looks at a generation (rule L10). That is the
 * honest direction: a page that was taken meanwhile makes it needed, not saved.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include "debug/debug.h"
#include "events/tlbbatch_events.h"
#include "luf/luf_alloc.h"
#include "luf/luf_counters.h"
#include "luf/luf_coverage.h"
#include "luf/luf_files.h"
#include "luf/luf_generation.h"
#include "luf/luf_index.h"
#include "luf/luf_pages.h"
#include "luf/luf_slots.h"
#include "luf/luf_table.h"

/**
 * struct generation - a slot of the table
 * @word: its number and, for each model, its state
 * @open_in: models in which it is open
 * @pages: what it freed
 * @files: whose pages they are
 * @ipis: CPUs that its flush interrupted
 * @owed_at: for each model, the youngest generation when LUF would flush for this one
 * @owed: for each model, on the list of those that it would flush for
 * @done: on the list of those to be reaped
 */
struct generation {
	u64 word[TLBBATCH_LUF_NR_MODELS];
	atomic_t open_in;
	struct tlbbatch_luf_pages pages;
	struct tlbbatch_luf_files files;
	unsigned int ipis;
	u64 owed_at[TLBBATCH_LUF_NR_MODELS];
	struct llist_node owed[TLBBATCH_LUF_NR_MODELS];
	struct llist_node done;
} ____cacheline_aligned_in_smp;

static_assert(sizeof(struct generation) == TLBBATCH_LUF_GENERATION_BYTES);
static_assert(TLBBATCH_LUF_NR_MODELS == TLBBATCH_LUF_MASKS_EACH);

static struct generation *generations;
/*
 * For each slot and model BITS_TO_LONGS(nr_cpu_ids) words. An ideal LUF owes nothing
 * to a CPU that was lazy; the posted series waits for all that the batch names.
 */
static unsigned long *masks;
static unsigned int mask_words;
/*
 * Numbers go on over off and track: they are never used twice. Every allocation
 * reads it, so nothing that is written often shares its cache line.
 */
atomic64_t tlbbatch_luf_last ____cacheline_aligned_in_smp = ATOMIC64_INIT(0);

/* Generations that are open, for each model: the sum of all CPUs. */
struct nr_open {
	u32 in[TLBBATCH_LUF_NR_MODELS];
};

static DEFINE_PER_CPU(struct nr_open, nr_open);

static unsigned long *mask_of(unsigned int slot, enum tlbbatch_luf_model model)
{
	return &masks[((size_t)slot * TLBBATCH_LUF_NR_MODELS + model) * mask_words];
}

/**
 * tlbbatch_luf_table_init() - make the table
 *
 * Context: process context, may sleep; nobody tracks.
 * Return: 0 or -ENOMEM; nothing is left behind then.
 */
int tlbbatch_luf_table_init(void)
{
	mask_words = BITS_TO_LONGS(nr_cpu_ids);
	tlbbatch_luf_slots_init();
	generations = tlbbatch_luf_alloc(TLBBATCH_LUF_GENERATIONS, sizeof(*generations));
	masks = tlbbatch_luf_alloc(TLBBATCH_LUF_GENERATIONS * TLBBATCH_LUF_NR_MODELS,
				   mask_words * sizeof(*masks));
	if (!generations || !masks || tlbbatch_luf_files_init())
		goto free;
	if (tlbbatch_luf_coverage_init())
		goto files;
	if (tlbbatch_luf_pages_init())
		goto coverage;
	if (!tlbbatch_luf_index_init())
		return 0;

	tlbbatch_luf_pages_exit();
coverage:
	tlbbatch_luf_coverage_exit();
files:
	tlbbatch_luf_files_exit();
free:
	vfree(masks);
	vfree(generations);
	return -ENOMEM;
}

/**
 * tlbbatch_luf_table_exit() - free it
 *
 * Context: process context; all generations given up, nobody tracks any more.
 */
void tlbbatch_luf_table_exit(void)
{
	tlbbatch_luf_index_exit();
	tlbbatch_luf_pages_exit();
	tlbbatch_luf_coverage_exit();
	tlbbatch_luf_files_exit();
	vfree(masks);
	vfree(generations);
}

static u64 next_number(void)
{
	return atomic64_inc_return(&tlbbatch_luf_last);
}

/**
 * tlbbatch_luf_nr_open() - generations that are open
 * @model: in whose eyes
 *
 * Context: any.
 */
u64 tlbbatch_luf_nr_open(enum tlbbatch_luf_model model)
{
	unsigned int cpu;
	s32 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(nr_open.in[model], cpu));
	/* Below zero: one began on a CPU that was read already, and ended on a later one. */
	return max(sum, 0);
}

static const enum tlbbatch_luf_counter counters[][TLBBATCH_LUF_NR_MODELS] = {
	[TLBBATCH_GENERATION_SAVED] = {
		TLBBATCH_LUF_SAVED, TLBBATCH_LUF_POSTED_SAVED },
	[TLBBATCH_GENERATION_NEEDED] = {
		TLBBATCH_LUF_NEEDED, TLBBATCH_LUF_POSTED_NEEDED },
	[TLBBATCH_GENERATION_GIVEN_UP] = {
		TLBBATCH_LUF_GIVEN_UP, TLBBATCH_LUF_POSTED_GIVEN_UP },
	[TLBBATCH_GENERATION_UNTRACKED] = {
		TLBBATCH_LUF_UNTRACKED, TLBBATCH_LUF_POSTED_UNTRACKED },
};

static void count(enum tlbbatch_luf_model model, enum tlbbatch_luf_state state,
		  enum tlbbatch_luf_reason reason)
{
	tlbbatch_luf_count(counters[state][model], 1);
	if (state == TLBBATCH_GENERATION_GIVEN_UP && model == TLBBATCH_LUF_IDEAL)
		tlbbatch_luf_count(TLBBATCH_LUF_GIVEN_UP_KEPT + reason, 1);
}

/*
 * The pages that an event takes itself: they don't prove that pages were taken before.
 */
struct taken {
	unsigned long pfn;
	unsigned int nr;
};

static bool frames_are_free(unsigned long pfn, unsigned int nr, void *data)
{
	const struct taken *taken = *(const struct taken **)data;

	for (; nr--; pfn++) {
		struct page *page = pfn_to_page(pfn);

		if (taken && pfn - taken->pfn < taken->nr)
			continue;
		/* Frozen pages of slab have no references either. */
		if (page_ref_count(page) || PageCompound(page) || PageSlab(page))
			return false;
	}
	return true;
}

/*
 * Over in a model. If in all, the slot is this caller's alone until it is on the list.
 */
static void end_in(unsigned int slot)
{
	struct generation *generation = &generations[slot];
	unsigned int i;

	if (!atomic_dec_and_test(&generation->open_in))
		return;
	for (i = 0; i < generation->files.nr; i++)
		tlbbatch_luf_interest(generation->files.table,
				      generation->files.file[i], -1);
	tlbbatch_luf_slot_over(slot, &generation->done);
}

/*
 * Rule L9. A page was used again: LUF flushes for it now, which covers what else is put
 * off. To note that takes up to one locked operation for each CPU, which is too much in
 * a page's allocation. So a reclaim pass or a reader of sysfs does it later, with the
 * number that is the youngest now. Late coverage only hides savings.
 */
static void owe(unsigned int slot, enum tlbbatch_luf_model model)
{
	struct generation *generation = &generations[slot];

	generation->owed_at[model] = tlbbatch_luf_youngest();
	tlbbatch_luf_slot_owes(slot, &generation->owed[model]);
}

static void settle_pages(struct llist_node *node)
{
	unsigned int slot = ((void *)node - (void *)generations) / sizeof(*generations);
	struct generation *generation = &generations[slot];
	enum tlbbatch_luf_model model = node - generation->owed;

	tlbbatch_luf_flush_virtually(mask_of(slot, model), model,
				     tlbbatch_luf_number_of(generation->word[model]),
				     generation->owed_at[model]);
	end_in(slot);
}

static void reap(struct llist_node *node)
{
	struct generation *generation = llist_entry(node, struct generation, done);
	unsigned int slot = generation - generations;

	tlbbatch_luf_index_clear(&generation->pages, slot);
	tlbbatch_luf_pages_drop(&generation->pages);
	tlbbatch_luf_give_back(slot);
}

/**
 * tlbbatch_luf_settle_shard() - do what who ended generations left to do, in one part
 * @shard: the part
 *
 * Context: task, preemption off. Return: whether there may be more.
 */
bool tlbbatch_luf_settle_shard(unsigned int shard)
{
	return tlbbatch_luf_slots_reap(shard, settle_pages, reap);
}

/*
 * An event, or a look (@event is OPEN), at a generation that was seen open with
 * @word in a model.
 */
static void end_generation(unsigned int slot, enum tlbbatch_luf_model model, u64 word,
			   enum tlbbatch_luf_state event,
			   enum tlbbatch_luf_reason reason, const struct taken *taken)
{
	struct generation *generation = &generations[slot];
	u64 number = tlbbatch_luf_number_of(word);
	struct tlbbatch_luf_facts facts = {
		.covered = tlbbatch_luf_is_covered(mask_of(slot, model), model,
						   number),
		.pages_free = true,
		.event = event,
	};
	enum tlbbatch_luf_state state;

	/*
	 * The coverage is read before the pages. A page that is free now was free when
	 * the flushes covered the generation, or its use would have been an event.
	 * Pairs with the full barrier of try_cmpxchg64() in raise_youngest(),
	 * luf_coverage.c. Rule L10.
	 */
	smp_rmb();
	if (facts.covered && !tlbbatch_luf_break(TLBBATCH_LUF_BREAK_LOOK) &&
	    !tlbbatch_luf_break(TLBBATCH_LUF_BREAK_REUSE)) {
		/*
		 * Rule L17: memory that goes away gives up first, then waits for this; see
		 * memory_changes(). The caller may have slept since its look.
		 */
		rcu_read_lock();
		if (READ_ONCE(generation->word[model]) != word) {
			rcu_read_unlock();
			return;
		}
		facts.pages_free = tlbbatch_luf_pages_all(&generation->pages,
							  frames_are_free, &taken);
		rcu_read_unlock();
	}
	state = tlbbatch_luf_outcome(&facts);
	if (state == TLBBATCH_GENERATION_OPEN)
		return;
	if (cmpxchg64(&generation->word[model], word,
		      tlbbatch_luf_word(number, state)) != word)
		return;

	/* In this model it is this caller's alone. */
	count(model, state, reason);
	trace_luf_end(number, model, state);
	this_cpu_dec(nr_open.in[model]);
	if (state == TLBBATCH_GENERATION_SAVED)
		tlbbatch_luf_count(model == TLBBATCH_LUF_IDEAL ?
				   TLBBATCH_LUF_IPIS_AVOIDED :
				   TLBBATCH_LUF_POSTED_IPIS_AVOIDED,
				   generation->ipis);
	if (state == TLBBATCH_GENERATION_NEEDED && !facts.covered)
		owe(slot, model);
	else
		end_in(slot);
}

/* Takes a free slot. If there is none, slots whose generations have ended are reaped. */
static unsigned int take_slot(void)
{
	unsigned int slot = tlbbatch_luf_take_slot(), shard;

	for (shard = 0; slot == TLBBATCH_LUF_GENERATIONS &&
	     shard < tlbbatch_luf_nr_shards(); shard++) {
		tlbbatch_luf_settle_shard(shard);
		slot = tlbbatch_luf_take_slot();
	}
	return slot;
}

/**
 * tlbbatch_luf_open() - the next generation
 * @files: whose pages it frees; the interest in them passes to it
 * @pages: what it frees, all of it frozen and not free yet; passes to it
 * @sent: CPUs that its flush reaches
 * @cpus: those that it names
 *
 * Context: the pass that is about to flush, preemption off.
 * Return: its slot; TLBBATCH_LUF_GENERATIONS if there is no room: it counts as untracked,
 *	and all stays the caller's.
 */
unsigned int tlbbatch_luf_open(const struct tlbbatch_luf_files *files,
			       const struct tlbbatch_luf_pages *pages,
			       const unsigned long *sent, const unsigned long *cpus)
{
	unsigned int slot = take_slot();
	struct generation *generation;
	unsigned int this_cpu = raw_smp_processor_id();
	enum tlbbatch_luf_model model;
	u64 word;

	if (slot == TLBBATCH_LUF_GENERATIONS) {
		tlbbatch_luf_untracked();
		return slot;
	}
	generation = &generations[slot];
	generation->pages = *pages;
	generation->files = *files;
	bitmap_copy(mask_of(slot, TLBBATCH_LUF_IDEAL), sent, nr_cpu_ids);
	bitmap_copy(mask_of(slot, TLBBATCH_LUF_POSTED), cpus, nr_cpu_ids);
	generation->ipis = bitmap_weight(sent, nr_cpu_ids) -
			   test_bit(this_cpu, sent);
	tlbbatch_luf_index_set(pages, slot);
	atomic_set(&generation->open_in, TLBBATCH_LUF_NR_MODELS);
	for_each_tlbbatch_luf_model(model)
		this_cpu_inc(nr_open.in[model]);
	word = tlbbatch_luf_word(next_number(), TLBBATCH_GENERATION_OPEN);
	trace_luf_begin(tlbbatch_luf_number_of(word), generation->ipis);
	for_each_tlbbatch_luf_model(model)
		/* Publishes the generation; pairs with the acquire in look_at(). */
		smp_store_release(&generation->word[model], word);
	return slot;
}

/**
 * tlbbatch_luf_stillborn() - a generation that is given up as it is born
 * @reason: why
 *
 * Context: any.
 */
void tlbbatch_luf_stillborn(enum tlbbatch_luf_reason reason)
{
	enum tlbbatch_luf_model model;

	next_number();
	for_each_tlbbatch_luf_model(model)
		count(model, TLBBATCH_GENERATION_GIVEN_UP, reason);
}

/**
 * tlbbatch_luf_untracked() - a generation that didn't fit into the bookkeeping (rule L14)
 *
 * Context: any.
 */
void tlbbatch_luf_untracked(void)
{
	enum tlbbatch_luf_model model;

	next_number();
	for_each_tlbbatch_luf_model(model)
		count(model, TLBBATCH_GENERATION_UNTRACKED, 0);
}

#define for_each_used(slot)						\
	for (slot = tlbbatch_luf_next_used(0);				\
	     slot < TLBBATCH_LUF_GENERATIONS;				\
	     slot = tlbbatch_luf_next_used(slot + 1))

/* The word of a slot in a model, if its generation is open there; else 0. */
static u64 look_at(unsigned int slot, enum tlbbatch_luf_model model)
{
	/* Pairs with the release in tlbbatch_luf_open(). */
	u64 word = smp_load_acquire(&generations[slot].word[model]);

	return tlbbatch_luf_state_of(word) == TLBBATCH_GENERATION_OPEN ? word : 0;
}

static void end_all(unsigned int slot, enum tlbbatch_luf_state event)
{
	enum tlbbatch_luf_model model;
	u64 word;

	for_each_tlbbatch_luf_model(model) {
		word = look_at(slot, model);
		if (word)
			end_generation(slot, model, word, event, 0, NULL);
	}
}

/**
 * tlbbatch_luf_give_up_slot() - give up a slot's generation
 * @slot: the slot
 * @file: only if it holds pages of this file; NULL: whatever it holds
 * @reason: why
 *
 * The word is read before the files: else they could be those of an older one.
 *
 * Context: any but NMI.
 */
void tlbbatch_luf_give_up_slot(unsigned int slot, const struct address_space *file,
			       enum tlbbatch_luf_reason reason)
{
	enum tlbbatch_luf_model model;
	u64 word;

	for_each_tlbbatch_luf_model(model) {
		word = look_at(slot, model);
		if (word && (!file || tlbbatch_luf_files_have(&generations[slot].files, file)))
			end_generation(slot, model, word,
				       TLBBATCH_GENERATION_GIVEN_UP, reason, NULL);
	}
}

/**
 * tlbbatch_luf_table_give_up() - give up generations
 * @file: those that hold pages of this file; NULL for all
 * @reason: why
 *
 * Context: tlbbatch_luf_give_up(), when it has met the passes.
 */
void tlbbatch_luf_table_give_up(const struct address_space *file,
				enum tlbbatch_luf_reason reason)
{
	unsigned int slot;

	for_each_used(slot)
		tlbbatch_luf_give_up_slot(slot, file, reason);
}

static void reuse_of(unsigned int slot, unsigned long hit, unsigned long pfn,
		     unsigned int nr)
{
	const struct taken taken = { .pfn = pfn, .nr = nr };
	enum tlbbatch_luf_model model;
	u64 word;

	for_each_tlbbatch_luf_model(model) {
		word = look_at(slot, model);
		/* A slot that was taken again meanwhile holds other pages. */
		if (word && tlbbatch_luf_index_is(hit, slot))
			end_generation(slot, model, word,
				       TLBBATCH_GENERATION_NEEDED, 0, &taken);
	}
}

/* Makes room: ends a generation that is still open in the posted model alone. */
static void evict(unsigned int slot)
{
	u64 word = look_at(slot, TLBBATCH_LUF_POSTED);

	if (word && !look_at(slot, TLBBATCH_LUF_IDEAL))
		end_generation(slot, TLBBATCH_LUF_POSTED, word,
			       TLBBATCH_GENERATION_UNTRACKED, 0, NULL);
}

/**
 * tlbbatch_luf_reuse() - free pages are about to be used
 * @pfn: the first
 * @nr: how many
 *
 * Context: any, also NMI; before the pages are handed over.
 */
void tlbbatch_luf_reuse(unsigned long pfn, unsigned int nr)
{
	if (!tlbbatch_luf_break(TLBBATCH_LUF_BREAK_REUSE))
		tlbbatch_luf_index_visit(pfn, nr, reuse_of);
}

/**
 * tlbbatch_luf_sweep() - end what is covered, and reap what has ended
 * @from: the slot to begin with
 * @nr: look at so many generations at most
 *
 * Context: task, preemption off.
 * Return: the slot to go on with, 0 when all have been looked at.
 */
unsigned int tlbbatch_luf_sweep(unsigned int from, unsigned int nr)
{
	unsigned int mine = tlbbatch_luf_my_shard(), slot = from, at;

	/* What is owed is settled first: it may cover generations that are looked at. */
	tlbbatch_luf_settle_shard(mine);
	at = tlbbatch_luf_shard_of(slot);
	if (at != mine)
		tlbbatch_luf_settle_shard(at);
	while (nr--) {
		slot = tlbbatch_luf_next_used(slot);
		if (slot >= TLBBATCH_LUF_GENERATIONS) {
			slot = 0;
			break;
		}
		end_all(slot, TLBBATCH_GENERATION_OPEN);
		if (tlbbatch_luf_slots_tight(slot) || tlbbatch_luf_pages_tight())
			evict(slot);
		slot++;
	}
	return slot < TLBBATCH_LUF_GENERATIONS ? slot : 0;
}
