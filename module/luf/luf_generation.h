/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of LUF's unmap generations, as pure functions of plain facts:
 * order, CPU coverage, completion. tests/unit runs the same code.
 *
 * The idea of unmap generations comes from the LUF series (Lazy Unmap Flush, v10), which
 * numbers them with 64 bits since v12.
 */
#ifndef TLBBATCH_LUF_GENERATION_H
#define TLBBATCH_LUF_GENERATION_H

#include <tlbbatch/luf_stats.h>
#include "kernel/portable.h"

/*
 * A generation's number and state share a word. So it leaves the state "open" by one
 * cmpxchg, and nobody takes a new generation in the same slot for an older one.
 */
enum tlbbatch_luf_state {
	TLBBATCH_GENERATION_FREE,
	TLBBATCH_GENERATION_OPEN,
	TLBBATCH_GENERATION_SAVED,
	TLBBATCH_GENERATION_NEEDED,
	TLBBATCH_GENERATION_GIVEN_UP,
	TLBBATCH_GENERATION_UNTRACKED,
};

#define TLBBATCH_LUF_STATE_BITS	3

static inline u64 tlbbatch_luf_word(u64 number, enum tlbbatch_luf_state state)
{
	return number << TLBBATCH_LUF_STATE_BITS | state;
}

static inline enum tlbbatch_luf_state tlbbatch_luf_state_of(u64 word)
{
	return word & ((1U << TLBBATCH_LUF_STATE_BITS) - 1);
}

static inline u64 tlbbatch_luf_number_of(u64 word)
{
	return word >> TLBBATCH_LUF_STATE_BITS;
}

/*
 * A model says which flushes cover a generation. All models have the same generations,
 * and each model ends each of them by itself.
 */
enum tlbbatch_luf_model {
	/* Any full flush covers, whoever asked for it; a context switch, too. */
	TLBBATCH_LUF_IDEAL,
	/* Only those that the posted series marks as done: see luf_flush.c. */
	TLBBATCH_LUF_POSTED,
	TLBBATCH_LUF_NR_MODELS,
};

#define for_each_tlbbatch_luf_model(model)				\
	for (model = 0; model < TLBBATCH_LUF_NR_MODELS; model++)

/**
 * struct tlbbatch_luf_coverage - what the flushes of a CPU have covered
 * @by: for each model, the youngest generation; any older one is covered too
 *
 * A flush is sent to many CPUs, which all note it at the same moment. So each CPU has a
 * cache line of its own.
 */
struct tlbbatch_luf_coverage {
	u64 by[TLBBATCH_LUF_NR_MODELS];
} __aligned(64);

/* Why a generation was given up. */
enum tlbbatch_luf_reason {
#define X(upper, lower) TLBBATCH_LUF_REASON_##upper,
	LUF_REASONS(X)
#undef X
	TLBBATCH_LUF_NR_REASONS
};

/**
 * struct tlbbatch_luf_facts - what is known of an open generation at an event
 * @covered: all of its CPUs were reached by flushes that LUF would not have put off
 * @pages_free: each of its pages is provably still free, but for those that the
 *	event itself takes
 * @event: what the event makes of a generation that isn't covered: NEEDED,
 *	GIVEN_UP, UNTRACKED; OPEN if nothing happened and this is only a look
 */
struct tlbbatch_luf_facts {
	bool covered;
	bool pages_free;
	enum tlbbatch_luf_state event;
};

/**
 * struct tlbbatch_luf_pending - what a flush is about to cover
 * @remote: it interrupts another CPU
 * @readonly: folios unmapped read-only since the flush before
 * @mixed: folios unmapped that weren't, or that nobody saw
 * @untracked: some of them didn't fit into the bookkeeping
 */
struct tlbbatch_luf_pending {
	bool remote;
	unsigned int readonly;
	unsigned int mixed;
	bool untracked;
};

/* What a flush is to the simulation. */
enum tlbbatch_luf_flush {
	TLBBATCH_LUF_FLUSH_LOCAL,	/* no other CPU: nothing to put off */
	TLBBATCH_LUF_FLUSH_MIXED,	/* LUF wouldn't have put it off */
	TLBBATCH_LUF_FLUSH_READONLY,	/* LUF would: a generation */
	TLBBATCH_LUF_FLUSH_UNTRACKED,	/* a generation that can't be followed */
};

enum tlbbatch_luf_flush
tlbbatch_luf_judge_flush(const struct tlbbatch_luf_pending *pending);
enum tlbbatch_luf_state
tlbbatch_luf_outcome(const struct tlbbatch_luf_facts *facts);

/**
 * tlbbatch_luf_owes() - does a CPU still owe a flush to a generation?
 * @covered: for each CPU, what its flushes have covered
 * @model: in whose eyes
 * @cpu: the CPU
 * @number: the generation's
 *
 * Context: any; @covered only ever grows.
 */
static inline bool tlbbatch_luf_owes(const struct tlbbatch_luf_coverage *covered,
				     enum tlbbatch_luf_model model,
				     unsigned int cpu, u64 number)
{
	return READ_ONCE(covered[cpu].by[model]) < number;
}

bool tlbbatch_luf_covered(const unsigned long *mask, unsigned int nr_cpus,
			  const struct tlbbatch_luf_coverage *covered,
			  enum tlbbatch_luf_model model, u64 number);

/*
 * A range of page frames in 64 bits: the first and, in the lowest bits, how many.
 * The largest folio has as many pages as a gigabyte.
 */
#define TLBBATCH_LUF_RANGE_BITS	19
#define TLBBATCH_LUF_RANGE_MAX	((1U << TLBBATCH_LUF_RANGE_BITS) - 1)

u64 tlbbatch_luf_range(unsigned long pfn, unsigned int nr);
bool tlbbatch_luf_range_extend(u64 *range, unsigned long pfn, unsigned int nr);

static inline unsigned long tlbbatch_luf_range_pfn(u64 range)
{
	return range >> TLBBATCH_LUF_RANGE_BITS;
}

static inline unsigned int tlbbatch_luf_range_nr(u64 range)
{
	return range & TLBBATCH_LUF_RANGE_MAX;
}

#endif /* TLBBATCH_LUF_GENERATION_H */
