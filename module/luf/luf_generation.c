// SPDX-License-Identifier: GPL-2.0-only
/* Which flush is a generation, when it is covered, and what becomes of it. */
#include "luf/luf_generation.h"

#define WORD_BITS	(8U * sizeof(unsigned long))

/**
 * tlbbatch_luf_judge_flush() - would LUF have put this flush off?
 * @pending: what it is about to cover
 *
 * Rule L3: only a flush that covers nothing but read-only unmaps makes a generation. A
 * flush of which no unmap was seen isn't known to be read-only.
 *
 * Return: what it is to the simulation.
 */
enum tlbbatch_luf_flush
tlbbatch_luf_judge_flush(const struct tlbbatch_luf_pending *pending)
{
	if (!pending->remote)
		return TLBBATCH_LUF_FLUSH_LOCAL;
	if (pending->mixed || !pending->readonly)
		return TLBBATCH_LUF_FLUSH_MIXED;
	if (pending->untracked)
		return TLBBATCH_LUF_FLUSH_UNTRACKED;
	return TLBBATCH_LUF_FLUSH_READONLY;
}

/**
 * tlbbatch_luf_outcome() - what becomes of an open generation at an event
 * @facts: what is known of it
 *
 * If it is covered, the coverage came before the event. But pages that aren't free any
 * more may have been taken before the coverage: then it counts as needed (rule L10).
 *
 * Return: its state from now on; OPEN if it stays open.
 */
enum tlbbatch_luf_state
tlbbatch_luf_outcome(const struct tlbbatch_luf_facts *facts)
{
	if (!facts->covered)
		return facts->event;
	return facts->pages_free ? TLBBATCH_GENERATION_SAVED : TLBBATCH_GENERATION_NEEDED;
}

/**
 * tlbbatch_luf_covered() - did flushes reach all of a generation's CPUs?
 * @mask: its CPUs
 * @nr_cpus: CPUs that there can be
 * @covered: for each CPU, what its flushes have covered
 * @model: in whose eyes
 * @number: the generation's
 *
 * Context: any; @covered only ever grows.
 */
bool tlbbatch_luf_covered(const unsigned long *mask, unsigned int nr_cpus,
			  const struct tlbbatch_luf_coverage *covered,
			  enum tlbbatch_luf_model model, u64 number)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		unsigned long bits = mask[cpu / WORD_BITS] >> cpu % WORD_BITS;

		if (!bits)
			cpu |= WORD_BITS - 1;
		else if (bits & 1 &&
			 tlbbatch_luf_owes(covered, model, cpu, number))
			return false;
	}
	return true;
}

/**
 * tlbbatch_luf_range() - a range of page frames
 * @pfn: the first
 * @nr: how many, up to TLBBATCH_LUF_RANGE_MAX
 */
u64 tlbbatch_luf_range(unsigned long pfn, unsigned int nr)
{
	return (u64)pfn << TLBBATCH_LUF_RANGE_BITS | nr;
}

/**
 * tlbbatch_luf_range_extend() - make a range longer by its neighbour
 * @range: the range
 * @pfn: the neighbour's first page frame
 * @nr: how many it has
 *
 * Return: false, and nothing done, if it isn't one or the range would be too long.
 */
bool tlbbatch_luf_range_extend(u64 *range, unsigned long pfn, unsigned int nr)
{
	unsigned long first = tlbbatch_luf_range_pfn(*range);
	unsigned int have = tlbbatch_luf_range_nr(*range);

	if (!have || have + nr > TLBBATCH_LUF_RANGE_MAX)
		return false;
	if (first + have == pfn)
		*range = tlbbatch_luf_range(first, have + nr);
	else if (pfn + nr == first)
		*range = tlbbatch_luf_range(pfn, have + nr);
	else
		return false;
	return true;
}
