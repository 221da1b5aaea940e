// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batching, with the module's own files and a kernel that is made up: many passes at once, the
 * tripwire (rule B4), the second look (rule B7), and the knobs. See batch_counts.c, too.
 */
#include "batch_world.h"
#include "pass/pass_calls.h"
#include "core/feature.h"

/* --- rules B15 and B20: does any pass owe a flush? -------------------------------------- */

#define CROWD	4096

static struct reclaimer crowd[CROWD];

static void test_owes(void)
{
	static struct folio waiting[CROWD];
	unsigned int nr = tlbbatch_nr_passes(), open = 0, unseen = 0, stale = 0, slot, i;

	anew(8);
	for (i = 0; i < CROWD; i++) {
		crowd[i].task = (struct task_struct){ .pid = 100 + i, .start_boottime = 100 };
		pass_begin(&crowd[i]);
	}
	for (slot = 0; slot < nr; slot++)
		open += !!tlbbatch_passes.owners[slot];
	ok_int(open, nr, "each slot has a pass");
	ok_int(counted(TLBBATCH_PASSES_UNBATCHED), CROWD - nr, "B19: a pass without one is counted");
	for (slot = 0; slot < nr; slot++) {
		current = tlbbatch_passes.owners[slot];
		stale += tlbbatch_contexts_owe();
		unmap_dirty();
		current = &admin;
		unseen += !tlbbatch_contexts_owe();
		current = tlbbatch_passes.owners[slot];
		tlbbatch_hook_try_to_unmap_flush();
	}
	ok_int(unseen, 0, "B15, B20: of many passes any one that owes a flush is seen");
	ok_int(stale, 0, "B15, B20: none does behind its flush");
	for (slot = 0; slot < nr; slot++) {
		current = tlbbatch_passes.owners[slot];
		waiting[slot] = anon_folio(1);
		reclaim(&waiting[slot]);
	}
	ok_int(tlbbatch_contexts_waiting_folios(), nr,
	       "B13: the folios that wait in all passes are counted");
	for (i = 0; i < CROWD; i++)
		pass_end(&crowd[i]);
	ok_int(tlbbatch_contexts_waiting_folios(), 0, "nobody is in a pass");
}

/* --- rule B4: the tripwire ------------------------------------------------------------------ */

static const struct folio unseen = { .nr = 1 };

/* Somebody's write-out goes by the gates. */
static void trip(struct reclaimer *task)
{
	current = &task->task;
	reclaim_counts(&unseen);
	pass_end(task);
}

static void test_tripwire(void)
{
	struct folio folio = anon_folio(1), late = anon_folio(1);

	anew(8);
	pass_begin(&one);
	pass_begin(&two);
	unmap_dirty();
	ok_int(world.flushes, 0, "a flush is put off");
	trip(&one);
	ok(sim_work && sim_logged("reclaim wrote 1 pages, the hooks saw 0"),
	   "B4: what nobody saw trips, and the log says how much that is");
	current = &two.task;
	world.flushes = 0;
	unmap_dirty();
	ok_int(world.flushes, 1, "B4: then a pass that is open puts no flush off");
	world.flushes = 0;
	reclaim(&late);
	ok(world.flushes == 1 && late.writes == 1, "B4: nor lets a folio wait");
	pass_end(&two);
	pass_begin(&one);
	reclaim(&folio);
	ok(folio.writes == 1 && !counted(TLBBATCH_FOLIOS_DEFERRED),
	   "B4: a pass that begins isn't batched");
	pass_end(&one);
	sim_work->func(sim_work);
	ok(!tlbbatch_knob_enabled(), "B4: enabled goes to 0");

	anew(8);
	pass_begin(&one);
	unmap_dirty();
	ok_int(world.flushes, 0, "B4: switched on again, flushes are put off again");
	pass_end(&one);
	ok(!sim_work, "B4: and nothing trips");
}

static unsigned int flushes_in_wait;
static struct folio waits_in_two;

/* The pass that is waited for goes on, and ends. */
static void two_goes_on(void)
{
	sim_others = NULL;
	current = &two.task;
	world.flushes = 0;
	unmap_dirty();
	flushes_in_wait = world.flushes;
	pass_end(&two);
	current = &admin;
}

static void test_tripped_open(void)
{
	anew(8);
	pass_begin(&one);
	waits_in_two = anon_folio(1);
	pass_begin(&two);
	reclaim(&waits_in_two);
	trip(&one);
	current = &admin;
	sim_others = two_goes_on;
	flushes_in_wait = 0;
	sim_work->func(sim_work);
	ok_int(flushes_in_wait, 1,
	       "B4: as long as a pass is waited for that was open, it puts no flush off");
	ok(waits_in_two.writes == 1 && waits_in_two.freed, "B11: what waits in it is written at its end");
}

static void two_trips(void)
{
	sim_others = NULL;
	trip(&two);
	current = &admin;
}

/* The worker runs, if it is queued, as often as it is. */
static void worker(void)
{
	struct work_struct *work = sim_work;

	sim_work = NULL;
	if (work)
		work->func(work);
}

static void test_trips_twice(void)
{
	anew(8);
	sim_forget();
	pass_begin(&one);
	pass_begin(&two);
	trip(&one);
	current = &admin;
	sim_others = two_trips;
	worker();
	ok(!tlbbatch_knob_enabled() && sim_work, "B4: another pass trips while the worker waits for it");
	ok_int(tlbbatch_knob_set_enabled(1), 0, "B4: it is switched on again");
	worker();
	ok(tlbbatch_knob_enabled(), "B4: and stays on: nothing has tripped since");
	ok_int(sim_times_logged("switched off"), 1, "B4: the log says once that it was switched off");
}

/* Somebody switches batching on again before the worker runs. */
static void test_on_before_worker(void)
{
	struct folio folio = anon_folio(1);

	anew(8);
	sim_forget();
	pass_begin(&one);
	trip(&one);
	current = &admin;
	tlbbatch_feature_on(&tlbbatch_batch);
	pass_begin(&one);
	reclaim(&folio);
	pass_end(&one);
	ok(folio.writes == 1 && !counted(TLBBATCH_FOLIOS_DEFERRED) &&
	   counted(TLBBATCH_PASSES_UNBATCHED) == 1, "B4: no pass is batched before the worker has run");
	current = &admin;
	ok_int(tlbbatch_knob_set_enabled(1), 0, "B4: 1 is written before that");
	ok_int(sim_times_logged("switched off"), 1, "B4: the log says that it was switched off");
	folio = anon_folio(1);
	pass_begin(&one);
	reclaim(&folio);
	ok(counted(TLBBATCH_FOLIOS_DEFERRED) == 1, "B4: then passes are batched again");
	pass_end(&one);
	current = &admin;
	worker();
	ok(tlbbatch_knob_enabled() && sim_times_logged("switched off") == 1,
	   "B4: the worker has nothing to do then");
}

/* Pages that reclaim counts, and that the gates see. */
static void test_pages(void)
{
	struct tlbbatch_file_write write;
	struct folio folio = shmem_folio(2);

	let_wait(&folio);
	ok_int(folio.writes, 1, "a large folio of shmem is written at once");
	pass_end(&one);
	ok(!sim_work, "B4: all of its pages are seen");

	anew(8);
	folio = shmem_folio(1);
	pass_begin(&one);
	tlbbatch_file_write_begin(&write, &folio, 0x1000);
	tlbbatch_file_write_end(&write, 0);
	pass_end(&one);
	ok(!sim_work && !counted(TLBBATCH_FOLIOS_FILE),
	   "B4: a file's folio that is kept isn't written");
	pass_begin(&one);
	tlbbatch_file_write_begin(&write, &folio, 0x1000);
	reclaim_counts(&folio);
	tlbbatch_file_write_end(&write, tlbbatch_pageout_success());
	pass_end(&one);
	ok(!sim_work && counted(TLBBATCH_FOLIOS_FILE) == 1, "B4: one that is written is seen");
}

/* Shmem's write-out splits a large folio, and writes the first part. */
static int splits(struct folio *folio)
{
	folio->nr = 1;
	folio->writes++;
	folio_unlock(folio);
	return 0;
}

static void test_split(void)
{
	struct folio folio = shmem_folio(4);

	anew(8);
	pass_begin(&one);
	world.write = splits;
	reclaim(&folio);
	ok_int(folio.nr, 1, "reclaim counts what is left of a folio that was split");
	pass_end(&one);
	ok(!sim_work, "B4: so does the gate");
}

/* Shmem that has left its file, and comes to the swap write-out by itself. */
static void test_from_elsewhere(void)
{
	struct folio folio = anon_folio(1);

	anew(8);
	folio.anon = false;
	pass_begin(&one);
	reclaim(&folio);
	ok(folio.writes == 1 && !counted(TLBBATCH_FOLIOS_DEFERRED),
	   "B14: shmem that is in the swap cache already doesn't wait");
	pass_end(&one);
}

/* --- the end of a pass ------------------------------------------------------------------------- */

/* Every kernel flushes at the end of a pass, behind all that waits. If one didn't: rule B1. */
static void test_no_last_flush(void)
{
	struct folio folio = anon_folio(1);

	let_wait(&folio);
	tlbbatch_pass_end(tlbbatch_pass_current(), 0);
	ok(folio.writes == 1 && world.flushes == 1, "B1: what waits is flushed before it is written");
	anew(8);
	pass_begin(&one);
	unmap_dirty();
	tlbbatch_pass_end(tlbbatch_pass_current(), 0);
	ok(world.flushes == 1 && !tlbbatch_contexts_owe(), "B2: no pass ends that owes a flush");
}

/* A batch was written and freed; one folio more waits. */
static void test_behind_batch(void)
{
	struct folio folios[3];
	unsigned int i;

	anew(2);
	pass_begin(&one);
	for (i = 0; i < ARRAY_SIZE(folios); i++) {
		folios[i] = anon_folio(1);
		reclaim(&folios[i]);
	}
	ok(folios[0].freed && !folios[2].writes, "a batch is written, and one folio waits behind it");
	ok_int(pass_end(&one), 2, "the pass has reclaimed both that waited");
	ok(folios[2].writes == 1 && folios[2].freed && !tlbbatch_contexts_waiting_folios(),
	   "B11: what waits at the end of a pass that reclaimed something is written, too");
}

static struct tlbbatch_pass_part other_part;
static bool other_saw_acting;

static void other_begins(struct tlbbatch_pass *pass)
{
	other_saw_acting = tlbbatch_context_acts(0);
}

static void other_ends(struct tlbbatch_pass *pass)
{
	other_saw_acting = tlbbatch_context_acts(0);
}

/* A second feature in passes: its passes go on when batching is off. */
static void test_other_part(void)
{
	struct folio folio = anon_folio(1);
	unsigned int i;

	current = &admin;
	tlbbatch_knob_set_enabled(0);
	tlbbatch_passes_exit();
	tlbbatch_passes_add(&other_part);
	if (tlbbatch_passes_init())
		abort();
	tlbbatch_pass_calls(&other_part, other_begins, other_ends);
	anew(8);
	tlbbatch_pass_join(&other_part);
	pass_begin(&one);
	ok(other_saw_acting, "B13: a pass begins for the earlier feature first");
	reclaim(&folio);
	other_saw_acting = false;
	pass_end(&one);
	ok(other_saw_acting, "a pass ends for the later feature first: batching acts still");
	current = &admin;
	tlbbatch_knob_set_enabled(0);
	pass_begin(&one);
	ok(tlbbatch_pass_current() && !tlbbatch_context_acts(0),
	   "H9: batching is off: it doesn't act in the other feature's pass");
	pass_end(&one);
	for (i = 0; i < CROWD; i++)
		pass_begin(&crowd[i]);
	ok_int(counted(TLBBATCH_PASSES_UNBATCHED), 0, "B19: it counts no pass that finds no room");
	for (i = 0; i < CROWD; i++)
		pass_end(&crowd[i]);
	tlbbatch_pass_leave(&other_part);
}

/* --- a folio that waits, and the second look (rule B7) --------------------------------------- */

static void test_refused(void)
{
	struct folio waits = anon_folio(1), refused = anon_folio(1);

	anew(2);
	pass_begin(&one);
	reclaim(&waits);
	world.write = refuses;
	ok_int(reclaim(&refused), AOP_WRITEPAGE_ACTIVATE, "the folio that fills a batch is refused");
	ok_int(waits.writes, 0, "B6, B9: while it is locked no other folio is written");
	pass_end(&one);
	ok_int(waits.writes, 1, "B9: but at the end of the pass");
	ok(!sim_work, "B4: nobody counts what was refused");
}

/* In the same pass. */
static void test_behind_refused(void)
{
	struct folio refused = anon_folio(1), next = anon_folio(1);

	anew(1);
	pass_begin(&one);
	world.write = refuses;
	reclaim(&refused);
	reclaim(&next);
	ok(next.writes == 1 && counted(TLBBATCH_FOLIOS_DIRECT) == 2,
	   "B1: behind a write-out that was refused the next folio comes to its gate");
	pass_end(&one);
	ok(!sim_work, "B4: and is seen there");
}

static void test_demotes(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		bool both = i == 3;

		anew(8);
		world.demotion = i & 1;
		world.lower = i & 2;
		pass_begin(&one);
		pass_end(&one);
		ok(counted(TLBBATCH_PASSES) == !both && counted(TLBBATCH_PASSES_UNBATCHED) == both,
		   "B19: demotion is %s: a pass on a node with %s is%s batched", i & 1 ? "on" : "off",
		   i & 2 ? "a lower one" : "no lower one", both ? "n't" : "");
	}
}

static void test_poison(void)
{
	struct folio folio = anon_folio(4);

	let_wait(&folio);
	folio.tail_poisoned = true;
	pass_end(&one);
	ok(!folio.writes && counted(TLBBATCH_DROPPED_HWPOISON) == 1,
	   "B7: a folio with poison in one of its pages isn't written");
}

/* What may happen to a folio that waits. */
static const struct {
	const char *what;
	size_t flag;
	enum tlbbatch_counter dropped;
} changes[] = {
	{ "mapped", offsetof(struct folio, mapped), TLBBATCH_DROPPED_MAPPED },
	{ "pinned", offsetof(struct folio, pinned), TLBBATCH_DROPPED_PINNED },
	{ "mlocked", offsetof(struct folio, mlocked), TLBBATCH_DROPPED_UNEVICTABLE },
	{ "under writeback", offsetof(struct folio, writeback), TLBBATCH_DROPPED_WRITEBACK },
};

static void test_changes(void)
{
	struct folio folio;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		anew(8);
		folio = anon_folio(1);
		pass_begin(&one);
		reclaim(&folio);
		*(bool *)((char *)&folio + changes[i].flag) = true;
		pass_end(&one);
		ok(!folio.writes && folio.dirty && counted(changes[i].dropped) == 1 && !sim_work,
		   "B7: a folio that is %s isn't written", changes[i].what);
	}
}

/* Rule B12. */
static void dirtied_and_written(struct folio *folio)
{
	folio->writeback = true;
}

/* Behind the write-out, before the lock for the freeing. */
static int written_and_taken(struct folio *folio)
{
	folio->writes++;
	folio_unlock(folio);
	world.at_lock = dirtied_and_written;
	return 0;
}

static void test_freed(void)
{
	struct folio folio = anon_folio(1);

	let_wait(&folio);
	world.write = written_and_taken;
	ok(!pass_end(&one) && folio.writes == 1 && !world.at_lock, "a folio is written");
	ok(!folio.freed && folio.mapping && !folio.locked,
	   "B12: one that is being written again before its lock is taken isn't freed");
}

static int written_and_locked(struct folio *folio)
{
	folio->writes++;
	folio_unlock(folio);
	/* By somebody else. */
	folio->locked = true;
	return 0;
}

static void test_freed_locked(void)
{
	struct folio folio = anon_folio(1);

	let_wait(&folio);
	world.write = written_and_locked;
	ok(!pass_end(&one) && folio.writes == 1 && !folio.freed, "a folio is written, and is in use");
	ok_int(folio.refs, 2, "B5: one that somebody else has locked keeps no reference of the batch's");
}

/* --- knobs ------------------------------------------------------------------------------------ */

static void one_ends(void)
{
	struct task_struct *sleeper = current;

	sim_others = NULL;
	pass_end(&one);
	current = sleeper;
}

static void one_trips(void)
{
	struct task_struct *sleeper = current;

	current = &one.task;
	reclaim_counts(&unseen);
	current = sleeper;
	one_ends();
}

static void test_turnover(void)
{
	struct folio waits = anon_folio(1);

	let_wait(&waits);
	current = &admin;
	sim_others = one_ends;
	ok_int(tlbbatch_knob_set_batch_size(4), 0, "batch_size is written");
	ok(!tlbbatch_contexts_waiting_folios() && waits.writes == 1,
	   "B18: no pass has the old one when that returns");
}

static unsigned int size_at_barrier;

static void look_at_size(void)
{
	size_at_barrier = tlbbatch_knob_batch_size();
}

static void test_size_barrier(void)
{
	anew(8);
	sim_at_barrier = look_at_size;
	tlbbatch_knob_set_batch_size(4);
	ok(!sim_at_barrier && size_at_barrier == 4,
	   "B18: it is written before a full barrier, and only then are passes looked for");
	sim_at_barrier = NULL;
}

/* Rule H2: a kernel without something that batching needs. */
static void test_lacks(void)
{
	static const char *const names[] = {
		"numa_demotion_enabled", "target_mem_cgroup", "PAGE_SUCCESS", "flush_tlb_all" };
	const char *missing;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		world.lacks = names[i];
		missing = tlbbatch_batch_find();
		ok(missing && (i == 3 || strstr(missing, names[i])), "H2: batching needs %s, and says so", names[i]);
		world.lacks = NULL;
	}
	ok(!tlbbatch_batch_find(), "H2: and nothing else is amiss");
}

static void test_exit(void)
{
	anew(8);
	pass_begin(&one);
	current = &admin;
	sim_others = one_trips;
	tlbbatch_knobs_exit();
	ok(!sim_others, "at the end each pass is waited for");
	ok(!sim_work, "B4, H13: one that trips meanwhile leaves no work behind");
}

int main(void)
{
	world_init();
	test_owes();
	test_tripwire();
	test_tripped_open();
	test_trips_twice();
	test_on_before_worker();
	test_pages();
	test_split();
	test_from_elsewhere();
	test_refused();
	test_behind_refused();
	test_demotes();
	test_poison();
	test_changes();
	test_freed();
	test_freed_locked();
	test_turnover();
	test_size_barrier();
	test_lacks();
	test_exit();
	test_no_last_flush();
	test_behind_batch();
	test_other_part();
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
