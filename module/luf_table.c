// SPDX-License-Identifier: GPL-2.0-only
/*
 * The open generations, and how each of them ends: in each model exactly once, by a
 * cmpxchg of its word. Who wins it counts it; the slot is reaped when it has ended in
 * all models, later, by a reclaim pass or a reader of sysfs, since the winner may be
 * an interrupt or an NMI.
 *
 * Coverage is noticed late, whenever somebody looks at a generation. That is the
 * honest direction: a page that was taken meanwhile makes it needed, not saved.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <tlbbatch/counters.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/luf_pass.h>
#include <tlbbatch/luf_table.h>

#define INTEREST_BITS	16
/* More than one for each that is added, and preemption is off meanwhile. */
#define REAP_EACH	64

/* Beyond it, those that are over for an ideal LUF make room for new ones. */
#define SLOTS_TIGHT	(TLBBATCH_LUF_GENERATIONS / 4 * 3)

/**
 * struct generation - a slot of the table
 * @word: its number and, for each model, its state
 * @open_in: models in which it is open
 * @pages: what it freed
 * @files: whose pages they are
 * @ipis: CPUs that its flush interrupted
 * @done: on the list of those to be reaped
 */
struct generation {
	u64 word[TLBBATCH_LUF_NR_MODELS];
	atomic_t open_in;
	struct tlbbatch_luf_pages pages;
	struct tlbbatch_luf_files files;
	unsigned int ipis;
	struct llist_node done;
};

static struct generation *generations;
/*
 * For each slot and model BITS_TO_LONGS(nr_cpu_ids) words. An ideal LUF owes nothing
 * to a CPU that was lazy; the posted series waits for all that the batch names.
 */
static unsigned long *masks;
static unsigned int mask_words;
/* Slots in use. Set and cleared under table_lock, read without. */
static DECLARE_BITMAP(used, TLBBATCH_LUF_GENERATIONS);
/* Slots and the reaping of them. Tasks only, never an interrupt. */
static DEFINE_RAW_SPINLOCK(table_lock);
static LLIST_HEAD(done);
static unsigned int next_slot, nr_used;
/*
 * Numbers go on over off and track: they are never used twice. Every allocation
 * reads it, so nothing that is written often shares its cache line.
 */
atomic64_t tlbbatch_luf_last ____cacheline_aligned_in_smp = ATOMIC64_INIT(0);
static atomic_t nr_open[TLBBATCH_LUF_NR_MODELS] ____cacheline_aligned_in_smp;
/* How many generations and passes hold a file of this hash. */
static atomic_t *interest;

const char tlbbatch_luf_any_shmem;

static unsigned long *mask_of(unsigned int slot, enum tlbbatch_luf_model model)
{
	return &masks[((size_t)slot * TLBBATCH_LUF_NR_MODELS + model) * mask_words];
}

static atomic_t *interest_in(const struct address_space *file)
{
	return &interest[hash_ptr((void *)file, INTEREST_BITS)];
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
	generations = kvcalloc(TLBBATCH_LUF_GENERATIONS, sizeof(*generations),
			       GFP_KERNEL);
	masks = kvcalloc(TLBBATCH_LUF_GENERATIONS * TLBBATCH_LUF_NR_MODELS,
			 mask_words * sizeof(*masks), GFP_KERNEL);
	interest = kvcalloc(1 << INTEREST_BITS, sizeof(*interest), GFP_KERNEL);
	if (generations && masks && interest && !tlbbatch_luf_coverage_init()) {
		if (!tlbbatch_luf_pages_init()) {
			if (!tlbbatch_luf_index_init())
				return 0;
			tlbbatch_luf_pages_exit();
		}
		tlbbatch_luf_coverage_exit();
	}
	kvfree(interest);
	kvfree(masks);
	kvfree(generations);
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
	kvfree(interest);
	kvfree(masks);
	kvfree(generations);
	bitmap_zero(used, TLBBATCH_LUF_GENERATIONS);
	nr_used = 0;
	init_llist_head(&done);
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
	return atomic_read(&nr_open[model]);
}

/**
 * tlbbatch_luf_interest() - begin or end to care for events on a file
 * @file: the file
 * @by: 1 or -1
 *
 * A full barrier: the caller is about to unmap; see tlbbatch_luf_give_up().
 *
 * Context: any.
 */
void tlbbatch_luf_interest(const struct address_space *file, int by)
{
	atomic_add_return(by, interest_in(file));
}

static const enum tlbbatch_counter counters[][TLBBATCH_LUF_NR_MODELS] = {
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
	tlbbatch_count(counters[state][model], 1);
	if (state == TLBBATCH_GENERATION_GIVEN_UP && model == TLBBATCH_LUF_IDEAL)
		tlbbatch_count(TLBBATCH_LUF_GIVEN_UP_KEPT + reason, 1);
}

/* What an event takes by itself is no proof that it was taken before. */
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
 * An event, or a look (@event is OPEN), at a generation that was seen open with
 * @word in a model.
 */
static void end(unsigned int slot, enum tlbbatch_luf_model model, u64 word,
		enum tlbbatch_luf_state event, enum tlbbatch_luf_reason reason,
		const struct taken *taken)
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
	unsigned int i;

	/*
	 * The coverage is read first, then the pages: one that is free now was free
	 * at the coverage, or its use would have been an event. Pairs with the full
	 * barrier of the cmpxchg in luf_coverage.c.
	 */
	smp_rmb();
	if (facts.covered && !tlbbatch_luf_break(TLBBATCH_LUF_BREAK_LOOK) &&
	    !tlbbatch_luf_break(TLBBATCH_LUF_BREAK_REUSE)) {
		/*
		 * Memory that goes away gives up first, then waits for this; see
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
	if (state == TLBBATCH_GENERATION_NEEDED && !facts.covered)
		tlbbatch_luf_flush_virtually(mask_of(slot, model), model, number);
	if (state == TLBBATCH_GENERATION_SAVED)
		tlbbatch_count(model == TLBBATCH_LUF_IDEAL ?
			       TLBBATCH_LUF_IPIS_AVOIDED :
			       TLBBATCH_LUF_POSTED_IPIS_AVOIDED,
			       generation->ipis);
	atomic_dec(&nr_open[model]);
	if (!atomic_dec_and_test(&generation->open_in))
		return;
	/* And now in all of them, up to llist_add(). */
	for (i = 0; i < generation->files.nr; i++)
		tlbbatch_luf_interest(generation->files.file[i], -1);
	llist_add(&generation->done, &done);
}

/* Under table_lock, which is what llist_del_first() needs. */
static void reap(void)
{
	struct llist_node *first;
	unsigned int nr;

	/* An event can end all that there are at once. */
	for (nr = 0; nr < REAP_EACH && (first = llist_del_first(&done)); nr++) {
		struct generation *generation =
			llist_entry(first, struct generation, done);
		unsigned int slot = generation - generations;

		tlbbatch_luf_index_clear(&generation->pages, slot);
		tlbbatch_luf_pages_drop(&generation->pages);
		clear_bit(slot, used);
		WRITE_ONCE(nr_used, nr_used - 1);
	}
}

static unsigned int take_slot(void)
{
	unsigned int slot;

	raw_spin_lock(&table_lock);
	reap();
	slot = find_next_zero_bit(used, TLBBATCH_LUF_GENERATIONS, next_slot);
	if (slot == TLBBATCH_LUF_GENERATIONS)
		slot = find_first_zero_bit(used, TLBBATCH_LUF_GENERATIONS);
	if (slot < TLBBATCH_LUF_GENERATIONS) {
		next_slot = slot + 1 < TLBBATCH_LUF_GENERATIONS ? slot + 1 : 0;
		/* Its word is none of an open generation yet. */
		set_bit(slot, used);
		WRITE_ONCE(nr_used, nr_used + 1);
	}
	raw_spin_unlock(&table_lock);
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
 * Return: false if there is no room: it counts as untracked, and all stays the
 *	caller's.
 */
bool tlbbatch_luf_open(const struct tlbbatch_luf_files *files,
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
		return false;
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
		atomic_inc(&nr_open[model]);
	word = tlbbatch_luf_word(next_number(), TLBBATCH_GENERATION_OPEN);
	for_each_tlbbatch_luf_model(model)
		/* All of it comes before; pairs with the acquire in look_at(). */
		smp_store_release(&generation->word[model], word);
	return true;
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
 * tlbbatch_luf_untracked() - a generation that didn't fit into the bookkeeping
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
			end(slot, model, word, event, 0, NULL);
	}
}

static bool holds_file(const struct tlbbatch_luf_files *files,
		       const struct address_space *file)
{
	unsigned int i;

	for (i = 0; i < min(files->nr, TLBBATCH_LUF_FILES); i++)
		if (files->file[i] == file)
			return true;
	return false;
}

/* The word is read before the files: else they could be those of an older one. */
static void give_up_slot(unsigned int slot, const struct address_space *file,
			 enum tlbbatch_luf_reason reason)
{
	enum tlbbatch_luf_model model;
	u64 word;

	for_each_tlbbatch_luf_model(model) {
		word = look_at(slot, model);
		if (word && (!file || holds_file(&generations[slot].files, file)))
			end(slot, model, word, TLBBATCH_GENERATION_GIVEN_UP,
			    reason, NULL);
	}
}

/**
 * tlbbatch_luf_give_up() - a stale entry of a file could be seen from now on
 * @file: the file; NULL for all
 * @reason: what happened
 *
 * Passes first: one that isn't in the table yet, when that is gone through, finds
 * out that it was hit when it enters it.
 *
 * Context: any but NMI, before the kernel acts.
 */
void tlbbatch_luf_give_up(const struct address_space *file,
			  enum tlbbatch_luf_reason reason)
{
	unsigned int slot;

	if (file && !atomic_read(interest_in(file)))
		return;
	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_EVENTS) &&
	    reason != TLBBATCH_LUF_REASON_OFF)
		return;
	tlbbatch_luf_passes_hit(file);
	/* Pairs with the barrier in tlbbatch_luf_see_flush(). */
	smp_mb();
	for_each_set_bit(slot, used, TLBBATCH_LUF_GENERATIONS) {
		give_up_slot(slot, file, reason);
	}
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
			end(slot, model, word, TLBBATCH_GENERATION_NEEDED, 0,
			    &taken);
	}
}

/* What only the posted series hasn't decided yet makes room for new generations. */
static void evict(unsigned int slot)
{
	u64 word = look_at(slot, TLBBATCH_LUF_POSTED);

	if (word && !look_at(slot, TLBBATCH_LUF_IDEAL))
		end(slot, TLBBATCH_LUF_POSTED, word,
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
	bool tight = READ_ONCE(nr_used) > SLOTS_TIGHT ||
		     tlbbatch_luf_pages_tight();
	unsigned int slot = from;

	while (nr--) {
		slot = find_next_bit(used, TLBBATCH_LUF_GENERATIONS, slot);
		if (slot >= TLBBATCH_LUF_GENERATIONS) {
			slot = 0;
			break;
		}
		end_all(slot, TLBBATCH_GENERATION_OPEN);
		if (tight)
			evict(slot);
		slot++;
	}
	raw_spin_lock(&table_lock);
	reap();
	raw_spin_unlock(&table_lock);
	return slot;
}
