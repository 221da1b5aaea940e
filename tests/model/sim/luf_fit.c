// SPDX-License-Identifier: GPL-2.0-only
/* What fits into the bookkeeping, and what becomes of what doesn't. See luf_rules.c. */
#include "luf_world.h"

/* --- rule L14: what doesn't fit ----------------------------------------------------------------- */

static void test_fit(void)
{
	struct folio large = { .mapping = &file_a, .pfn = 512, .nr = 512 };
	unsigned int i;

	anew();
	generation(&file_a, SIM_FRAMES - 2, 4, ON(0) | ON(1));
	want("L14: memory that was plugged in later", "generation=1 untracked=1 "
	     "untracked_as_posted=1");
	generation(&file_a, SIM_FRAMES - 2, 2, ON(0) | ON(1));
	want("L14: up to the last frame there is room", "generation=1 open=1 open_as_posted=1");
	anew();
	for (i = 0; i < 2; i++) {
		current = &reclaimer;
		pass_begin();
		unmap_folio(&large, ON(0) | ON(1));
		flush_a();
		want("L14: large folios, where the kernel frees them behind the flush, and before",
		     i ? "generation=1 untracked=1 untracked_as_posted=1" :
			 "generation=1 open=1 open_as_posted=1 unmaps_readonly=1 unmaps_mixed=0");
		alloc(612, 0);
		want("L9: a page in the middle of it is used again",
		     i ? "" : "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
		world_lacks = "free_unref_folios";
		tlbbatch_luf_events_find();
	}
	world_lacks = NULL;
	tlbbatch_luf_events_find();
	large.mapping = NULL;
	large.anon = true;
	current = &reclaimer;
	pass_begin();
	unmap_folio(&large, ON(0) | ON(1));
	flush_a();
	want("a large folio is one unmap", "unmaps_mixed=1 unmaps_readonly=0 flushes_mixed=1");
	large.mapping = &file_a;
	large.anon = false;
	anew();
	current = &reclaimer;
	pass_begin();
	for (i = 0; i < 15 * TLBBATCH_LUF_CHUNKS_EACH; i++)
		unmap(&file_a, 2 * i, 1, ON(0) | ON(1));
	flush_a();
	want("L14: as many ranges as fit", "generation=1 open=1 open_as_posted=1");
	alloc(0, 0);
	want("L9: the first of them is used again",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	anew();
	current = &reclaimer;
	pass_begin();
	for (i = 0; i <= 15 * TLBBATCH_LUF_CHUNKS_EACH; i++)
		unmap(&file_a, 2 * i, 1, ON(0) | ON(1));
	flush_a();
	want("L14: one more", "generation=1 untracked=1 untracked_as_posted=1");
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 0, TLBBATCH_LUF_PAGES_EACH, ON(0) | ON(1));
	flush_a();
	want("L14: as many pages as fit", OPENED);
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 0, TLBBATCH_LUF_PAGES_EACH + 1, ON(0) | ON(1));
	flush_a();
	want("L14: too many pages", "generation=1 untracked=1 untracked_as_posted=1");
	anew();
	current = &reclaimer;
	pass_begin();
	/* None is another one's neighbour. */
	for (i = 0; i <= TLBBATCH_LUF_PAGES_EACH / large.nr; i++) {
		large.pfn = 2 * large.nr * i;
		unmap_folio(&large, ON(0) | ON(1));
	}
	flush_a();
	want("L14: too many pages, of large folios", "generation=1 untracked=1 untracked_as_posted=1");
	world_lacks = "madvise_guard_install";
	ok_str(tlbbatch_luf_events_find() ?: "nothing", world_lacks, "L11: it is required if there is one");
	world_lacks = NULL;
}

/* Structs of the kernel that aren't as they are expected. */
static void test_structs(void)
{
	static const char *const members[][2] = {
		{ "mm", "flush_tlb_info" }, { "new_tlb_gen", "flush_tlb_info" },
		{ "initiating_cpu", "flush_tlb_info" }, { "is_lazy", "tlb_state_shared.is_lazy" },
		{ "old", "pagetable_move_control.old" }, { "vma", "madvise_guard_install" } };
	static const char *const structs[] = { "pagetable_move_control", "madvise_behavior" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		world_lacks = members[i][0];
		ok(tlbbatch_luf_events_find(), "H2: tracking needs %s", members[i][0]);
		ok_str(tlbbatch_luf_events_find() ?: "nothing", members[i][1], "H2: and says so");
	}
	world_lacks = NULL;
	for (i = 0; i < ARRAY_SIZE(structs); i++) {
		world_no_struct = structs[i];
		ok_str(tlbbatch_luf_events_find() ?: "nothing", "nothing",
		       "H2: what an older kernel doesn't have isn't needed there");
	}
	world_no_struct = NULL;
	world_lazy_at = 8;
	ok_str(tlbbatch_luf_events_find() ?: "nothing", "tlb_state_shared.is_lazy",
	       "L6: is_lazy must be where it is read");
	world_lazy_at = 0;
	ok(!tlbbatch_luf_events_find(), "H2: and nothing else is amiss");
}

/* Unmaps of several chunks are flushed for without the module's knowledge, and then one more. */
static void forgotten_unmaps(void)
{
	unsigned int i;

	current = &reclaimer;
	pass_begin();
	for (i = 0; i < 40; i++)
		unmap(&file_a, 2 * i, 1, ON(0) | ON(1));
	current->tlb_ubc = (struct tlbflush_unmap_batch){ };
	unmap(&file_a, 200, 1, ON(0) | ON(1));
	flush_a();
}

static void test_reset(void)
{
	unsigned int i;

	anew();
	forgotten_unmaps();
	want("a generation is open", OPENED);
	for (i = 0; i < 40; i++)
		alloc(2 * i, 0);
	want("L14: it has only the pages that its flush was needed for", "");
	alloc(200, 0);
	want("L9: one of which is used again",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	/* More chunks than there are. */
	for (i = 0; i < TLBBATCH_LUF_CHUNKS / 2; i++) {
		release(200, 1);
		forgotten_unmaps();
		alloc(200, 0);
	}
	want("L14: the chunks of the others are given back", "generation=8192 needed=8192 "
	     "needed_as_posted=8192");
}

/* An unmap that leaves nothing to flush, in a list of one chunk, and then very many. */
static void test_reset_one(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 1, 0);
	unmap(&file_a, 200, 1, ON(0) | ON(1));
	flush_a();
	want("a generation is open", OPENED);
	alloc(100, 0);
	want("L14: a list of one chunk has only what its flush was needed for, too", "");
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 0, TLBBATCH_LUF_PAGES_EACH, 0);
	unmap(&file_a, 50000, 1, ON(0) | ON(1));
	flush_a();
	want("L14: pages of which nothing was to be flushed take no room", OPENED);
	anew();
}

/*
 * Generations that are open in the posted model alone make room for younger ones. They are
 * opened by one CPU, or by CPUs of all parts in turn.
 */
static void test_chunks_tight(bool in_turn)
{
	const unsigned int ranges = 15 * 8, most = TLBBATCH_LUF_CHUNKS / 8;
	unsigned int i, nr, parts;

	anew();
	parts = tlbbatch_luf_nr_shards();
	for (nr = 0; nr < most; nr++) {
		sim_cpu = in_turn ? nr % parts * (SIM_CPUS / parts) : 0;
		current = &reclaimer;
		pass_begin();
		for (i = 0; i < ranges; i++)
			unmap(&file_a, 2 * i, 1, ON(0) | ON(1));
		flush_a();
		/* On both CPUs: saved, but not as posted, where one mm's flush isn't enough. */
		both_flush_mm_a();
	}
	sim_cpu = 0;
	tlbbatch_luf_settle();
	ok_int(stat_of("open"), 0, "each is saved");
	ok(stat_of("open_as_posted") && stat_of("open_as_posted") <= 3 * most / 4,
	   "L14: a quarter of the page lists is kept free of those that are open as posted alone");
	ok(stat_of("open_as_posted") > 5 * most / 8,
	   "L14: and no more than that: %lld", stat_of("open_as_posted"));
	anew();
}

#define SEVERAL	40

/* Nobody reads anything: flushes alone find out what is covered. */
static void test_sweep(void)
{
	unsigned int i;

	anew();
	for (i = 0; i < SEVERAL; i++)
		generation(&file_a, 100 + 2 * i, 1, ON(0) | ON(1));
	both_flush_mm_a();
	for (i = 0; i < SEVERAL; i++)
		generation(NULL, 1000, 1, ON(2));
	ok_int(tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL), 0,
	       "L14: the flushes of a CPU look at all generations, one after the other");
	anew();
}

/* More than the own part of a CPU that has the last part. */
static void test_chunks_elsewhere(void)
{
	const unsigned int ranges = 15 * TLBBATCH_LUF_CHUNKS_EACH;
	unsigned int i, nr;

	anew();
	for (nr = 0; nr < 4; nr++) {
		sim_cpu = SIM_CPUS - 1;
		current = &reclaimer;
		pass_begin();
		for (i = 0; i < ranges; i++)
			unmap(&file_a, 2 * (nr * ranges + i), 1, ON(0) | ON(1));
		flush_a();
	}
	want("L14: page lists of other CPUs are taken when a CPU's own are in use",
	     "generation=4 open=4 open_as_posted=4");
	anew();
}

/* --- slots: rules L8 and L14 ------------------------------------------------------------- */

static void test_open_on_cpu(void)
{
	anew();
	sim_cpu = 3;
	generation(&file_a, 100, 1, ON(0) | ON(1));
	sim_cpu = 0;
	sim_offline = ON(3);
	ok(tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL) == 1 &&
	   tlbbatch_luf_nr_open(TLBBATCH_LUF_POSTED) == 1,
	   "L8: what was opened on a CPU that has gone is open");
	sim_offline = 0;
}

/* More than there are slots, one after the other: each is given back. */
static void test_slots(void)
{
	unsigned int i;

	anew();
	forget();
	for (i = 0; i < 2 * TLBBATCH_LUF_GENERATIONS; i++) {
		generation(&file_a, 100, 1, ON(0) | ON(1));
		alloc(100, 0);
		release(100, 1);
	}
	want("L8: slots and chunks are given back", "generation=32768 needed=32768 "
	     "needed_as_posted=32768");
	for (i = 0; i < TLBBATCH_LUF_GENERATIONS + 100; i++)
		generation(&file_a, 100 + 2 * i, 1, ON(0) | ON(1));
	want("L14: what doesn't fit is untracked", "generation=16484 open=16384 "
	     "open_as_posted=16384 untracked=100 untracked_as_posted=100");
	both_flush_mm_a();
	want("L14: nothing else is; the posted series' own make room",
	     "open=-16384 saved=16384 ipis_avoided=16384 open_as_posted=-4096 "
	     "untracked_as_posted=4096");
	anew();
}

/* Chunks run out before slots do. But CPUs that race for slots may find none, too. */
static void test_no_slot(unsigned int cpu)
{
	static const struct tlbbatch_luf_files no_files;
	static const struct tlbbatch_luf_pages no_pages;
	const unsigned int full = TLBBATCH_LUF_GENERATIONS;
	const struct cpumask cpus = { { ON(0) | ON(1) } };
	s64 untracked = stat_of("generations_untracked");
	unsigned int i;

	anew();
	sim_cpu = cpu;
	for (i = 0; i < full; i++)
		if (tlbbatch_luf_open(&no_files, &no_pages, cpus.bits, cpus.bits) == full)
			break;
	ok_int(i, full, "each slot can be taken");
	ok_int(tlbbatch_luf_sweep(full - 1, 1), 0, "L14: behind the last slot a sweep begins anew");
	ok_int(tlbbatch_luf_open(&no_files, &no_pages, cpus.bits, cpus.bits), full,
	       "L14: then there is none");
	ok_int(stat_of("generations_untracked") - untracked, 1, "L14: and that counts as untracked");
	tlbbatch_luf_give_up_slot(full - 1, NULL, TLBBATCH_LUF_REASON_HOTPLUG);
	ok_int(tlbbatch_luf_open(&no_files, &no_pages, cpus.bits, cpus.bits), full - 1,
	       "L14: one that has ended is reaped, in whatever part it is");
	tlbbatch_luf_give_up(NULL, TLBBATCH_LUF_REASON_HOTPLUG);
	ok(tlbbatch_luf_open(&no_files, &no_pages, cpus.bits, cpus.bits) < full,
	   "L14: slots of those that have ended are reaped for one that finds none");
	anew();
}

/* A flush looks at a part of all slots, from its CPU's first one on. */
static void test_sweep_elsewhere(void)
{
	unsigned int i;

	anew();
	sim_cpu = SIM_CPUS - 1;
	for (i = 0; i < 40; i++)
		generation(&file_a, 100 + 2 * i, 1, ON(0) | ON(1));
	sim_cpu = 0;
	for (i = 0; i < 40; i++)
		generation(&file_a, 300 + 2 * i, 1, ON(0) | ON(1));
	both_flush_mm_a();
	sim_cpu = SIM_CPUS - 1;
	for (i = 0; i < 40; i++)
		generation(NULL, 1000, 1, ON(2));
	sim_cpu = 0;
	ok_int(tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL), 0, "L14: flushes of any CPU come to all slots");
	forget();
}

/* Memory that was plugged in later has no place in the index. */
static void test_plugged_in(void)
{
	unsigned long nr;

	anew();
	open_one();
	nr = tlbbatch_luf_nr_frames;
	tlbbatch_luf_nr_frames = 256;
	tlbbatch_luf_frames[300] = tlbbatch_luf_frames[100];
	forget();
	ok(tlbbatch_luf_index_empty(300), "L14: what was plugged in later isn't looked up");
	alloc(300, 3);
	want("L14: nor is it when it is allocated", "");
	tlbbatch_luf_frames[300] = 0;
	tlbbatch_luf_nr_frames = nr;
	track(false);
	sim_second_node_end = 1;
	track(true);
	ok_int(tlbbatch_luf_nr_frames, SIM_FRAMES, "L14: the index ends at the highest page of all nodes");
	sim_second_node_end = 0;
	anew();
}

static void reclaim_folio(unsigned long pfn, unsigned int nr)
{
	struct folio folio = { .mapping = &file_a, .pfn = pfn, .nr = nr };

	current = &reclaimer;
	pass_begin();
	unmap_folio(&folio, ON(0) | ON(1));
	flush_a();
}

static void test_large(void)
{
	anew();
	reclaim_folio(SIM_FRAMES - 256, 512);
	want("L14: a large folio whose second half was plugged in later",
	     "generation=1 untracked=1 untracked_as_posted=1");
	world_lacks = "free_unref_folios";
	tlbbatch_luf_events_find();
	reclaim_folio(100, 2);
	want("L14: the smallest large folio, where the kernel frees these before the flush",
	     "generation=1 untracked=1 untracked_as_posted=1");
	reclaim_folio(100, 1);
	want("L14: but not a page", OPENED);
	world_lacks = NULL;
	tlbbatch_luf_events_find();
	anew();
}

/* An allocation that reaches beyond the index. */
static void test_index_end(void)
{
	unsigned long nr;

	anew();
	open_one();
	nr = tlbbatch_luf_nr_frames;
	tlbbatch_luf_nr_frames = 256;
	tlbbatch_luf_frames[256] = tlbbatch_luf_frames[100];
	alloc(252, 3);
	want("L14: an allocation is looked up to the last frame of the index", "");
	tlbbatch_luf_frames[256] = 0;
	tlbbatch_luf_nr_frames = nr;
	anew();
}

/* Those that have ended on another CPU, which reclaims no more. */
static void test_reaped_elsewhere(void)
{
	unsigned int i;

	anew();
	sim_cpu = SIM_CPUS - 1;
	for (i = 0; i < SEVERAL; i++)
		generation(&file_a, 100 + 2 * i, 1, ON(0) | ON(1));
	truncate_a();
	sim_cpu = 0;
	for (i = 0; i < SEVERAL; i++)
		generation(NULL, 1000, 1, ON(2));
	ok_int(tlbbatch_luf_next_used(0), TLBBATCH_LUF_GENERATIONS,
	       "L14: flushes of any CPU reap the slots that they come to");
	anew();
}

static unsigned int nr_settled, nr_reaped;

static void count_settled(struct llist_node *node)
{
	nr_settled++;
}

static void count_reaped(struct llist_node *node)
{
	nr_reaped++;
}

static void test_at_once(void)
{
	static struct llist_node owed[SEVERAL], over[SEVERAL];
	unsigned int i;

	anew();
	for (i = 0; i < SEVERAL; i++) {
		tlbbatch_luf_slot_owes(0, &owed[i]);
		tlbbatch_luf_slot_over(0, &over[i]);
	}
	ok(tlbbatch_luf_slots_reap(0, count_settled, count_reaped), "there may be more");
	ok_int(nr_settled, 8, "L9: a flush settles no more than eight of a part");
	ok_int(nr_reaped, 32, "L14: and reaps no more than 32");
	while (tlbbatch_luf_slots_reap(0, count_settled, count_reaped))
		;
	ok(nr_settled == SEVERAL && nr_reaped == SEVERAL, "L9: in the end each of them is done");
}

#define MOST_OF_PART	1000

/* Nearly all slots of one part, and page lists of as many. */
static void test_one_part_full(void)
{
	unsigned int i;

	anew();
	for (i = 0; i < MOST_OF_PART; i++)
		generation(&file_a, 100 + 2 * i, 1, ON(0) | ON(1));
	both_flush_mm_a();
	want("L14: no room is made while other parts have some", "generation=1000 saved=1000 "
	     "ipis_avoided=1000 open_as_posted=1000");
}

int main(void)
{
	world_init();
	if (!ok(!track(true), "tracking begins"))
		return tap_done();
	test_fit();
	test_structs();
	test_reset();
	test_reset_one();
	test_chunks_tight(false);
	test_chunks_tight(true);
	test_sweep();
	test_chunks_elsewhere();
	test_open_on_cpu();
	test_slots();
	test_sweep_elsewhere();
	test_plugged_in();
	test_large();
	test_at_once();
	test_index_end();
	test_reaped_elsewhere();
	/* What is open then must leave no trace. */
	test_one_part_full();
	test_no_slot(0);
	test_no_slot(SIM_CPUS - 1);
	track(false);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
