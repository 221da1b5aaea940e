// SPDX-License-Identifier: GPL-2.0-only
/* Which flushes LUF would put off, whom they interrupt, and what the others cover. See luf_rules.c. */
#include "luf_world.h"

/* A pass with one unmap that isn't read-only: LUF flushes at once. */
static void mixed_flush(sim_cpus_t cpus)
{
	generation(NULL, 200, 1, cpus);
}

/* --- rules L3, L4 and L6: what a flush is ------------------------------------------------- */

static void test_flushes(void)
{
	anew();
	forget();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 3, ON(0) | ON(1));
	unmap(NULL, 200, 1, ON(0) | ON(1));
	flush();
	pass_end();
	want("L3: one unmap that isn't read-only, and LUF flushes",
	     "unmaps_readonly=3 unmaps_mixed=1 flushes=1 flushes_mixed=1 ipis=1");
	pass_begin();
	unmap(&file_a, 100, 3, ON(0));
	flush();
	pass_end();
	want("L3: nobody else is interrupted", "flushes=0 flushes_unsent=0 ipis=0");
	pass_begin();
	unmap(NULL, 200, 1, 0);
	unmap(&file_a, 100, 3, ON(0) | ON(1));
	flush();
	pass_end();
	want("L3: an unmap that left nothing to flush isn't in the flush",
	     OPENED "unmaps_mixed=1 unmaps_readonly=3 flushes=1 flushes_mixed=0");
	anew();
	current = &reclaimer;
	lazy(1, true);
	pass_begin();
	unmap(&file_a, 100, 3, ON(0) | ON(1));
	flush();
	pass_end();
	lazy(1, false);
	want("L6: a lazy CPU isn't interrupted", "flushes=0 flushes_unsent=1 ipis=0");
	sim_offline = ON(1);
	pass_begin();
	unmap(&file_a, 100, 3, ON(0) | ON(1));
	flush();
	pass_end();
	sim_offline = 0;
	want("L6: nor is one that is offline", "flushes=0 ipis=0");
	current->tlb_ubc.flush_required = true;
	current->tlb_ubc.arch.cpumask.bits[0] = ON(1);
	pass_begin();
	unmap(&file_a, 100, 3, ON(0) | ON(1));
	flush();
	pass_end();
	want("L3: what was pending before counts as not read-only",
	     "unmaps_readonly=3 flushes=1 flushes_mixed=1");
	pass_begin();
	pass_end();
	unmap(&file_a, 100, 3, ON(0) | ON(1));
	flush();
	want("L15: a flush outside of a pass isn't a pass's", "flushes=0 unmaps_readonly=0");
	current = &admin;
	lazy(1, true);
	generation(&file_a, 100, 4, ON(0) | ON(1) | ON(2));
	lazy(1, false);
	want("L6: one of two is lazy", OPENED "ipis=1 flushes=1");
	mm_flush(&mm_a, 2, 0);
	mm_flush(&mm_a, 0, 0);
	want("L6: so only one interrupt is saved; the posted series waits for all",
	     "open=-1 saved=1 ipis_avoided=1");
	mixed_flush(ON(0) | ON(2));
	want("L7: it waits for the lazy one, too", "flushes_mixed=1");
	mixed_flush(ON(1));
	want("L7: until that is flushed", "flushes_mixed=1 open_as_posted=-1 saved_as_posted=1 "
	     "ipis_avoided_as_posted=1");
	anew();
}

/* A flush with other CPUs of both kinds. */
static void test_mixed_covers(void)
{
	anew();
	generation(&file_a, 100, 4, ON(1));
	generation(&file_a, 110, 4, ON(2));
	want("two are open", "generation=2 open=2 open_as_posted=2 flushes=2");
	generation(&file_a, 120, 4, ON(1) | ON(2));
	want("L4: a flush that LUF puts off completes nothing", OPENED "flushes=1");
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 130, 1, ON(1));
	unmap(NULL, 200, 1, ON(1) | ON(2));
	flush();
	pass_end();
	current = &admin;
	want("L4: any other one does, on the CPUs that it was needed for",
	     "flushes_mixed=1 open=-1 saved=1 ipis_avoided=1 open_as_posted=-1 saved_as_posted=1 "
	     "ipis_avoided_as_posted=1");
	mixed_flush(ON(1));
	want("L4: now on the other CPU", "flushes_mixed=1 open=-2 saved=2 ipis_avoided=3 "
	     "open_as_posted=-2 saved_as_posted=2 ipis_avoided_as_posted=3");
	generation(&file_a, 140, 1, ON(2));
	mixed_flush(ON(1));
	want("L4: not on CPUs of the pass before", OPENED "flushes_mixed=1");
	current = &reclaimer;
	pass_begin();
	unmap(NULL, 200, 1, ON(1));
	unmap(&file_a, 130, 1, ON(2));
	flush_a();
	want("L4: nor on those of a read-only unmap behind the other", "flushes_mixed=1");
}

/* A flush of the running CPU alone. */
static void test_local_covers(void)
{
	anew();
	generation(&file_a, 100, 4, ON(1));
	want("one is open", OPENED "flushes=1");
	sim_cpu = 1;
	generation(&file_a, 110, 1, ON(1));
	want("L4: a flush of the own CPU that LUF puts off completes nothing", "flushes=0");
	mixed_flush(ON(1));
	sim_cpu = 0;
	want("L4: any other one does", "flushes=0 open=-1 saved=1 ipis_avoided=1 "
	     "open_as_posted=-1 saved_as_posted=1 ipis_avoided_as_posted=1");
}

static void test_mixed_number(void)
{
	anew();
	open_one();
	current = &reclaimer;
	pass_begin();
	unmap(NULL, 200, 1, ON(0) | ON(1));
	other_generation();
	flush();
	pass_end();
	current = &admin;
	want("L4: a flush covers what is older than itself",
	     "generation=1 open=-1 saved=2 ipis_avoided=2 open_as_posted=-1 saved_as_posted=2 "
	     "ipis_avoided_as_posted=2");
	open_one();
	current = &reclaimer;
	pass_begin();
	unmap(NULL, 200, 1, ON(0) | ON(1));
	in_flush = other_generation;
	flush();
	pass_end();
	current = &admin;
	want("L4: and not what begins while it is on its way",
	     "generation=1 saved=1 ipis_avoided=1 saved_as_posted=1 ipis_avoided_as_posted=1");
}

/* A mask of CPUs may have many words. */
static void test_many_cpus(void)
{
	anew();
	generation(&file_a, 100, 4, ON(70));
	want("L6: CPU 70 is interrupted", OPENED "flushes=1 ipis=1");
	mixed_flush(ON(6));
	want("L5: CPU 6 isn't CPU 70", "flushes_mixed=1");
	mixed_flush(ON(70));
	want("L4: that one has flushed", "flushes_mixed=1 open=-1 saved=1 ipis_avoided=1 "
	     "open_as_posted=-1 saved_as_posted=1 ipis_avoided_as_posted=1");
	generation(&file_a, 110, 4, ON(6) | ON(70));
	mm_flush(&mm_a, 6, 6);
	want("L5: one of two CPUs isn't enough", OPENED);
	mm_flush(&mm_a, 70, 6);
	want("L5: both are", "open=-1 saved=1 ipis_avoided=2");
	anew();
}

/* A mixed unmap that leaves nothing to flush, and one behind it. */
static void test_mixed_unflushed(void)
{
	anew();
	generation(&file_b, 300, 1, ON(2));
	forget();
	current = &reclaimer;
	pass_begin();
	unmap(NULL, 200, 1, 0);
	unmap(&file_a, 100, 1, ON(2));
	unmap(NULL, 201, 1, ON(1));
	flush_a();
	want("L4: it owes nothing on the CPUs of a later unmap that is read-only", "flushes_mixed=1");
}

static void use_100(void)
{
	alloc(100, 0);
}

/* A page is used when a flush is on its way. */
static void test_used_in_flush(void)
{
	anew();
	generation(&file_a, 100, 4, ON(1));
	forget();
	in_flush = use_100;
	mixed_flush(ON(1));
	want("L4: a page that is used before a flush has returned is needed",
	     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	anew();
}

/* Two mixed unmaps of one flush, each on a CPU of its own. */
static void test_mixed_twice(void)
{
	anew();
	generation(&file_a, 100, 4, ON(1));
	generation(&file_b, 110, 4, ON(2));
	forget();
	current = &reclaimer;
	pass_begin();
	unmap(NULL, 200, 1, ON(1));
	unmap(NULL, 201, 1, ON(2));
	flush_a();
	want("L4: a flush completes on the CPUs of each mixed unmap",
	     "open=-2 saved=2 ipis_avoided=2 open_as_posted=-2 saved_as_posted=2 "
	     "ipis_avoided_as_posted=2");
}

static struct folio copied = { .anon = true, .nr = 1 };

/* Another batch than the one that the task's unmaps fill. */
static void test_other_batch(void)
{
	struct arch_tlbflush_unmap_batch other = { .cpumask.bits = { ON(0) | ON(1) } };

	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush_batch(&other);
	want("L15: the flush of another batch isn't the pass's", "flushes=0 flushes_unsent=0 ipis=0");
	ok(!other.cpumask.bits[0], "L1: it is done all the same");
	flush_a();
	want("L15: whose own flush is still to come", OPENED "flushes=1 ipis=1");
	anew();
}

static void test_unsent(void)
{
	anew();
	lazy(1, true);
	generation(&file_a, 100, 1, ON(1));
	lazy(1, false);
	want("L6: a flush that names one other CPU, which is lazy, isn't sent",
	     "flushes=0 flushes_unsent=1 ipis=0");
	generation(&file_a, 100, 1, ON(0) | ON(1));
	want("L6: one that is sent isn't among those", OPENED "flushes=1 flushes_unsent=0 ipis=1");
	mixed_flush(ON(0) | ON(1) | ON(2));
	want("L6: interrupts are counted for each flush that is sent",
	     "flushes=1 flushes_mixed=1 flushes_unsent=0 ipis=2 open=-1 saved=1 ipis_avoided=1 "
	     "open_as_posted=-1 saved_as_posted=1 ipis_avoided_as_posted=1");
	sim_cpu = 3;
	generation(&file_a, 100, 1, ON(0) | ON(1));
	sim_cpu = 0;
	want("L6: also that of all CPUs that it names", OPENED "flushes=1 ipis=2");
	anew();
}

/* Memory failure flushes for each entry at once. */
static void test_unbatched(void)
{
	anew();
	current = &reclaimer;
	pass_begin();
	CALL("try_to_unmap", &copied, TTU_SYNC, 0);
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	flush_a();
	want("L3: an unmap that is flushed by itself isn't in the pass's flush",
	     OPENED "unmaps_readonly=4 unmaps_mixed=0 flushes=1 flushes_mixed=0");
	anew();
}

/* As the kernel asks for it from 6.12 on. */
static void test_split(void)
{
	anew();
	generation(&file_b, 300, 1, ON(2));
	forget();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	CALL("try_to_migrate", &copied, TTU_RMAP_LOCKED | TTU_SYNC | TTU_BATCH_FLUSH, 0);
	flush_a();
	want("L15: an anonymous folio is split in a pass, whose flush is mixed then",
	     "flushes=1 flushes_mixed=1");
	current = &reclaimer;
	pass_begin();
	unmap(NULL, 200, 1, ON(1));
	CALL("try_to_migrate", &copied, TTU_RMAP_LOCKED | TTU_SYNC | TTU_BATCH_FLUSH, 0);
	set_bit(2, current->tlb_ubc.arch.cpumask.bits);
	flush_a();
	want("L4: nothing is complete on the CPUs that a split adds", "flushes_mixed=1");
	anew();
}

/* A flush is required as the pass flushes, and no unmap was seen. */
static void test_unseen_unmap(void)
{
	anew();
	generation(&file_b, 300, 1, ON(2));
	current = &reclaimer;
	pass_begin();
	forget();
	current->tlb_ubc.flush_required = true;
	current->tlb_ubc.arch.cpumask.bits[0] = ON(1);
	flush_a();
	want("L3: read-only unmaps of the flush before don't count", "flushes=1 flushes_mixed=1");
	anew();
}

/* A younger one is put off as well when a page of an older one is used. */
static void test_virtual_young(void)
{
	anew();
	generation(&file_a, 100, 1, ON(1));
	generation(&file_b, 110, 1, ON(1));
	forget();
	alloc(100, 0);
	want("L9: LUF flushes for all that it has put off up to then, in both models",
	     "open=-2 needed=1 saved=1 ipis_avoided=1 open_as_posted=-2 needed_as_posted=1 "
	     "saved_as_posted=1 ipis_avoided_as_posted=1");
	anew();
}

int main(void)
{
	world_init();
	if (!ok(!track(true), "tracking begins"))
		return tap_done();
	test_flushes();
	test_mixed_covers();
	test_local_covers();
	test_mixed_number();
	test_many_cpus();
	test_mixed_unflushed();
	test_used_in_flush();
	test_mixed_twice();
	test_other_batch();
	test_unsent();
	test_unbatched();
	test_split();
	test_unseen_unmap();
	test_virtual_young();
	track(false);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
