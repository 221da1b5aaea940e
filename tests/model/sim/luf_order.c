// SPDX-License-Identifier: GPL-2.0-only
/* What another CPU does between two steps of tracking: rules L8, L9, L11 to L15, L17 and L18. */
#include "luf_world.h"
#include "luf/luf_index.h"
#include "luf/luf_pages.h"
#include "luf/luf_pending.h"

static void reclaim_a(void)
{
	generation(&file_a, 100, 4, ON(0) | ON(1));
}

/* The reclaimer's pass begins, and is given a slot. */
static void begin_slot(void)
{
	current = &reclaimer;
	pass_begin();
	current = &admin;
}

/* It unmaps, on its CPU. */
static void unmap_a(void)
{
	struct task_struct *me = current;

	current = &reclaimer;
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	current = me;
}

static void begin_a(void)
{
	begin_slot();
	unmap_a();
}

static void unmap_and_flush_a(void)
{
	unmap_a();
	flush_a();
}

static unsigned int held;

static void note_spinlocks(void)
{
	held = sim_spinlocks_held;
}

static void note_mutexes(void)
{
	held = sim_mutexes_held();
}

/* --- rule L18: when tracking begins and ends ---------------------------------------------- */

static void end_tracking(void)
{
	tlbbatch_luf_close(true);
}

static void test_close(void)
{
	s64 unseen;

	open_both();
	sim_at_barrier = NULL;
	sim_forget();
	track(false);
	ok(sim_in_order("-memory", "free") && sim_in_order("-cpus", "free"),
	   "H13: hotplug isn't watched any more before what it looks at is freed");
	want("L18: what is open is given up when tracking ends", "open=-2 open_as_posted=-2 "
	     "given_up=2 given_up_as_posted=2 given_up_off=2");
	ok(!sim_memory_notifier && !sim_cpu_up, "hotplug isn't watched any more");
	ok_int(sim_allocated(), 0, "all memory is given back");
	track(true);
	forget();
	/* Between the close and the end of what is watched; the first barrier is in the close. */
	tlbbatch_luf_close(true);
	unseen = stat_of("passes_unseen");
	reclaim_a();
	want("L18: then none begins", "");
	ok(!has_slot(&reclaimer), "L15: and no task gets a slot, whose exit might go unseen");
	ok_int(stat_of("passes_unseen"), unseen, "its pass isn't one that found no slot");
	tlbbatch_luf_close(false);
	reclaim_a();
	want("L18: until tracking goes on", "generation=1 open=1 open_as_posted=1");
	anew();
	sim_at_barrier = reclaim_a;
	tlbbatch_luf_close(true);
	want("L18: none begins meanwhile", "");
	tlbbatch_luf_close(false);
	anew();
	begin_a();
	tlbbatch_luf_close(true);
	flush_a();
	want("L18: a pass that was open is hit", BORN_HIT);
	tlbbatch_luf_close(false);
	anew();
	begin_slot();
	sim_at_barrier = unmap_a;
	tlbbatch_luf_close(true);
	flush_a();
	want("L18: so is one that unmaps meanwhile", BORN_HIT);
	tlbbatch_luf_close(false);
	anew();
	begin_slot();
	tlbbatch_luf_close(true);
	unmap_a();
	flush_a();
	want("L18: one that unmaps later sees that tracking is closed", STILLBORN "given_up_off=1");
	tlbbatch_luf_close(false);
	/* One that begins while what is open is given up, in a slot that was looked at. */
	open_both();
	truncate_a();
	tlbbatch_luf_settle();
	forget();
	begin_slot();
	sim_at_rmb = unmap_and_flush_a;
	tlbbatch_luf_close(true);
	want("L18: nor does one that begins while the table is walked",
	     "generation=1 open=-1 open_as_posted=-1 given_up=2 given_up_as_posted=2 given_up_off=2");
	tlbbatch_luf_close(false);
	sim_at_look = end_tracking;
	reclaim_a();
	want("L18: nor does one that has been asked before", BORN_HIT);
	tlbbatch_luf_close(false);
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	current = &admin;
	track(false);
	track(true);
	ok(!tlbbatch_luf_interesting(&file_a), "a file is of no interest when all is forgotten");
	anew();
}

static void test_begin(void)
{
	unsigned int i;

	/* The first time since load, too: no test has switched it off up to now. */
	for (i = 0; i < 2; i++) {
		if (i)
			track(false);
		world_attaches = reclaim_a;
		ok_int(track(true), 0, "tracking begins");
		want("L18: while it does no generation begins", "");
		ok(!has_slot(&reclaimer), "L15: and no task gets a slot");
	}
	reclaim_a();
	want("L18: but then one does", OPENED);
	/* It is refused once, and then it begins. */
	track(false);
	sim_init_on_free = true;
	ok_int(track(true), -EOPNOTSUPP, "tracking is refused");
	sim_init_on_free = false;
	forget();
	world_attaches = reclaim_a;
	ok_int(track(true), 0, "then it begins");
	want("L18: no generation begins too early behind a refusal", "");
	ok(!has_slot(&reclaimer), "L15: nor does a task get a slot");
	anew();
}

/* --- rules L15, L17, H13: locks -------------------------------------------------------------- */

static void test_locked(void)
{
	anew();
	begin_a();
	current = &reclaimer;
	reclaimer.flags |= PF_EXITING;
	held = 0;
	/* When its pages are given back, under the lock of these, too. */
	sim_at_release = note_spinlocks;
	CALL("exit_files", current, 0, 0);
	reclaimer.flags &= ~PF_EXITING;
	current = &admin;
	ok_int(held, 2, "L15: who exits gives his slot back under its lock");
	anew();
	open_one();
	held = 0;
	sim_at_acquire = note_mutexes;
	tlbbatch_luf_settle();
	ok_int(held, 1, "H13: who reads holds the mutex: the tables don't go meanwhile");
	sim_at_acquire = NULL;
}

/* --- rules L8 and L14: a slot that is taken again ----------------------------------------------- */

static void test_given_back(void)
{
	anew();
	generation(&file_a, 100, 2, ON(0) | ON(1));
	truncate_a();
	sim_at_cmpxchg = other_generation;
	tlbbatch_luf_settle();
	ok(!sim_at_cmpxchg, "a slot is taken while another one is given back");
	sim_pages[300].refs = 1;
	forget();
	both_flush_mm_a();
	want("L8: whoever takes a slot has its pages to himself", "open=-1 needed=1");
	sim_pages[300].refs = 0;
}

static unsigned int releases, open_then;

static bool is_second(void (*again)(void))
{
	if (++releases == 2)
		return true;
	open_then = tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL);
	sim_at_release = again;
	return false;
}

static void settle_shards(void)
{
	unsigned int shard;

	for (shard = 0; shard < tlbbatch_luf_nr_shards(); shard++)
		tlbbatch_luf_settle_shard(shard);
}

static void end_at_second(void)
{
	if (!is_second(end_at_second))
		return;
	truncate_a();
	settle_shards();
}

/* When its word is there in the second model, too, it ends, and is reaped. */
static void test_reaped_at_once(void)
{
	anew();
	begin_a();
	releases = 0;
	sim_at_release = end_at_second;
	flush_a();
	ok_int(open_then, 1, "L8: a generation is counted before others see it");
	ok(releases == 2 && tlbbatch_luf_next_used(0) == TLBBATCH_LUF_GENERATIONS,
	   "L8: one that ends as it is published is reaped");
	ok(!tlbbatch_luf_frames[100] && !tlbbatch_luf_frames[103],
	   "L9: then none of its pages leads to the slot");
	forget();
}

static void use_at_second(void)
{
	if (is_second(use_at_second))
		alloc(100, 0);
}

static void test_used_at_once(void)
{
	anew();
	begin_a();
	releases = 0;
	sim_at_release = use_at_second;
	flush_a();
	want("L9: one whose page is used as soon as it is published",
	     "generation=1 needed=1 needed_as_posted=1");
}

/* The reader has read the count of CPU 0. */
static void opens_and_ends(unsigned int cpu)
{
	if (cpu != 1)
		return;
	sim_at_cpu = NULL;
	reclaim_a();
	sim_cpu = 1;
	truncate_a();
	sim_cpu = 0;
}

static void test_read_meanwhile(void)
{
	anew();
	sim_at_cpu = opens_and_ends;
	ok_int(tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL), 0,
	       "L8: no number of open generations is below zero");
	ok(!sim_at_cpu, "one began behind the reader, and ended in front of it");
	forget();
}

static void test_published(void)
{
	anew();
	begin_a();
	sim_at_release = truncate_a;
	flush_a();
	want("L8: whoever sees it open sees which CPUs it waits for", STILLBORN "given_up_truncated=1");
	tlbbatch_luf_settle();
	truncate_a();
	tlbbatch_luf_settle();
	ok(!tlbbatch_luf_interesting(&file_a) &&
	   tlbbatch_luf_next_used(0) == TLBBATCH_LUF_GENERATIONS,
	   "L8: one that ends as it is published gives all back");
	forget();
}

/* The slot of the generation that ended is reaped, and has one of file_b. */
static void slot_of_b(void)
{
	settle_shards();
	generation(&file_b, 300, 2, ON(5));
}

static void end_and_take_again(void)
{
	truncate_a();
	slot_of_b();
}

static void look_for_slots(void)
{
	sim_at_acquire = end_and_take_again;
}

/* An event has met the passes. When it looks at the first slot, that is taken again. */
static void test_event_on_old(void)
{
	anew();
	generation(&file_a, 100, 2, ON(0) | ON(1));
	forget();
	sim_at_barrier = look_for_slots;
	truncate_a();
	ok(!sim_at_acquire, "the slot is taken again while an event looks at it");
	want("L11: an event leaves a slot alone that holds another file's pages by then",
	     "generation=1 given_up=1 given_up_as_posted=1 given_up_truncated=1");
	anew();
}

static u16 slot;
static unsigned int nr_then;

static void slot_again(void)
{
	slot_of_b();
	if (tlbbatch_luf_frames[300] != slot)
		sim_breach("the slot isn't taken again");
	nr_then = tlbbatch_luf_nr_open(TLBBATCH_LUF_POSTED);
}

/* The first list is that of what is owed. */
static void owed_then(void)
{
	sim_at_list = slot_again;
}

static void test_over(void)
{
	anew();
	generation(&file_a, 100, 2, ON(0) | ON(1));
	sim_at_list = slot_of_b;
	truncate_a();
	ok(!sim_at_list && tlbbatch_luf_interesting(&file_b) && !tlbbatch_luf_interesting(&file_a),
	   "L11: one that is over has given its files back before its slot is taken again");
	forget();
	anew();
	/*
	 * An older one on another CPU. The younger one is covered in the eyes of an ideal LUF.
	 * The posted series flushes for a page of it.
	 */
	generation(&file_b, 200, 2, ON(5));
	generation(&file_a, 100, 2, ON(0) | ON(1));
	both_flush_mm_a();
	forget();
	slot = tlbbatch_luf_frames[100];
	sim_at_list = owed_then;
	alloc(100, 0);
	tlbbatch_luf_settle();
	ok(!sim_at_list, "the slot is taken again while LUF flushes");
	ok_int(tlbbatch_luf_nr_open(TLBBATCH_LUF_POSTED), nr_then,
	       "L9: the posted series flushes on the CPUs of the one that ended alone");
	forget();
}

/* Reclaim elsewhere finds on the list what is owed as soon as it is there. */
static void test_settled_at_once(void)
{
	anew();
	generation(&file_b, 200, 2, ON(5));
	generation(&file_a, 100, 2, ON(0) | ON(1));
	forget();
	sim_at_list = settle_shards;
	alloc(100, 0);
	want("L9: what is owed says which generations LUF flushes for before it is listed",
	     "open=-2 needed=1 saved=1 ipis_avoided=1 open_as_posted=-1 needed_as_posted=1");
	anew();
}

static void slot_of_many(void)
{
	settle_shards();
	generation(&file_b, 300, 2, ON(5) | ON(6) | ON(7));
	if (tlbbatch_luf_frames[300] != slot)
		sim_breach("the slot isn't taken again");
}

/* It is over, and its slot is taken at once. */
static void test_counted_first(void)
{
	anew();
	generation(&file_a, 100, 2, ON(1));
	slot = tlbbatch_luf_frames[100];
	atomic_set(&mm_a.tlb_flush_batched, 5);
	pending_flush(&mm_a, 0);
	atomic_set(&mm_a.tlb_flush_batched, 0);
	sim_at_list = slot_of_many;
	want("L8: one that is saved is counted before its slot is taken again",
	     "generation=2 open=1 open_as_posted=1 saved=1 saved_as_posted=1 ipis_avoided=1 "
	     "ipis_avoided_as_posted=1");
	sim_at_list = NULL;
	anew();
}

/* --- rules L12 and L13: a file of interest ----------------------------------------------------- */

static void test_file_first(void)
{
	anew();
	begin_slot();
	sim_at_add = truncate_a;
	unmap_a();
	ok(!sim_at_add, "an event comes as a file becomes of interest");
	flush_a();
	want("L12: the pass has that file by then", BORN_HIT);
}

/* --- rule L17: a walk that has left its list --------------------------------------------------- */

static unsigned int seen_gone;

static bool look_for_gone(unsigned long pfn, unsigned int nr, void *data)
{
	for (; nr; nr--, pfn++)
		seen_gone += sim_pages[pfn].gone;
	return true;
}

/* Walks that have come to any chunk. */
static void walk(void)
{
	struct tlbbatch_luf_pages strayed = { };

	for (strayed.first = 1; strayed.first <= TLBBATCH_LUF_CHUNKS; strayed.first++)
		tlbbatch_luf_pages_all(&strayed, look_for_gone, NULL);
	/* Behind each range that is added. */
	sim_at_release = walk;
}

static void test_strayed(void)
{
	unsigned long pfn;

	anew();
	leave_gone_chunks();
	seen_gone = 0;
	begin_slot();
	walk();
	current = &reclaimer;
	for (pfn = 300; pfn < 380; pfn += 2)
		unmap(&file_a, pfn, 1, ON(0) | ON(1));
	sim_at_release = NULL;
	flush_a();
	ok_int(seen_gone, 0, "L17: a chunk that is used again has none of its old pages, not for a moment");
}

/* Where free chunks follow each other, a walk that strayed must end all the same. */
static unsigned int steps;

static void count_step(void)
{
	steps++;
	sim_at_acquire = count_step;
}

static void test_strayed_ends(void)
{
	struct tlbbatch_luf_pages strayed = { .first = 1 };

	anew();
	sim_at_acquire = count_step;
	steps = 0;
	tlbbatch_luf_pages_all(&strayed, look_for_gone, NULL);
	sim_at_acquire = NULL;
	ok(steps && steps <= 2 * TLBBATCH_LUF_CHUNKS_EACH,
	   "L17: a walk that has left its list ends after so many chunks as one can have");
}

int main(void)
{
	world_init();
	test_begin();
	test_close();
	test_locked();
	test_given_back();
	test_published();
	test_reaped_at_once();
	test_used_at_once();
	test_read_meanwhile();
	test_over();
	test_event_on_old();
	test_settled_at_once();
	test_counted_first();
	test_file_first();
	test_strayed();
	test_strayed_ends();
	track(false);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
