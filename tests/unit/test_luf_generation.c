// SPDX-License-Identifier: GPL-2.0-only
/*
 * LUF's arithmetic: what a flush is, which CPUs cover a generation, how it ends. Each is
 * compared with a naive answer: for all facts if there are few, and for random ones if
 * there are many.
 */
#include "rnd.h"
#include "tap.h"
#include "luf/luf_generation.h"

#define ROUNDS		100000
#define MAX_CPUS	200
#define WORD_BITS	(8 * sizeof(unsigned long))
#define MASK_WORDS	((MAX_CPUS + WORD_BITS - 1) / WORD_BITS)

/* Rule L8. */
static void test_word(void)
{
	static const u64 numbers[] = { 0, 1, 2, U32_MAX, (u64)U32_MAX + 1, (1ULL << 61) - 1 };
	unsigned int i, state;
	bool good = true, ordered = true;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		for (state = 0; state <= TLBBATCH_GENERATION_UNTRACKED; state++) {
			u64 word = tlbbatch_luf_word(numbers[i], state);

			good &= tlbbatch_luf_number_of(word) == numbers[i] &&
				tlbbatch_luf_state_of(word) == state;
			ordered &= !i || word > tlbbatch_luf_word(numbers[i - 1],
						TLBBATCH_GENERATION_UNTRACKED);
		}
	ok(good, "number and state can be read back from the word, up to 61 bits");
	ok(ordered, "a younger generation's word is larger, whatever the states");
	ok_int(tlbbatch_luf_state_of(0), TLBBATCH_GENERATION_FREE, "a slot never used is free");
}

/* Rules L3 and L14. */
static void test_judge_flush(void)
{
	unsigned int remote, readonly, mixed, untracked;
	unsigned int nr[TLBBATCH_LUF_FLUSH_UNTRACKED + 1] = { 0 };
	bool good = true;

	for (remote = 0; remote < 2; remote++)
	for (readonly = 0; readonly < 3; readonly++)
	for (mixed = 0; mixed < 3; mixed++)
	for (untracked = 0; untracked < 2; untracked++) {
		enum tlbbatch_luf_flush flush =
			tlbbatch_luf_judge_flush(&(struct tlbbatch_luf_pending){
				.remote = remote, .readonly = readonly,
				.mixed = mixed, .untracked = untracked });
		bool generation = flush == TLBBATCH_LUF_FLUSH_READONLY ||
				  flush == TLBBATCH_LUF_FLUSH_UNTRACKED;

		nr[flush]++;
		good &= generation == (remote && readonly && !mixed);
		good &= (flush == TLBBATCH_LUF_FLUSH_LOCAL) == !remote;
		good &= !generation ||
			(flush == TLBBATCH_LUF_FLUSH_UNTRACKED) == untracked;
	}
	ok(good, "a flush is a generation if all of it was read-only and another CPU is in it");
	ok(nr[0] && nr[1] && nr[2] && nr[3], "each answer was given");
	ok_int(tlbbatch_luf_judge_flush(&(struct tlbbatch_luf_pending){ .remote = true }),
	       TLBBATCH_LUF_FLUSH_MIXED, "a flush of unmaps that nobody saw isn't put off");
}

/* Rules L10 and L14. */
static void test_outcome(void)
{
	static const enum tlbbatch_luf_state events[] = {
		TLBBATCH_GENERATION_OPEN, TLBBATCH_GENERATION_NEEDED,
		TLBBATCH_GENERATION_GIVEN_UP, TLBBATCH_GENERATION_UNTRACKED,
	};
	bool uncovered = true, free = true, taken = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		struct tlbbatch_luf_facts facts = { .event = events[i], .pages_free = true };

		uncovered &= tlbbatch_luf_outcome(&facts) == events[i];
		facts.covered = true;
		free &= tlbbatch_luf_outcome(&facts) == TLBBATCH_GENERATION_SAVED;
		facts.pages_free = false;
		taken &= tlbbatch_luf_outcome(&facts) == TLBBATCH_GENERATION_NEEDED;
		facts.covered = false;
		uncovered &= tlbbatch_luf_outcome(&facts) == events[i];
	}
	ok(uncovered, "not covered: what the event says, and never saved");
	ok(free, "covered with all pages free: saved, whatever came later");
	ok(taken, "covered with a page that may have been used before: needed");
}

static void test_covered(void)
{
	unsigned long mask[MASK_WORDS];
	struct tlbbatch_luf_coverage covered[MAX_CPUS];
	enum tlbbatch_luf_model model, other;
	unsigned int round, cpu, nr_cpus, nr_covered = 0;
	bool good = true;

	for (round = 0; round < ROUNDS; round++) {
		u64 number = ((u64)rnd(4) << 32) + 1 + rnd(4);
		unsigned int density = 1 + rnd(64), behind = 1 + rnd(40);
		bool naive = true;

		nr_cpus = 1 + rnd(MAX_CPUS);
		model = rnd(TLBBATCH_LUF_NR_MODELS);
		other = !model;
		memset(mask, 0, sizeof(mask));
		for (cpu = 0; cpu < nr_cpus; cpu++) {
			covered[cpu].by[model] = rnd(behind) ? number + rnd(3) :
							       number - 1 - rnd(1);
			/* What is covered in the other model must not matter. */
			covered[cpu].by[other] = number - 1 + rnd(2);
			if (!rnd(density)) {
				mask[cpu / WORD_BITS] |= 1UL << cpu % WORD_BITS;
				naive &= covered[cpu].by[model] >= number;
			}
		}
		good &= tlbbatch_luf_covered(mask, nr_cpus, covered, model,
					     number) == naive;
		nr_covered += naive;
	}
	ok(good, "a generation is covered if no CPU of the mask is behind");
	ok(nr_covered > ROUNDS / 20 && nr_covered < ROUNDS - ROUNDS / 20, "covered and not covered were both common");

	memset(mask, 0, sizeof(mask));
	mask[0] = 1;
	covered[0].by[TLBBATCH_LUF_IDEAL] = 7;
	covered[0].by[TLBBATCH_LUF_POSTED] = 6;
	ok(tlbbatch_luf_covered(mask, 1, covered, TLBBATCH_LUF_IDEAL, 7),
	   "a flush covers the youngest generation that it saw");
	ok(!tlbbatch_luf_covered(mask, 1, covered, TLBBATCH_LUF_IDEAL, 8),
	   "a flush covers no generation that is younger");
	ok(!tlbbatch_luf_covered(mask, 1, covered, TLBBATCH_LUF_POSTED, 7),
	   "a flush that the posted series doesn't notice covers nothing there");
}

static void test_range(void)
{
	u64 range = tlbbatch_luf_range(100, 4);
	bool good = true;
	unsigned int round;

	ok(tlbbatch_luf_range_extend(&range, 104, 1) && tlbbatch_luf_range_pfn(range) == 100 &&
	   tlbbatch_luf_range_nr(range) == 5, "the next page frame makes a range longer");
	ok(tlbbatch_luf_range_extend(&range, 98, 2) && tlbbatch_luf_range_pfn(range) == 98 &&
	   tlbbatch_luf_range_nr(range) == 7, "the page frame before it makes a range longer");
	ok(!tlbbatch_luf_range_extend(&range, 106, 1) && !tlbbatch_luf_range_extend(&range, 96, 1) &&
	   !tlbbatch_luf_range_extend(&range, 100, 1) && tlbbatch_luf_range_nr(range) == 7,
	   "a gap or an overlap doesn't make a range longer");
	range = tlbbatch_luf_range(0, TLBBATCH_LUF_RANGE_MAX);
	ok(!tlbbatch_luf_range_extend(&range, TLBBATCH_LUF_RANGE_MAX, 1), "a range doesn't grow beyond its maximum");
	range = 0;
	ok(!tlbbatch_luf_range_extend(&range, 0, 1), "an empty range has no neighbour");
	for (round = 0; round < ROUNDS; round++) {
		unsigned long pfn = (unsigned long)rnd(1U << 31) << rnd(9);
		unsigned int nr = 1 + rnd(TLBBATCH_LUF_RANGE_MAX);

		range = tlbbatch_luf_range(pfn, nr);
		good &= tlbbatch_luf_range_pfn(range) == pfn && tlbbatch_luf_range_nr(range) == nr;
	}
	ok(good, "page frames of up to 40 bits can be read back");
}

int main(void)
{
	test_word();
	test_judge_flush();
	test_outcome();
	test_covered();
	test_range();
	return tap_done();
}
