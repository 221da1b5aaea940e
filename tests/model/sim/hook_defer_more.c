// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting flushes off: more nodes than one, groups that aren't all of a pass's, the bounds of what is
 * noted, what is counted, and kernels that don't get it. Rules D2, D3, D4, D5, D6 and D8.
 */
#include "defer_world.h"
#include "defer_happens.h"

void sim_relax(void)
{
	sim_breach("nobody flushes meanwhile");
}

static struct zone *normal(unsigned int nid)
{
	return &sim_nodes[nid].node_zones[SIM_ZONE_NORMAL];
}

static void test_nodes(void)
{
	static void (*const happen[])(void) = { opens, cuts, copies, guards };
	unsigned int nid, i, point;
	u64 before;

	for (nid = 0; nid < SIM_NODES; nid++)
		for (i = 0; i < ARRAY_SIZE(happen); i++) {
			anew();
			pass_on(nid);
			happen[i]();
			ok(none_stale() && owed_flushes == 1, "D3: event %u, node %u: its flush is made", i, nid);
			ok(settles(), "D4: all are freed");
		}
	for (nid = 0; nid < SIM_NODES; nid++)
		for (point = 0; point < 2; point++) {
			anew();
			pass_on(nid);
			normal(nid)->free = 1100;
			before = counted(DEFER_CAUSE_LOW);
			call_ends_at(point);
			ok(all_well(), "D5: %s call of reclaim ends, and node %u is short: all is given back",
			   point ? "a cgroup's" : "a", nid);
			ok(counted(DEFER_CAUSE_LOW) == before + 1, "that counts");
		}
	for (nid = 0; nid < SIM_NODES; nid++) {
		anew();
		pass_on(nid);
		normal(nid)->free = 1100;
		plan.nr = 0;
		pass_on(nid);
		ok(all_well(), "D5: a pass ends, and node %u is short: all is given back", nid);
	}
}

static void test_groups(void)
{
	anew();
	plan.nr = 1;
	plan.unseen = 1;
	ok(pass() == 1 && all_well(), "D2: a pass that has noted nothing flushes");
	anew();
	plan.meanwhile = try_to_unmap_flush;
	plan.meanwhile_at = 10;
	ok_int(pass(), 1, "D2: a flush that no group follows isn't put off");
	ok_int((int)tlbbatch_owed_held(), 10, "D2: of a group, what was unmapped since is held back");
	ok(folios[0].freed == 1 && folios[9].freed == 1 && !folios[10].freed && !early,
	   "D4: the rest is freed at once");
	ok(settles(), "all are freed");
	if (!LISTS)
		return;
	anew();
	plan.nr = 512;
	ok(pass() == 0 && settles(), "D2: 512 folios can be noted");
	anew();
	plan.nr = 513;
	ok(pass() == 1 && all_well(), "D2: of one more it isn't known what it was");
}

/* Pages of no file. */
static void test_no_file(void)
{
	struct vm_area_struct none = { NULL };
	struct vm_fault vmf = { &none, FAULT_FLAG_WRITE };
	struct madvise_behavior behavior = { .vma = &none };

	anew();
	pass();
	fault(&vmf);
	guard(&behavior);
	ok(!owed_flushes && settles(), "a fault and guards where no file is mapped flush nothing");
}

/* At the last moment: the pass has asked, and puts its flush off. */
static void test_last_moment(void)
{
	u64 before = counted(DEFER_CAUSE_OPEN);

	anew();
	plan.nr = 1;
	sim_at_refs = opens;
	ok(pass() == 0 && owed_flushes == 1, "D3: a pass that is met at the last moment flushes what it owes");
	ok(none_stale() && all_well(), "D3: and gives all back");
	ok(counted(DEFER_CAUSE_OPEN) == before + 1, "that counts");
}

static unsigned int barriers;

static void barrier_comes(void)
{
	barriers++;
	sim_at_barrier = barrier_comes;
}

static unsigned int barriers_of(void (*does)(void))
{
	barriers = 0;
	sim_at_barrier = barrier_comes;
	does();
	sim_at_barrier = NULL;
	return barriers;
}

static void passes(void)
{
	pass();
}

/* Who adds looks for events behind that, and an event looks for what was added behind its mark. */
static void test_barriers(void)
{
	anew();
	ok(barriers_of(passes) == 1, "D3: a pass makes a full barrier before it looks for events again");
	ok(barriers_of(opens) == 1, "D3: so does an event before it looks for what is owed");
	ok(settles(), "all are freed");
	anew();
	pass();
	ok(barriers_of(guards) == 2, "D3: one more comes behind guards, before it looks whether they matter");
	ok(settles(), "all are freed");
}

static void batch_shrinks(void)
{
	write_knob(&tlbbatch_defer_batch_attr, "32");
}

static void test_knobs(void)
{
	u64 before;

	anew();
	pass();
	ms_pass(60);
	pass();
	ms_pass(48);
	ok(all_well(), "D5: a later pass doesn't postpone what is due");
	anew();
	before = counted(DEFER_CAUSE_FULL);
	plan.nr = 40;
	plan.meanwhile = batch_shrinks;
	plan.meanwhile_at = 1;
	pass();
	ok(counted(DEFER_CAUSE_FULL) == before, "a new luf/batch holds for passes that begin later");
	ok(all_well(), "D5: when this one ends, more is held than that, and all is given back");
	write_knob(&tlbbatch_defer_batch_attr, "1024");
	anew();
	seeks_range();
	jiffies += 249;
	ok(pass() == 1 && all_well(), "D6: just under a second behind a search nothing is held back");
	jiffies += 1;
	ok(pass() == 0 && settles(), "D6: a second behind it, it is");
}

static void test_cpus(void)
{
	anew();
	pass();
	ok(settles() && flushed == READERS, "a flush goes to the CPUs that had entries");
	plan.entries = 2;
	pass();
	ok(settles() && flushed == 2, "the next one doesn't go to those of the last");
	plan.entries = 1;
	ok(pass() == 1 && all_well(), "one that goes to no other CPU isn't put off");
}

static void test_notifiers(void)
{
	unsigned long freed = 5;

	jiffies += 250;
	anew();
	pass();
	sim_oom->notifier_call(sim_oom, 0, &freed);
	ok_int((int)freed, 25, "D5: what others have freed counts, too");
	anew();
	pass();
	sim_pm->notifier_call(sim_pm, PM_HIBERNATION_PREPARE, NULL);
	ok(all_well(), "D5: all is given back before the machine hibernates");
}

/* Each flush that isn't put off has one reason, and each that is sent for others, too. */
static void test_counted(void)
{
	static const struct {
		const char *why;
		struct plan plan;
		enum tlbbatch_defer_counter counter;
		bool is_short;
	} tests[] = {
		{ "an anonymous folio", { .anon = 3 }, DEFER_REFUSED_MIXED },
		{ "a dirty PTE", { .dirty = 3 }, DEFER_REFUSED_MIXED },
		{ "an unmap that flushes by itself", { .unbatched = 3 }, DEFER_REFUSED_MIXED },
		{ "a folio was kept", { .kept = 3 }, DEFER_REFUSED_KEPT },
		{ "somebody refers to a folio", { .referred = 3 }, DEFER_REFUSED_KEPT },
		{ "an event", { .meanwhile = copies, .meanwhile_at = 10 }, DEFER_REFUSED_HIT },
		{ "memory is short", { 0 }, DEFER_REFUSED_MEMORY, true },
	};
	static const enum tlbbatch_defer_counter refused[] = {
		DEFER_REFUSED_MIXED, DEFER_REFUSED_KEPT, DEFER_REFUSED_HIT, DEFER_REFUSED_MEMORY,
	};
	unsigned int i, j;
	u64 before[ARRAY_SIZE(refused)], age;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		bool good = true;

		anew();
		plan = planned(tests[i].plan);
		if (tests[i].is_short)
			normal(0)->free = 1100;
		for (j = 0; j < ARRAY_SIZE(refused); j++)
			before[j] = counted(refused[j]);
		pass();
		for (j = 0; j < ARRAY_SIZE(refused); j++)
			good &= counted(refused[j]) - before[j] == (refused[j] == tests[i].counter);
		ok(good, "%s: this reason counts, and no other", tests[i].why);
	}
	anew();
	age = counted(DEFER_CAUSE_AGE);
	pass();
	ok(settles() && counted(DEFER_CAUSE_AGE) == age + 1, "a flush for luf/age_ms counts");
	anew();
	write_knob(&tlbbatch_defer_age_attr, "0");
	age = counted(DEFER_CAUSE_CALL);
	pass();
	call_ends();
	ok(all_well() && counted(DEFER_CAUSE_CALL) == age + 1, "so does one at the end of a call");
	write_knob(&tlbbatch_defer_age_attr, "100");
	anew();
	age = counted(DEFER_CAUSE_FULL);
	normal(0)->free = 1600;
	plan.nr = 150;
	pass();
	pass();
	ok(counted(DEFER_CAUSE_FULL) == age + 1, "so does one that makes room");
	ok(settles(), "all are freed");
}

static void test_kernels(void)
{
	unsigned int nr, memory = sim_allocated();

	sim_xenpv = true;
	ok_int(on(&tlbbatch_defer), -EOPNOTSUPP, "D8: Xen PV flushes for this guest");
	sim_xenpv = false;
	sim_notifiers = 2;
	ok_int(on(&tlbbatch_defer), -ENOMEM, "no memory for the last notifier");
	ok(nothing_attached() && !sim_oom && !sim_memory && !sim_pm, "nothing is left of that");
	sim_notifiers = 100;
	for (nr = 1; nr <= 8; nr++) {
		sim_fail_alloc(nr);
		ok(on(&tlbbatch_defer) == -ENOMEM, "no memory for thing %u of 8", nr);
		ok(nothing_attached() && sim_allocated() == memory, "nothing is left of that");
	}
	sim_fail_alloc(0);
}

int main(void)
{
	defer_world_init();
	anew();
	ok_int(sim_load(), 0, "it loads");
	test_kernels();
	ok_int(on(&tlbbatch_defer), 0, "on");
	test_nodes();
	test_groups();
	test_no_file();
	test_last_moment();
	test_barriers();
	test_knobs();
	test_cpus();
	test_notifiers();
	test_counted();
	ok_int(off(&tlbbatch_defer), 0, "off");
	sim_unload();
	return hook_world_done();
}
