// SPDX-License-Identifier: GPL-2.0-only
/* When the flushers are woken. */
#include "flusher/flusher_policy.h"
#include "rnd.h"
#include "tap.h"

static void test_all_dirty(void)
{
	unsigned int taken, unqueued;
	bool good = true;

	ok(!tlbbatch_flusher_all_dirty(0, 0), "D2: a pass without pages says nothing");
	ok(tlbbatch_flusher_all_dirty(1, 1), "D2: one page that waits for a flusher");
	ok(!tlbbatch_flusher_all_dirty(1, 0), "D2: one page that doesn't");
	ok(tlbbatch_flusher_all_dirty(64, 64), "D2: a pass of nothing else");
	ok(!tlbbatch_flusher_all_dirty(64, 63), "D2: one page of many is clean");
	ok(!tlbbatch_flusher_all_dirty(63, 64), "D2: more than were taken: nothing is known");
	ok(tlbbatch_flusher_all_dirty(UINT_MAX, UINT_MAX), "D2: as many as there can be");
	for (taken = 1; taken < 600; taken++)
		for (unqueued = 0; unqueued < 600; unqueued++)
			good &= tlbbatch_flusher_all_dirty(taken, unqueued) == (taken == unqueued);
	ok(good, "D2: if all of them wait, and never else");
}

static void test_due(void)
{
	const unsigned long interval = 5;
	unsigned int i;
	bool good = true;

	ok(!tlbbatch_flusher_due(1000, 1000, interval), "D3: at the same moment");
	ok(!tlbbatch_flusher_due(1004, 1000, interval), "D3: a little too early");
	ok(tlbbatch_flusher_due(1005, 1000, interval), "D3: when the interval is over");
	ok(tlbbatch_flusher_due(ULONG_MAX, 1000, interval), "D3: long after");
	ok(!tlbbatch_flusher_due(1, ULONG_MAX - 2, interval), "D3: too early, round the corner");
	ok(tlbbatch_flusher_due(2, ULONG_MAX - 2, interval), "D3: in time, round the corner");
	ok(tlbbatch_flusher_due(2, ULONG_MAX - 9, interval), "D3: long after, round the corner");
	ok(tlbbatch_flusher_due(1000, 1000, 0), "D3: no interval");
	for (i = 0; i < 100000; i++) {
		unsigned long last = (unsigned long)rnd(U32_MAX) << 32 | rnd(U32_MAX);
		unsigned long since = rnd(20);

		good &= tlbbatch_flusher_due(last + since, last, interval) == (since >= interval);
	}
	ok(good, "D3: whatever time it is");
}

int main(void)
{
	test_all_dirty();
	test_due();
	return tap_done();
}
