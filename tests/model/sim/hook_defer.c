// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting flushes off: what reclaim, its callers and whoever touches a file do meanwhile; and that no
 * frame is freed while a CPU has an entry of it, none twice, none never, and that nobody sees what
 * a file had. Rules D1, D2, D3, D4, D5, D6, D7 and D8.
 */
#include "defer_world.h"
#include "defer_happens.h"
#include "defer_meanwhile.h"

static void test_plain(void)
{
	u64 before = counted(DEFER_FLUSHES);

	anew();
	ok_int(pass(), 0, "a pass that unmaps pages of a file doesn't flush");
	ok_int((int)tlbbatch_owed_held(), 20, "its pages are held back");
	ok(!folios[0].freed && !folios[19].freed && !early, "D4: none of them is freed");
	ok(counted(DEFER_FLUSHES) == before + 1, "it counts");
	ok(settles() && owed_flushes == 1, "after luf/age_ms a flush comes, and they are freed");
	anew();
	plan.nr = 100;
	ok_int(pass(), 0, "three full groups and a rest: none is flushed");
	ok(counted(DEFER_FLUSHES) == before + (LISTS ? 2 : 5), "each counts");
	ok(settles() && owed_flushes == 1, "one flush for all");
	anew();
	plan.nr_pages = 4;
	ok_int(pass() > 0, LISTS, "folios of four pages: only what frees arrays frees them");
	ok_int((int)tlbbatch_owed_held(), LISTS ? 0 : 80, "pages count");
	ok(settles(), "they are freed");
}

/* Each of these makes the pass flush itself. */
static void test_refused(void)
{
	static const struct {
		const char *why;
		struct plan plan;
	} tests[] = {
		{ "D1: an anonymous folio", { .anon = 3 } },
		{ "D1: a dirty PTE", { .dirty = 3 } },
		{ "D1: an unmap that flushes by itself", { .unbatched = 3 } },
		{ "D2: a folio was kept", { .kept = 3 } },
		{ "D2: the last folio was kept", { .kept = 20 } },
		{ "D2: somebody refers to a folio", { .referred = 3 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		anew();
		plan = planned(tests[i].plan);
		ok(pass() == 1, "%s: the pass flushes", tests[i].why);
		ok(none_stale() && all_well(), "%s: and frees all behind that", tests[i].why);
		plan = planned((struct plan){ 0 });
		ok(pass() == 0 && settles(), "%s: the next one doesn't", tests[i].why);
	}
	anew();
	inodes[0].i_sb = &tmpfs;
	ok(pass() == 1 && all_well(), "D1: a file of tmpfs");
	anew();
	inodes[0].writers = 1;
	ok(pass() == 1 && all_well(), "D1: a file that is open for writing");
	anew();
	files[0].writably_mapped = true;
	ok(pass() == 1 && all_well(), "D1: a file that is mapped so");
	anew();
	inodes[0].noquota = true;
	ok(pass() == 1 && all_well(), "D1: a file that quotas are kept in");
	anew();
	plan.zone = SIM_ZONE_DMA;
	ok(pass() == 1 && all_well(), "D5: the DMA zone");
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1100;
	ok(pass() == 1 && all_well(), "D5: a zone that is short");
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].cma = 98900;
	ok(pass() == 1 && all_well(), "D5: one whose free pages are CMA's");
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].nr_reserved_highatomic = 98900;
	ok(pass() == 1 && all_well(), "D5: one whose free pages are reserved");
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].nr_isolate_pageblock = 1;
	ok(pass() == 1 && all_well(), "D6: a zone whose blocks are isolated");
	anew();
	seeks_range();
	ok(pass() == 1 && all_well(), "D6: a large range is being sought");
	jiffies += 250;
	anew();
	demotes = 1;
	ok(pass() == 1 && all_well(), "D2: a pass that demotes");
	anew();
	reclaimer.tlb_ubc.flush_required = true;
	ok(pass() == 1 && all_well(), "D2: something was unmapped before the pass");
}

/* What flushes what is owed, and what doesn't. */
static void test_events(void)
{
	static const struct {
		const char *name;
		void (*happens)(void);
		enum tlbbatch_defer_counter cause;
		bool flushes, frees;
	} tests[] = {
		{ "D3: a file is opened for writing", opens, DEFER_CAUSE_OPEN, true, false },
		{ "D3: a file is cut", cuts, DEFER_CAUSE_TRUNCATE, true, false },
		{ "D3: a private copy is written", copies, DEFER_CAUSE_COW, true, false },
		{ "D3: guard pages are made", guards, DEFER_CAUSE_GUARD, true, false },
		{ "a file is opened for reading", reads, DEFER_CAUSE_OPEN, false, false },
		{ "a file's mode changes", chmods, DEFER_CAUSE_TRUNCATE, false, false },
		{ "a shared page is written", writes_shared, DEFER_CAUSE_COW, false, false },
		{ "a page is read", faults, DEFER_CAUSE_COW, false, false },
		{ "another file is opened for writing", opens_other, DEFER_CAUSE_OPEN, false, false },
		{ "D5: memory runs out", runs_short, DEFER_CAUSE_OOM, true, true },
		{ "D6: memory is isolated", isolates, DEFER_CAUSE_ISOLATE, true, true },
		{ "D6: isolated memory is looked at", looks_at_isolated, DEFER_CAUSE_ISOLATE, true, true },
		{ "D6: a range is sought", seeks_range, DEFER_CAUSE_ISOLATE, true, true },
		{ "D6: memory goes offline", goes_offline, DEFER_CAUSE_ISOLATE, true, true },
		{ "D6: memory is compacted", compacts, DEFER_CAUSE_ISOLATE, true, true },
		{ "D5: the machine sleeps", sleeps, DEFER_CAUSE_OFF, true, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		u64 before = counted(tests[i].cause);

		anew();
		ok(pass() == 0, "%s: a flush is owed", tests[i].name);
		tests[i].happens();
		ok(none_stale() == tests[i].flushes, "%s: it is made%s", tests[i].name,
		   tests[i].flushes ? "" : " later");
		ok(counted(tests[i].cause) - before == tests[i].flushes, "%s: it counts", tests[i].name);
		ok(all_well() == tests[i].frees, "%s: pages are given back%s", tests[i].name,
		   tests[i].frees ? "" : " later");
		ok(settles(), "%s: they are", tests[i].name);
	}
}

/* In the middle of a pass: what it has unmapped isn't owed anywhere yet. */
static void test_hit(void)
{
	static const struct {
		const char *name;
		void (*happens)(void);
	} tests[] = {
		{ "opened for writing", opens }, { "cut", cuts }, { "copied", copies }, { "guarded", guards },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		anew();
		plan.meanwhile = tests[i].happens;
		plan.meanwhile_at = 10;
		ok(pass() == 1, "D3: a file is %s in the middle of a pass: it flushes",
		   tests[i].name);
		ok(none_stale() && all_well(), "D3: and nothing is owed");
	}
	anew();
	plan.meanwhile = opens_other;
	plan.meanwhile_at = 10;
	ok(pass() == 0 && settles(), "another file's event doesn't matter");
	anew();
	pass();
	plan.file = &files[1];
	inodes[1].writers = 1;
	plan.meanwhile = copies_other;
	plan.meanwhile_at = 10;
	ok(pass() == 1 && !owed_flushes, "nor does one of a file that doesn't fit");
	ok(settles(), "all are freed");
	/* The pass has asked for writers, and one comes behind that. It doesn't ask again. */
	anew();
	plan.nr = 1;
	sim_at_writers = opens;
	ok_int(pass(), 1, "D3: a writer comes right behind the pass's look: it flushes");
	ok(none_stale() && all_well(), "D3: and nothing is owed");
}

/* What was unmapped after the event began, and before it made its guards. */
static void test_guard_end(void)
{
	anew();
	at_guard = reclaims_meanwhile;
	guards();
	ok(none_stale(), "D3: a pass goes by while guards are made: its flush comes at their end");
	ok(settles(), "all are freed");
}

/* While a release's flush is under way. */
static void test_flushing(void)
{
	anew();
	pass();
	at_flush = opens_meanwhile;
	waits = 0;
	ms_pass(2000);
	ok(waits == 1 && none_stale() && owed_flushes == 1, "D3: an event waits for a flush that is under way");
	ok(settles(), "D4: all are freed, once");
	anew();
	pass();
	at_flush = reclaims_meanwhile;
	ms_pass(200);
	ok((int)tlbbatch_owed_held() == 20 && !early,
	   "D4: what comes while a flush is under way isn't covered by it");
	ok(settles(), "D4: it has its own");
	anew();
	pass();
	ms_pass(60);
	tlbbatch_owed_release_all(DEFER_CAUSE_OFF);
	pass();
	at_flush = work_comes;
	tlbbatch_owed_release_all(DEFER_CAUSE_OFF);
	ok(comes_again, "D5: the work comes while a task is about to free: it comes again");
	ok(settles(), "D4: all are freed, once");
	anew();
	pass();
	at_flush = short_meanwhile;
	waits = 0;
	ms_pass(200);
	ok(waits == 1 && !early, "D4: who releases meanwhile waits for the flush");
	ok(settles(), "D4: all are freed, once");
}

/* While folios are freed. */
static void test_freeing(void)
{
	anew();
	plan.nr = 100;
	pass();
	at_free = short_meanwhile;
	waits = 0;
	ms_pass(200);
	ok_int((int)waits, 1, "D5: who needs memory waits for what another task is freeing");
	ok(held_then > 0 && held_then <= 32, "D5: that is little, and it frees the rest itself");
	ok(all_well(), "all are freed");
}

/* Each debt has its own age, and each node its own memory. */
static void test_ages(void)
{
	unsigned long freed = 0;

	ok(write_knob(&tlbbatch_defer_batch_attr, "40") > 0, "luf/batch 40");
	/* No work waits. */
	ms_pass(2000);
	anew();
	pass();
	pass();
	ok(all_well(), "the batch is full: all is given back");
	ms_pass(60);
	pass();
	ms_pass(40);
	ok((int)tlbbatch_owed_held() == 20, "a younger debt isn't due yet");
	ms_pass(60);
	ok(all_well(), "it is given back after luf/age_ms, and not twice that");
	ok(write_knob(&tlbbatch_defer_age_attr, "1000") > 0, "luf/age_ms 1000");
	anew();
	pass();
	pass();
	plan.nr = 1;
	pass();
	ok(write_knob(&tlbbatch_defer_age_attr, "100") > 0, "luf/age_ms 100");
	pass();
	ms_pass(120);
	ok(all_well(), "a new luf/age_ms holds for what comes next");
	anew();
	pass();
	opens();
	plan.file = &files[1];
	pass();
	ms_pass(8);
	ok(folios[0].freed == 1 && !early, "what an event has flushed is freed at once");
	ok(settles(), "all are freed");
	ok(write_knob(&tlbbatch_defer_batch_attr, "1024") > 0, "luf/batch 1024");
	ok(write_knob(&tlbbatch_defer_age_attr, "0") > 0, "luf/age_ms 0");
	anew();
	pass();
	ms_pass(8);
	ok(all_well(), "a call of reclaim whose end isn't seen: a tick later all is given back");
	ok(write_knob(&tlbbatch_defer_age_attr, "100") > 0, "luf/age_ms 100");
	anew();
	jiffies += 250;
	pass_on(1);
	sim_oom->notifier_call(sim_oom, 0, &freed);
	ok(freed == 20 && all_well(), "D5: memory runs out: what is given back counts as freed");
	freed = 0;
	pass_on(1);
	sim_oom->notifier_call(sim_oom, 0, &freed);
	ok(!freed && all_well(), "D5: soon again: it doesn't keep the killer away for ever");
}

/* A node that gets its memory while flushes are put off. */
static void test_new_node(void)
{
	ok_int(off(&tlbbatch_defer), 0, "off");
	sim_memory_nodes = 1;
	ok_int(on(&tlbbatch_defer), 0, "on, with memory on one node");
	sim_memory_nodes = 2;
	anew();
	ok(pass_on(1) == 1 && all_well(), "D8: nothing of a node is put off that had no memory then");
	anew();
	ok(pass() == 0 && settles(), "that of others is");
}

static void test_bounds(void)
{
	u64 before;

	ok_int(write_knob(&tlbbatch_defer_batch_attr, "31"), -ERANGE, "luf/batch 31");
	ok_int(write_knob(&tlbbatch_defer_batch_attr, "4097"), -ERANGE, "luf/batch 4097");
	ok_int(write_knob(&tlbbatch_defer_age_attr, "1001"), -ERANGE, "luf/age_ms 1001");
	ok(write_knob(&tlbbatch_defer_batch_attr, "40") > 0, "luf/batch 40");
	anew();
	before = counted(DEFER_CAUSE_FULL);
	pass();
	ok((int)tlbbatch_owed_held() == 20, "20 of 40 are held back");
	pass();
	ok(all_well() && owed_flushes == 1 && counted(DEFER_CAUSE_FULL) == before + 1,
	   "with 40 one flush comes, and all are freed");
	ok(write_knob(&tlbbatch_defer_batch_attr, "1024") > 0, "luf/batch 1024");
	/* Little is free: no more than what lies between the last two watermarks, 250. */
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1600;
	plan.nr = 150;
	ok(pass() == 0 && pass() == 0 && owed_flushes == 1 && tlbbatch_owed_held() <= 250,
	   "D5: no more than 250 pages are held back: they make room for others");
	ok(settles(), "all are freed");
	anew();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1600;
	plan.nr = LISTS ? 251 : 28;
	plan.nr_pages = LISTS ? 1 : 9;
	ok(pass() == 1 && !tlbbatch_owed_held(), "D5: a group that is too large for it isn't held back");
	ok(settles(), "all are freed");
	anew();
	plan.nr = 10;
	pass();
	before = owed_flushes;
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1600;
	plan.nr = LISTS ? 251 : 28;
	plan.nr_pages = LISTS ? 1 : 9;
	ok(pass() == 1 && (int)tlbbatch_owed_held() == 10 && owed_flushes == before,
	   "D5: what is held back makes no room for that, and stays");
	ok(settles(), "all are freed");
	anew();
	pass();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1100;
	call_ends();
	ok(all_well(), "D5: a call of reclaim ends, and the zone is short: all is given back");
	anew();
	pass();
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1100;
	plan.nr = 0;
	pass();
	ok(all_well(), "D5: a pass that finds nothing ends, and the zone is short: all is given back");
	anew();
	plan.nr = 260;
	pass();
	ok(tlbbatch_owed_held() == 260, "260 are held back");
	sim_nodes[0].node_zones[SIM_ZONE_NORMAL].free = 1600;
	call_ends();
	ok(all_well(), "D5: little is free by now, so that is too much: all is given back");
	anew();
	pass_on(1);
	call_ends();
	ok((int)tlbbatch_owed_held() == 20, "D5: not so if it isn't");
	ok(settles(), "all are freed");
	ok(write_knob(&tlbbatch_defer_age_attr, "0") > 0, "luf/age_ms 0");
	anew();
	pass();
	ok((int)tlbbatch_owed_held() == 20, "until the call of reclaim ends they are held back");
	call_ends();
	ok(all_well(), "then they are given back");
	ok(write_knob(&tlbbatch_defer_age_attr, "100") > 0, "luf/age_ms 100");
}

static void test_kernels(void)
{
	extent_unknown = true;
	ok_int(on(&tlbbatch_defer), -EOPNOTSUPP, "D8: who calls must be known");
	extent_unknown = false;
	sim_invlpgb = true;
	ok_int(on(&tlbbatch_defer), -EOPNOTSUPP, "D8: with INVLPGB nobody is interrupted");
	sim_invlpgb = false;
	strscpy(sim_uts.release, "7.2.6+sim", sizeof(sim_uts.release));
	ok_int(on(&tlbbatch_defer), -EOPNOTSUPP, "D8: nor another release than that of the headers");
	ok(sim_logged("built for another kernel"), "D8: and it says so");
	strscpy(sim_uts.release, UTS_RELEASE, sizeof(sim_uts.release));
	sim_notifiers = 1;
	ok_int(on(&tlbbatch_defer), -ENOMEM, "no memory for a notifier");
	ok(nothing_attached() && !sim_oom && !sim_memory && !sim_pm, "nothing is left of that");
	sim_notifiers = 100;
	ok_int(pass(), 1, "off: a pass flushes");
}

static void test_off(void)
{
	anew();
	pass();
	ok_int(off(&tlbbatch_defer), 0, "off");
	ok(all_well() && none_stale(), "D7: nothing is held back, and nothing owed");
	right(sim_in_order("owed_flush", "unregister:madvise_guard_install"), "D7: it was flushed while events were seen");
	ok(nothing_attached() && !sim_oom && !sim_memory && !sim_pm, "D7: nothing is attached");
	anew();
	ok(pass() == 1 && all_well(), "D7: passes flush");
}

int main(void)
{
	defer_world_init();
	anew();
	ok_int(sim_load(), 0, "it loads");
	ok_str(tlbbatch_defer.unavailable, "", "flushes can be put off");
	test_kernels();
	ok_int(on(&tlbbatch_defer), 0, "on");
	test_plain();
	test_refused();
	test_events();
	test_hit();
	test_guard_end();
	test_flushing();
	test_freeing();
	test_bounds();
	test_ages();
	test_new_node();
	test_off();
	sim_unload();
	return hook_world_done();
}
