// SPDX-License-Identifier: GPL-2.0-only
/* When a group of folios is held, and when what is held may be freed. */
#include "hold/hold_policy.h"
#include "rnd.h"
#include "tap.h"

#define ROOM	31U

/* A full group of single pages, in a pass that holds none yet. */
static struct tlbbatch_hold_facts full(void)
{
	return (struct tlbbatch_hold_facts){
		.nr = ROOM, .room = ROOM, .nr_frozen = ROOM, .pages = ROOM, .max = 96, .owes = true,
	};
}

static enum tlbbatch_hold_verdict judge(struct tlbbatch_hold_facts facts)
{
	return tlbbatch_hold_judge(&facts);
}

#define WITH(member, value)	({ struct tlbbatch_hold_facts f_ = full(); f_.member = (value); f_; })

/* As a pass does it: groups of random sizes, until one can't be held. */
static bool stays_within(unsigned int max)
{
	struct tlbbatch_hold_facts facts = full();
	unsigned long held = 0;

	facts.max = max;
	while (held <= max) {
		facts.held = held;
		facts.pages = ROOM + rnd(200);
		if (tlbbatch_hold_judge(&facts) != TLBBATCH_HOLD_IT)
			return held + facts.pages > max;
		held += facts.pages;
	}
	return false;
}

static bool all_stay_within(void)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		if (!stays_within(TLBBATCH_HOLD_MIN + rnd(TLBBATCH_HOLD_MAX - TLBBATCH_HOLD_MIN)))
			return false;
	return true;
}

int main(void)
{
	unsigned int nr, held = 0;

	ok(judge(full()) == TLBBATCH_HOLD_IT, "a full group is held");

	for (nr = 0; nr < ROOM; nr++) {
		struct tlbbatch_hold_facts facts = WITH(nr, nr);

		facts.nr_frozen = facts.pages = nr;
		held += judge(facts) != TLBBATCH_HOLD_LAST;
	}
	ok(!held, "G4: whatever isn't full may be the pass's last group, and is flushed");
	ok(judge(WITH(owes, false)) == TLBBATCH_HOLD_OWES_NOTHING,
	   "a group for which no flush is owed is left to reclaim");
	ok(judge(WITH(dirty, true)) == TLBBATCH_HOLD_DIRTY,
	   "G3: nothing is held behind a dirty PTE");
	ok(judge(WITH(nr_frozen, ROOM - 1)) == TLBBATCH_HOLD_REFERENCED,
	   "G1: one folio that somebody refers to keeps the whole group");
	ok(judge(WITH(nr_frozen, 0)) == TLBBATCH_HOLD_REFERENCED, "G1: so do all");

	ok(judge(WITH(held, 96 - ROOM)) == TLBBATCH_HOLD_IT, "G5: up to max");
	ok(judge(WITH(held, 96 - ROOM + 1)) == TLBBATCH_HOLD_FULL, "G5: not a page more");
	ok(judge(WITH(pages, 97)) == TLBBATCH_HOLD_FULL, "G5: large folios count by their pages");
	ok(judge(WITH(held, 97)) == TLBBATCH_HOLD_FULL, "G5: more than max never is room");
	ok(judge(WITH(pages, ULONG_MAX)) == TLBBATCH_HOLD_FULL, "G5: no sum overflows");
	ok(judge(WITH(max, 0)) == TLBBATCH_HOLD_FULL, "G5: 0 holds nothing");
	ok(all_stay_within(), "G5: whatever the groups, max is reached, and never passed");

	ok(tlbbatch_hold_may_free(false), "G2: behind a flush what is held may be freed");
	ok(!tlbbatch_hold_may_free(true), "G2: not while a flush is owed");
	return tap_done();
}
