// SPDX-License-Identifier: GPL-2.0-only
/* Wider passes: what is counted of asks (rule B13), and a kernel that lacks something (H2, H3). */
#include "wide_world.h"

/* What an ask adds to each counter. */
static u64 before[PAGES_TAKEN_FILE + 1];

static void remember(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(before); i++)
		before[i] = counted(i);
}

static u64 added(unsigned int index)
{
	return counted(index) - before[index];
}

static void test_asks(void)
{
	static const enum lru_list inactive[] = { LRU_INACTIVE_ANON, LRU_INACTIVE_FILE };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		unsigned int asked = PAGES_ASKED_ANON + i, taken = PAGES_TAKEN_ANON + i;
		unsigned int other = PAGES_ASKED_ANON + !i;

		fresh(inactive[i]);
		remember();
		ok_int(ask_anew(inactive[i]), WIDE, "a pass is widened");
		ok(added(PASSES_WIDENED) == 1 && !added(ASKS_LEFT_OUT), "B13: it counts as one that is");
		ok(added(asked) == ASKED && added(taken) == WIDE && !added(other),
		   "B13: so does what was asked for, and what was taken, by type");
		remember();
		scanned = 77;
		ok_int(ask(inactive[i]), 0, "the next ask is left out");
		ok_int(scanned, 0, "W4: nothing was scanned for it");
		ok(added(ASKS_LEFT_OUT) == 1 && !added(PASSES_WIDENED), "B13: it counts as one that is");
		ok(added(asked) == ASKED && !added(taken) && !added(other),
		   "B13: so does what it asked for, and nothing is taken");
	}
}

static void test_as_asked(void)
{
	fresh(LRU_INACTIVE_FILE);
	node.vm_stat[NR_ISOLATED_FILE].counter = MANY;
	holds = ASKED / 2;
	remember();
	ok_int(ask_anew(LRU_INACTIVE_FILE), ASKED, "a pass stays as it is");
	holds = ULONG_MAX;
	ok(!added(PASSES_WIDENED) && !added(ASKS_LEFT_OUT), "B13: it isn't widened, nor left out");
	ok(added(PAGES_ASKED_FILE) == ASKED && added(PAGES_TAKEN_FILE) == ASKED / 2,
	   "B13: what the list had counts as taken");
	remember();
	ok_int(ask_anew(LRU_ACTIVE_FILE), ASKED, "an active list");
	ok(!added(PAGES_ASKED_FILE) && !added(PAGES_TAKEN_FILE), "W1: what is only aged isn't counted");
}

/* Its last folio has 16 pages: the call has got 239 pages early, seven asks and 15. */
static void test_large(void)
{
	unsigned int left_out = 0;

	fresh(LRU_INACTIVE_FILE);
	last_pages = 16;
	ok_int(ask_anew(LRU_INACTIVE_FILE), WIDE, "a pass with a large folio is widened");
	last_pages = 1;
	while (left_out < 8 && !ask(LRU_INACTIVE_FILE))
		left_out++;
	ok_int(left_out, 7, "W3: its next asks are left out");
	fresh(LRU_INACTIVE_FILE);
	last_pages = 16;
	ask_anew(LRU_INACTIVE_FILE);
	last_pages = 1;
	ok_int(ask_for(WIDE - ASKED + 15, LRU_INACTIVE_FILE), 0,
	       "W3: a folio of as many pages as that counts with all of them");
}

static void test_sums(void)
{
	u64 most = 3ULL << 30;

	remember();
	*per_cpu_ptr(tlbbatch_wide_counters.value + PAGES_TAKEN_ANON, 3) += most;
	*per_cpu_ptr(tlbbatch_wide_counters.value + PAGES_TAKEN_ANON, SIM_CPUS - 1) += most;
	ok_int(added(PAGES_TAKEN_ANON), 2 * most, "B13: a counter has 64 bits");
	sim_offline = BIT(3);
	ok_int(added(PAGES_TAKEN_ANON), 2 * most, "B13: what an offline CPU counted stays");
	sim_offline = 0;
}

/* The hooks can't be attached. */
static void test_refused(void)
{
	admin.killed = true;
	ok_int(write_pass_min("64"), -EINTR, "H9: who is killed before he may write is told so");
	admin.killed = false;
	ok_int(tlbbatch_wide_pages(), WIDE, "H9: and nothing changes");
	ok_int(write_pass_min("0"), 1, "off");
	sim_trouble.no_memory = 1000;
	ok_int(write_pass_min("64"), -ENOMEM, "there is no memory to attach");
	sim_trouble.no_memory = 0;
	ok(!tlbbatch_wide_pages() && !tlbbatch_pass_width && !tlbbatch_wide.on,
	   "H2: then pass_min reads 0, W5: and no batch is wider");
	ok_int(write_pass_min("64"), 2, "later there is");
	ok_int(tlbbatch_wide_pages(), 64, "pass_min reads what was written");
}

static void test_lacks(void)
{
	static const char *const members[] = { "reclaim_idx", "target_mem_cgroup" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		lacks = members[i];
		ok_int(sim_load(), 0, "it loads");
		if (ok(strstr(tlbbatch_wide.unavailable, members[i]),
		       "H2: wider passes need %s, and say so", members[i]))
			ok_int(write_pass_min("64"), -EOPNOTSUPP, "H2: they can't be had");
		sim_unload();
	}
}

int main(void)
{
	wide_world_init();
	ok_int(write_pass_min("256"), 3, "passes are widened");
	test_asks();
	test_as_asked();
	test_large();
	test_sums();
	test_refused();
	sim_unload();
	test_lacks();
	return hook_world_done();
}
