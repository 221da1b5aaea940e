// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flushes that leave CPUs out (rules S1, S2, S3, S4 and S5). The steps of another CPU (other_cpu.c)
 * are placed between those of a flush in every possible way.
 */
#include "other_cpu.h"
#include "kernel/symbols.h"
#include "receivers/receivers.h"

static struct reclaimer *task = &one;

static unsigned int left_out, runs, points = POINTS(1);

static void run(enum start start, const enum act *script, unsigned int pcids)
{
	begin(start, script, pcids);
	runs++;
	left_out += leaves_out();
	while (step())
		;
}

static unsigned int nr_steps(enum start start, const enum act *script, unsigned int pcids)
{
	unsigned int nr = 0;

	begin(start, script, pcids);
	while (step())
		nr++;
	return nr;
}

/* Every way to place at most @nr steps before the points from @at on. */
static void every_order(enum start start, const enum act *script, unsigned int pcids,
			unsigned int at, unsigned int nr)
{
	if (at == points) {
		run(start, script, pcids);
		return;
	}
	for (steps_at[at] = 0; steps_at[at] <= nr; steps_at[at]++)
		every_order(start, script, pcids, at + 1, nr - steps_at[at]);
}

static unsigned int seed = 1;

static unsigned int rnd(unsigned int below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Long scripts have too many orders. */
static void some_orders(enum start start, const enum act *script, unsigned int pcids,
			unsigned int times)
{
	unsigned int nr = nr_steps(start, script, pcids), i, left;

	while (times--) {
		left = rnd(nr + 1);
		for (i = 0; i < points; i++)
			steps_at[i] = 0;
		while (left--)
			steps_at[rnd(points)]++;
		run(start, script, pcids);
	}
}

static u64 nr_orders(unsigned int nr)
{
	u64 orders = 1;
	unsigned int i;

	for (i = 1; i <= points; i++)
		orders = orders * (nr + i) / i;
	return orders;
}

#define ORDERS_MAX	700000U	/* of more than these some are made at random */
#define SAMPLE		150000U

static void script(const char *name, enum start start, const enum act *acts)
{
	static const unsigned int pcids[] = { 1, 2, NR_ASIDS };
	unsigned int i, before = left_out;

	lost = 0;
	for (i = 0; i < ARRAY_SIZE(pcids); i++) {
		unsigned int nr = nr_steps(start, acts, pcids[i]);

		if (nr_orders(nr) <= ORDERS_MAX)
			every_order(start, acts, pcids[i], 0, nr);
		else
			some_orders(start, acts, pcids[i], SAMPLE);
	}
	ok_int(lost, 0, name);
	printf("# left out in %u orders\n", left_out - before);
}

static void prune(bool on)
{
	tlbbatch_receivers_set_prune(on);
}

static void all_points(void)
{
	ok(most_points == points, "S3: each read comes behind the barrier, and has its point: %u",
	   most_points);
	most_points = 0;
}

static void test_orders(void)
{
	anew(8);
	prune(true);
	pass_begin(task);
	left_out = 0;
	script("S1: a CPU that uses our mm keeps no old entry", AT_OURS, SCRIPT(USER, USER));
	ok_int(left_out, 0, "S1: it is never left out");
	script("S1: nor one that somebody else interrupts", AT_OURS, SCRIPT(USER, IPI, USER));
	ok(left_out, "S1: once it has flushed, it is left out");
	script("S1: nor one that is lazy, and comes back", AT_OURS, SCRIPT(LAZY, UNLAZY, USER));
	script("S1: nor one that was lazy before", LAZY_AT_OURS, SCRIPT(UNLAZY, USER, IPI, USER));
	left_out = 0;
	script("S2, S3: nor one that loads our mm", AT_OTHERS, SCRIPT(TO_OURS, USER));
	ok(left_out, "S1: as long as it has another mm, it is left out");
	script("S2, S3: nor one that leaves our mm", AT_OURS, SCRIPT(USER, TO_OTHERS, USER));
	script("S2, S3: nor one that leaves it, and comes back", AT_OURS,
	       SCRIPT(USER, TO_OTHERS, TO_OURS, USER));
	script("S2, S3: nor one that comes from the kernel", AT_KERNEL, SCRIPT(TO_OURS, USER));
	script("S2, S3: nor one that visits the kernel", AT_OURS,
	       SCRIPT(USER, TO_KERNEL, TO_OURS, USER));
	script("S2, S3: nor one that comes and goes", AT_OTHERS,
	       SCRIPT(TO_OURS, USER, TO_OTHERS, TO_OURS, USER, IPI, USER));
	script("S2, S3: nor one that was lazy, and goes elsewhere", LAZY_AT_OURS,
	       SCRIPT(TO_OTHERS, USER, TO_OURS, USER));
	script("S2: an mm that is freed under the look misleads nobody", AT_OURS,
	       SCRIPT(USER, TO_OTHERS, FREE_OURS, USER, TO_KERNEL, TO_OTHERS, USER));
	left_out = 0;
	for (discards = BEFORE; discards <= BEHIND; discards++) {
		script("S1: a huge page is discarded: a CPU that uses our mm keeps no old entry", AT_OURS,
		       SCRIPT(USER, USER));
		ok(discards == BEFORE ? !left_out : left_out > 0,
		   "S1: only a discard behind the unmap has flushed all of it");
		script("S2, S3: nor one that leaves it, and comes back", AT_OURS,
		       SCRIPT(USER, TO_OTHERS, TO_OURS, USER));
		script("S1: nor one that was lazy before", LAZY_AT_OURS, SCRIPT(UNLAZY, USER, USER));
		left_out = 0;
	}
	discards = NEVER;
	all_points();
	prune(false);
	pass_end(task);
}

/* The task moves between its look and its flush: a thread of our process, of another one, a kernel's. */
static void test_moves(void)
{
	anew(8);
	prune(true);
	pass_begin(task);
	left_out = 0;
	script("S4: nor one to which the task comes that flushes", AT_OURS, SCRIPT(USER, IPI, HOST, USER));
	script("S4: nor if it is another process's", AT_OURS,
	       SCRIPT(USER, TO_OTHERS, HOST, TO_OURS, USER));
	script("S4: nor if it is the kernel's", AT_OURS, SCRIPT(IPI, LAZY, HOST, UNLAZY, USER));
	ok(left_out, "S4: it comes to a CPU that was left out");
	left_out = 0;
	script("S4: nor the one from which it goes", AT_OURS, SCRIPT(HOST, USER));
	script("S4: nor if that loads our mm then", AT_OTHERS, SCRIPT(HOST, TO_OURS, USER));
	script("S4: nor if that was lazy", LAZY_AT_OURS, SCRIPT(HOST, UNLAZY, USER));
	ok_int(left_out, 0, "S4: the one that looked is never left out");
	prune(false);
	pass_end(task);
}

/* The batch has several unmaps. */
static void test_several(void)
{
	static struct mm_struct *const twice[] = { &ours, &ours, NULL };
	static struct mm_struct *const both[] = { &ours, &others, NULL };
	struct mm_struct *const *one = unmaps;

	anew(8);
	prune(true);
	pass_begin(task);
	points = POINTS(2);
	unmaps = twice;
	left_out = 0;
	script("S1: nor one that flushes between two unmaps", AT_OURS, SCRIPT(USER, IPI, USER));
	ok(left_out, "S1: it is left out if it flushes behind both");
	script("S1: nor one that flushes behind each", AT_OURS, SCRIPT(IPI, USER, IPI, USER));
	script("S2, S3: nor one that leaves our mm, and comes back", AT_OURS,
	       SCRIPT(USER, TO_OTHERS, TO_OURS, USER));
	script("S1: nor one that was lazy before", LAZY_AT_OURS, SCRIPT(UNLAZY, IPI, USER));
	unmaps = both;
	left_out = 0;
	script("S1: nor one that uses either of two mms", AT_OTHERS, SCRIPT(USER, USER));
	ok_int(left_out, 0, "S1: another mm of the batch is as good as ours");
	script("S1: nor one that flushes in either", AT_OTHERS, SCRIPT(USER, IPI, USER));
	ok(left_out, "S1: once it has flushed, it is left out");
	script("S2, S3: nor one that goes from one to the other", AT_OURS,
	       SCRIPT(USER, TO_OTHERS, USER));
	script("S2, S3: nor one that comes and goes", AT_OTHERS,
	       SCRIPT(IPI, TO_OURS, USER, TO_OTHERS, USER));
	all_points();
	unmaps = one;
	points = POINTS(1);
	prune(false);
	pass_end(task);
}

/* Of all these orders. */
static void test_looks(void)
{
	ok_int(looks_preempted, 0, "S5: whoever looks has preemption off");
	ok(runs > 1000000, "%u orders", runs);
}

/* --- what stands still -------------------------------------------------------------------------- */

static bool adds_up(void)
{
	return since(RECEIVERS_KEPT) == since(KEPT_BEHIND) + since(KEPT_SWITCHING) + since(KEPT_UNKNOWN) &&
	       since(RECEIVERS_PRUNED) == since(PRUNED_KERNEL) + since(PRUNED_CURRENT);
}

/* CPU 1 as it is, and nothing changes. */
static bool still(enum start start)
{
	memset(steps_at, 0, sizeof(steps_at));
	count_anew();
	begin(start, SCRIPT(USER), NR_ASIDS);
	return leaves_out();
}

static void test_still(void)
{
	anew(8);
	pass_begin(task);
	ok(!still(AT_KERNEL) && !still(AT_OTHERS), "S5: without prune nobody is left out");
	ok_int(since(FLUSHES_JUDGED), 0, "and nobody looks");
	ok(!sim_events("prune"), "E1: nor does an event tell");
	sim_at_barrier = NULL;
	prune(true);
	ok(still(AT_OTHERS), "S1: a CPU with another mm is left out");
	ok_int(sim_events("prune"), 1, "E1: one event tells of the flush");
	ok(since(FLUSHES_JUDGED) == 1 && since(FLUSHES_PRUNED) == 1 && since(RECEIVERS_PRUNED) == 1 &&
	   since(PRUNED_CURRENT) == 1 && !since(RECEIVERS_KEPT) && adds_up(), "it is counted");
	ok(cpumask_test_cpu(MINE, &world.flushed), "S4: the CPU that flushes isn't");
	ok(still(AT_KERNEL) && since(PRUNED_KERNEL) == 1 && adds_up(),
	   "S1: one without user space is left out");
	ok(!still(AT_OURS) && since(KEPT_BEHIND) == 1 && since(RECEIVERS_KEPT) == 1 &&
	   !since(FLUSHES_PRUNED) && since(FLUSHES_JUDGED) == 1 && adds_up(),
	   "S1: one that is behind isn't");
	ok(!still(LAZY_AT_OURS) && !since(RECEIVERS_KEPT),
	   "S4: a lazy one is the kernel's to leave out");
	world.faults = true;
	ok(!still(AT_OTHERS) && since(KEPT_UNKNOWN) == 1 && adds_up(),
	   "S2: one whose mm can't be read isn't left out");
	world.faults = false;
	prune(false);
	ok(!still(AT_OTHERS), "S5: after prune 0 nobody is left out any more");
	sim_at_barrier = NULL;
	pass_end(task);
}

/* CPU 1 has another mm, and something is odd. */
static bool odd(void (*makes)(void))
{
	memset(steps_at, 0, sizeof(steps_at));
	count_anew();
	begin(AT_OTHERS, SCRIPT(USER), NR_ASIDS);
	makes();
	return !leaves_out() && since(RECEIVERS_KEPT) == 1 && adds_up();
}

static u16 place;

/* Whatever is read for a note would be the right one. */
static void no_such_asid(void)
{
	struct tlb_context note = state()->ctxs[loaded_asid()];
	unsigned int i;

	for (i = 0; i < NR_ASIDS; i++)
		state()->ctxs[i] = note;
	state()->behind[0] = state()->behind[1] = note;
	state()->loaded_mm_asid = place;
}

static void last_asid(void)
{
	state()->ctxs[NR_ASIDS - 1] = state()->ctxs[loaded_asid()];
	state()->loaded_mm_asid = NR_ASIDS - 1;
}

static void switching(void)
{
	state()->loaded_mm = (struct mm_struct *)1;
}

static void other_note(void)
{
	state()->ctxs[loaded_asid()].ctx_id++;
}

static void test_odd(void)
{
	/* The last one is -1 in 16 bits. */
	static const u16 places[] = { NR_ASIDS, NR_ASIDS + 1, 0xffff };
	unsigned int i;

	anew(8);
	prune(true);
	pass_begin(task);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		place = places[i];
		ok(odd(no_such_asid) && since(KEPT_UNKNOWN) == 1,
		   "S2: a CPU stays whose mm has a place beyond its notes: %u", place);
	}
	ok(!odd(last_asid), "S2: the last place is one of them");
	ok(odd(switching) && since(KEPT_SWITCHING) == 1, "S2: a CPU that switches stays");
	ok(odd(other_note) && since(KEPT_UNKNOWN) == 1, "S2: so does one whose note is another mm's");
	prune(false);
	pass_end(task);
}

/* Many CPUs, and CPU 0's own is behind. */
static void test_many(void)
{
	struct cpumask *mask = &current->tlb_ubc.arch.cpumask;
	unsigned int i, left = 0;

	anew(8);
	begin(AT_OTHERS, SCRIPT(USER), NR_ASIDS);
	for (i = 0; i < SIM_CPUS; i++) {
		*per_cpu_ptr(&cpu_tlbstate, i) = *state();
		if (i % 2)
			per_cpu_ptr(&cpu_tlbstate, i)->loaded_mm = &init_mm;
		if (i % 8 == 7)
			per_cpu_ptr(&cpu_tlbstate, i)->loaded_mm = &ours;
	}
	sim_offline = (sim_cpus_t)1 << 90;
	prune(true);
	pass_begin(task);
	mask = &current->tlb_ubc.arch.cpumask;
	memset(mask, 0xff, sizeof(*mask));
	current->tlb_ubc.flush_required = true;
	sim_cpu = 20;
	count_anew();
	tlbbatch_flush_now(tlbbatch_context_current());
	sim_cpu = 0;
	for (i = 0; i < SIM_CPUS; i++)
		left += cpumask_test_cpu(i, &world.flushed) != (i % 8 == 7 || i == 20 || i == 90);
	ok_int(left, 0, "S1, S4: of many CPUs each is judged by itself");
	ok(since(RECEIVERS_KEPT) == 12 && since(RECEIVERS_PRUNED) == SIM_CPUS - 14 &&
	   since(FLUSHES_PRUNED) == 1 && adds_up(), "they are counted");
	sim_offline = 0;
	for (i = 0; i < SIM_CPUS; i++)
		memset(per_cpu_ptr(&cpu_tlbstate, i), 0, sizeof(struct tlb_state));
	prune(false);
	pass_end(task);
}

/* A batch of CPU 1, which needs no flush: so many interrupts count as avoided. */
static u64 avoided(bool prunes)
{
	static struct folio folios[5];
	unsigned int i;

	anew(8);
	begin(AT_OTHERS, SCRIPT(USER), NR_ASIDS);
	count_anew();
	prune(prunes);
	pass_begin(task);
	for (i = 0; i < ARRAY_SIZE(folios); i++) {
		folios[i] = anon_folio(1);
		reclaim(&folios[i]);
	}
	pass_end(task);
	prune(false);
	return counted(TLBBATCH_IPIS_AVOIDED);
}

static void test_avoided(void)
{
	ok_int(avoided(false), 4, "B13: one flush instead of five avoids four interrupts");
	ok_int(avoided(true), 4, "B13: what pruning saves isn't counted there");
	ok_int(since(RECEIVERS_PRUNED), 1, "but on its own");
}

/* --- what it needs -------------------------------------------------------------------------------------- */

static void test_find(void)
{
	static const char *const needs[] = {
		"cpu_tlbstate", "init_mm", "loaded_mm", "loaded_mm_asid", "ctxs", "ctx_id", "tlb_gen",
		"is_lazy", "tlb_context",
	};
	unsigned int i;

	anew(8);
	ok(!tlbbatch_receivers_find(), "all that it needs is there");
	for (i = 0; i < ARRAY_SIZE(needs); i++) {
		const char *lacks;

		world.lacks = needs[i];
		lacks = tlbbatch_receivers_find();
		ok(lacks && strstr(lacks, needs[i]), "H2: without %s it says so", needs[i]);
	}
	world.lacks = NULL;
	world.lazy_at = 8;
	ok_str(tlbbatch_receivers_find() ?: "nothing", "tlb_state_shared.is_lazy",
	       "H2: is_lazy must be where it is read");
	world.lazy_at = 0;
	ok(!tlbbatch_receivers_find(), "H2: and nothing else is amiss");
}

int main(void)
{
	world_init();
	test_orders();
	test_moves();
	test_several();
	test_looks();
	test_still();
	test_odd();
	test_many();
	test_avoided();
	test_find();
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
