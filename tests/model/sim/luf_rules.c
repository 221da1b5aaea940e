// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does LUF tracking keep its rules? The module's own files track a kernel that is made up, one step
 * after the other, and every counter is compared with the right answer. What two CPUs do at once
 * is played at the very place where the order matters.
 */
#include "luf_world.h"

/* --- rule L2: which unmaps are read-only ------------------------------------------------ */

static bool is_readonly(struct folio folio, int writable)
{
	s64 before = stat_of("unmaps_readonly"), mixed = stat_of("unmaps_mixed");
	bool readonly;

	folio.pfn = 50;
	folio.nr = 1;
	file_a.writably_mapped = writable;
	current = &reclaimer;
	pass_begin();
	unmap_folio(&folio, ON(0) | ON(1));
	flush();
	pass_end();
	current = &admin;
	file_a.writably_mapped = 0;
	readonly = stat_of("unmaps_readonly") - before == 1;
	ok(readonly == (stat_of("unmaps_mixed") == mixed), "an unmap is one or the other");
	return readonly;
}

static struct address_space swap_space, no_host;

static void test_recognise(void)
{
	anew();
	ok(is_readonly((struct folio){ .mapping = &file_a }, 0), "L2: a file's page");
	ok(!is_readonly((struct folio){ .mapping = &file_a }, 1), "L2: not if it is mapped writably");
	ok(!is_readonly((struct folio){ .anon = true, .mapping = &file_a }, 0), "L2: not if anonymous");
	swap_space = file_a;
	ok(!is_readonly((struct folio){ .swapcache = true, .mapping = &swap_space }, 0),
	   "L2: not in the swap cache");
	ok(!is_readonly((struct folio){ .mapping = NULL }, 0), "L2: not without a mapping");
	ok(!is_readonly((struct folio){ .mapping = &no_host }, 0), "L2: not without an inode");
}

static void map_writably(void)
{
	file_a.writably_mapped = 1;
}

/* The file is mapped writably behind the first look, before it is of interest. */
static void test_recognise_race(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	sim_at_writers = map_writably;
	unmap(&file_a, 100, 1, ON(0) | ON(1));
	flush();
	pass_end();
	current = &admin;
	file_a.writably_mapped = 0;
	want("L2: it is looked at once more when the file is of interest", "");
}

/* --- rules L5 and L7: what covers ---------------------------------------------------------------- */

static void test_coverage(void)
{
	anew();
	open_one();
	part_flush(&mm_a, 0, 1);
	part_flush(&mm_a, 1, 0);
	want("L5: single pages cover nothing", "");
	traced_flush(0, TLB_REMOTE_SEND_IPI, TLB_FLUSH_ALL);
	traced_flush(1, TLB_REMOTE_SEND_IPI, TLB_FLUSH_ALL);
	want("L5: nor does what is only sent", "");
	mm_flush(&mm_b, 3, 3);
	want("L5: nor does a flush of another CPU", "");
	mm_flush(&mm_a, 0, 0);
	want("L5: one of two CPUs isn't enough", "");
	anew();
	open_one();
	mm_flush(&mm_a, 1, 0);
	want("L5: nor is the other one", "");
	mm_flush(&mm_a, 0, 0);
	want("both are", "open=-1 saved=1 ipis_avoided=1");
	anew();
	open_one();
	both_flush_mm_a();
	want("L5: both are; L7: the posted series doesn't know of it",
	     "open=-1 saved=1 ipis_avoided=1");
	pending_flush(&mm_a, 0);
	want("L7: but it knows of flush_tlb_batched_pending()", "");
	atomic_set(&mm_a.tlb_flush_batched, 5 << 16 | 5);
	pending_flush(&mm_a, 0);
	want("L7: which doesn't flush what a batch has flushed", "");
	atomic_set(&mm_a.tlb_flush_batched, 5);
	pending_flush(&mm_a, 0);
	want("L7: if that flushes", "open_as_posted=-1 saved_as_posted=1 ipis_avoided_as_posted=1");

	/* It begins; another flush, which the same CPU sends, comes in between. */
	open_one();
	CALL("flush_tlb_batched_pending", &mm_a, 0, 0);
	atomic64_inc_return(&mm_a.context.tlb_gen);
	mm_flush(&mm_a, 1, 0);
	mm_flush(&mm_a, 0, 0);
	want("L7: another flush of that mm isn't it", "open=-1 saved=1 ipis_avoided=1");
	anew();
	open_one();
	CALL("flush_tlb_batched_pending", &mm_a, 0, 0);
	mm_b.context.tlb_gen = mm_a.context.tlb_gen;
	mm_flush(&mm_b, 1, 0);
	mm_b.context.tlb_gen = mm_a.context.tlb_gen;
	mm_flush(&mm_b, 0, 0);
	want("L7: nor is one of another mm", "open=-1 saved=1 ipis_avoided=1");
	anew();
	open_one();
	CALL("flush_tlb_batched_pending", &mm_a, 0, 0);
	mm_a.context.ctx_id = 3;
	mm_flush(&mm_a, 1, 0);
	mm_a.context.tlb_gen.counter--;
	mm_flush(&mm_a, 0, 0);
	mm_a.context.ctx_id = 1;
	want("L7: nor is one of a new mm with its address", "open=-1 saved=1 ipis_avoided=1");
	anew();
	open_one();
	mm_a.context.tlb_gen.counter = 1LL << 32;
	pending_flush(&mm_a, 0);
	want("L7: it is known however often the mm was flushed",
	     "open=-1 saved=1 ipis_avoided=1 open_as_posted=-1 saved_as_posted=1 "
	     "ipis_avoided_as_posted=1");
	anew();
	open_one();
	lazy(1, true);
	pending_flush(&mm_a, 0);
	lazy(1, false);
	want("L7: a lazy CPU isn't interrupted by it, and owes nothing",
	     "open=-1 saved=1 ipis_avoided=1 open_as_posted=-1 saved_as_posted=1 "
	     "ipis_avoided_as_posted=1");
	mm_flush(&mm_a, 1, 0);
	atomic_set(&mm_a.tlb_flush_batched, 0);
}

static void end_on_1(void)
{
	traced_flush(1, TLB_REMOTE_SHOOTDOWN, TLB_FLUSH_ALL);
}

static void test_coverage_young(void)
{
	struct { struct mm_struct *mm; u64 start, end, gen; unsigned int from; } info = {
		.mm = &mm_a, .from = 0 };
	unsigned int i;

	anew();
	sim_cpu = 1;
	CALL("flush_tlb_func", &info, 0, 0);
	sim_cpu = 0;
	generation(&file_a, 100, 4, ON(1));
	want("it begins while a CPU flushes", OPENED);
	/* The sender's flush of a batch on that CPU has replaced what it knows: begin again. */
	sim_cpu = 1;
	CALL("flush_tlb_func", &info, 0, 0);
	sim_cpu = 0;
	generation(&file_a, 110, 4, ON(2));
	traced_flush(1, TLB_REMOTE_SHOOTDOWN, TLB_FLUSH_ALL);
	want("L5: a flush covers what is older", "generation=1 open_as_posted=1 saved=1 "
	     "ipis_avoided=1");
	sim_cpu = 2;
	CALL("flush_tlb_func", &info, 0, 0);
	sim_cpu = 0;
	generation(&file_a, 120, 4, ON(3));
	traced_flush(3, TLB_REMOTE_SHOOTDOWN, TLB_FLUSH_ALL);
	want("L5: and nothing on a CPU that a batch's flush reached",  "generation=1 open=1 "
	     "open_as_posted=1");
	anew();
	generation(&file_a, 100, 4, ON(2));
	sim_cpu = 2;
	CALL("flush_tlb_func", &info, 0, 0);
	sim_cpu = 0;
	traced_flush(2, TLB_REMOTE_WRONG_CPU, TLB_FLUSH_ALL);
	want("L5: one that came to the wrong CPU covers nothing", OPENED);
	anew();
	/* A flush of CPU 1 is under way when a generation begins, whose own flush is to come. */
	sim_cpu = 1;
	CALL("flush_tlb_func", &info, 0, 0);
	sim_cpu = 0;
	in_flush = end_on_1;
	generation(&file_a, 100, 4, ON(1));
	want("L5: nor does one that began before the generation", OPENED);
	anew();

	generation(&file_a, 100, 4, ON(1));
	forget();
	traced_flush(1, TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
	want("L5: a switch covers no more than is known to be older", "");
	jiffies++;
	sim_cpu = 1;
	alloc(60000, 0);
	sim_cpu = 0;
	traced_flush(1, TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
	want("L5: it covers what is", "open=-1 saved=1 ipis_avoided=1");
	anew();
	generation(&file_a, 100, 4, ON(1));
	jiffies++;
	sim_cpu = 1;
	alloc(60000, 0);
	info.mm = NULL;
	CALL("flush_tlb_func", &info, 0, 0);
	sim_cpu = 0;
	traced_flush(1, TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
	want("L5: a lazy CPU that a batch makes switch covers nothing", OPENED);
	anew();
	generation(&file_a, 100, 4, ON(1));
	jiffies++;
	sim_cpu = 1;
	alloc(60000, 0);
	sim_cpu = 0;
	generation(&file_b, 200, 4, ON(1));
	traced_flush(1, TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
	want("L5: a switch behind a batch's flush that is over covers what is known to be older",
	     "generation=2 open=1 saved=1 ipis_avoided=1 open_as_posted=2");
	anew();
	for (i = 0; i < 2; i++) {
		generation(&file_a, 100, 4, ON(1));
		jiffies++;
		sim_cpu = 1;
		if (i)
			alloc(60001, 0);
		/* The batch flushes nothing here, so that nothing is traced. */
		CALL("flush_tlb_func", &info, 0, 0);
		alloc(60000, 0);
		sim_cpu = 0;
		traced_flush(1, TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
		want(i ? "L5: a CPU that allocates isn't in a batch's flush any more, in the same tick either" :
			 "L5: a CPU that allocates isn't in a batch's flush any more",
		     "generation=1 saved=1 ipis_avoided=1 open_as_posted=1");
		anew();
	}
}

/* --- rules L8, L9 and L10: ends, and pages that are used again ------------------------------------ */

static void test_reuse(void)
{
	anew();
	open_one();
	alloc(99, 0);
	alloc(104, 0);
	want("L9: other pages were used", "");
	alloc(103, 0);
	want("L9: a page was used again", "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	alloc(101, 0);
	mm_flush(&mm_a, 1, 0);
	mm_flush(&mm_a, 0, 0);
	want("L8: it has ended, once", "");
	release(0, SIM_FRAMES);
	open_one();
	alloc(96, 3);
	want("L9: a range with one of its pages was used",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	release(0, SIM_FRAMES);
	open_one();
	alloc(64, 5);
	want("L9: next to it", "");
	alloc(64, 6);
	want("L9: a large range", "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");

	release(0, SIM_FRAMES);
	generation(&file_a, 100, 4, ON(1));
	generation(&file_a, 104, 4, ON(1));
	alloc(96, 4);
	want("L9: a range with pages of two", "generation=2 needed=2 needed_as_posted=2");

	release(0, SIM_FRAMES);
	generation(&file_a, 100, 4, ON(1));
	generation(&file_a, 110, 4, ON(1));
	generation(&file_b, 120, 4, ON(2));
	want("three are open", "generation=3 open=3 open_as_posted=3");
	alloc(110, 0);
	generation(&file_b, 130, 4, ON(1));
	want("L9: LUF flushes for one, which covers what is older: an ideal LUF on all CPUs, "
	     "the posted one on its own",
	     "generation=1 open=-2 needed=1 saved=2 ipis_avoided=2 open_as_posted=-1 "
	     "needed_as_posted=1 saved_as_posted=1 ipis_avoided_as_posted=1");
	anew();
	open_one();
	/* A flush that LUF doesn't put off covers it on CPU 1. */
	generation(NULL, 300, 1, ON(1));
	generation(&file_b, 200, 4, ON(1));
	want("two are open", OPENED);
	alloc(100, 0);
	want("L9: a CPU that owes nothing isn't flushed by the posted series for a page that is used again",
	     "open=-2 needed=1 saved=1 ipis_avoided=1 open_as_posted=-1 needed_as_posted=1");
	anew();
}

static void take_slot_again(void)
{
	CALL("unmap_mapping_pages", &file_a, 0, 0);
	tlbbatch_luf_settle();
	generation(&file_b, 300, 2, ON(0) | ON(1));
}

/* Whoever allocates a page has found its slot, which is taken again before it looks there. */
static void test_slot_again(void)
{
	anew();
	open_one();
	sim_at_acquire = take_slot_again;
	alloc(100, 0);
	want("L9: a slot that was taken again meanwhile holds other pages",
	     "generation=1 open=0 open_as_posted=0 given_up=1 given_up_as_posted=1 "
	     "given_up_truncated=1");
}

static void look_at_free(struct page *page, int refs, bool compound, bool slab)
{
	*page = (struct page){ .refs = refs, .compound = compound, .slab = slab };
}

static void test_proven(void)
{
	unsigned int i;

	anew();
	for (i = 0; i < 3; i++) {
		open_one();
		look_at_free(&sim_pages[102], i == 0, i == 1, i == 2);
		both_flush_mm_a();
		generation(&file_b, 200, 4, ON(0) | ON(1));
		want("L10: covered, but one of its pages isn't free; for that LUF flushes nothing else",
		     "generation=1 open_as_posted=1 needed=1");
		anew();
		release(0, SIM_FRAMES);
		look_at_free(&sim_pages[102], 0, false, false);
	}
	open_one();
	both_flush_mm_a();
	alloc(101, 0);
	want("L10: covered first, and then used", "open=-1 saved=1 ipis_avoided=1 open_as_posted=-1 "
	     "needed_as_posted=1");
	release(0, SIM_FRAMES);
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	sim_pages[103].refs = 1;
	flush();
	pass_end();
	current = &admin;
	want("L10: a page that isn't frozen isn't freed",
	     "generation=1 given_up=1 given_up_kept=1 given_up_as_posted=1");
	anew();
	open_one();
	both_flush_mm_a();
	/* Somebody has it, and nobody told. */
	sim_pages[100].refs = 1;
	alloc(102, 0);
	want("L10: the page in front of those that an event takes is looked at",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	anew();
	open_one();
	both_flush_mm_a();
	sim_pages[102].refs = 1;
	alloc(101, 0);
	want("L10: the page behind those that an event takes is looked at",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	anew();
}

static void use_100(void)
{
	alloc(100, 0);
}

static void test_kept_middle(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	sim_pages[101].refs = 1;
	flush_a();
	want("L10: one in the middle of a range isn't frozen",
	     "generation=1 given_up=1 given_up_kept=1 given_up_as_posted=1");
	anew();
}

/* A generation begins when flush_tlb_batched_pending() is on its way. */
static void test_pending_young(void)
{
	anew();
	atomic_set(&mm_a.tlb_flush_batched, 5);
	CALL("flush_tlb_batched_pending", &mm_a, 0, 0);
	generation(&file_a, 100, 4, ON(1));
	mm_flush(&mm_a, 1, 0);
	want("L7: the posted series marks as done what was there when it began",
	     "generation=1 saved=1 ipis_avoided=1 open_as_posted=1");
	anew();
	generation(&file_a, 100, 4, ON(5));
	forget();
	lazy(5, true);
	pending_flush(&mm_a, 0);
	lazy(5, false);
	want("L7: and no CPU that isn't the mm's, lazy or not", "");
	atomic_set(&mm_a.tlb_flush_batched, 0);
	anew();
}

#define MANY_OWED	20

/* The one that is owed first is settled last. */
static void test_settles_many(void)
{
	unsigned int i;

	anew();
	generation(&file_b, 300, 1, ON(2));
	generation(&file_a, 100, 1, ON(2));
	for (i = 0; i < MANY_OWED; i++)
		generation(&file_a, 110 + 2 * i, 1, ON(1));
	alloc(100, 0);
	for (i = 0; i < MANY_OWED; i++)
		alloc(110 + 2 * i, 0);
	tlbbatch_luf_settle();
	ok_int(tlbbatch_luf_nr_open(TLBBATCH_LUF_POSTED), 0, "L9: a reader settles all that is owed");
	anew();
}

static void test_once(void)
{
	anew();
	open_one();
	sim_at_rmb = use_100;
	CALL("unmap_mapping_pages", &file_a, 0, 0);
	want("L8: two events at once end it once", "open=-1 needed=1 open_as_posted=-1 "
	     "needed_as_posted=1");
}

/* What a flush has covered stays covered, whatever comes later. */
static void test_coverage_grows(void)
{
	anew();
	atomic_set(&mm_a.tlb_flush_batched, 5);
	open_one();
	pending_flush(&mm_a, 0);
	both_flush_mm_a();
	atomic_set(&mm_a.tlb_flush_batched, 0);
	want("L5: coverage only grows", "open=-1 saved=1 ipis_avoided=1 open_as_posted=-1 "
	     "saved_as_posted=1 ipis_avoided_as_posted=1");
}

static void test_numbers(void)
{
	s64 number;

	anew();
	number = stat_of("generation");
	open_one();
	ok(sim_events("luf_begin") == 1 && !sim_events("luf_end"), "E1: an event for a generation");
	track(false);
	ok_int(sim_events("luf_end"), 2, "E1: and for its end in each model");
	anew();
	ok_int(stat_of("generation"), number + 1, "L8: numbers go on when tracking ends");
	generation(&file_a, 100, 4, ON(0) | ON(1));
	ok_int(stat_of("generation"), number + 2, "L8: the next one has the next number");
	anew();
}

/* Readers settle once. */
static void test_settles_all(void)
{
	anew();
	generation(&file_b, 300, 1, ON(1));
	sim_cpu = SIM_CPUS - 1;
	generation(&file_a, 100, 1, ON(1));
	sim_cpu = 0;
	alloc(100, 0);
	tlbbatch_luf_settle();
	ok_int(tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL), 0, "L9: a reader settles the last CPUs' part, too");
	anew();
}

int main(void)
{
	world_init();
	if (!ok(!track(true), "tracking begins"))
		return tap_done();
	forget();
	test_recognise();
	test_recognise_race();
	test_coverage();
	test_coverage_young();
	test_reuse();
	test_slot_again();
	test_proven();
	test_once();
	test_coverage_grows();
	test_numbers();
	test_settles_all();
	test_settles_many();
	test_kept_middle();
	test_pending_young();
	track(false);
	ok_int(sim_allocated(), 0, "all memory is given back");
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
