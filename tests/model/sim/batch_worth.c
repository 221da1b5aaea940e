// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folios that wait only if enough CPUs would be interrupted: rule S7. Nobody does anything
 * meanwhile.
 */
#include "other_cpu.h"
#include "receivers/receivers.h"

static struct reclaimer *task = &one;

#define MOST_FOLIOS	19

struct row {
	const char *name;
	unsigned int min, batch_size, folios;
	/* Each of so many other CPUs is as in this one. */
	enum start start;
	unsigned int others;
	bool prunes;
	/* What is counted. */
	unsigned int deferred, judged, seen, few;
};

/* A batch has room for one folio less than its size: the one that fills it is written. */
static const struct row rows[] = {
	{ "S7: at 1 folios wait, and nobody counts", 1, 8, 5, AT_OURS, 1, false, 5, 0, 0, 0 },
	{ "S7: at 1 folios wait, whoever needs their flush", 1, 8, 5, AT_OTHERS, 1, true, 5, 0, 0, 0 },
	{ "S7: at 2 none waits that would interrupt one CPU", 2, 8, 5, AT_OURS, 1, false, 0, 5, 5, 5 },
	{ "S7: a CPU that is left out isn't interrupted", 2, 8, 5, AT_OTHERS, 1, true, 0, 5, 0, 5 },
	{ "S7: without prune it is", 2, 8, 5, AT_OTHERS, 1, false, 0, 5, 5, 5 },
	{ "S7: a lazy CPU isn't interrupted", 2, 8, 5, LAZY_AT_OURS, 1, false, 0, 5, 0, 5 },
	{ "S7: nobody is counted beyond the minimum", 2, 8, 5, AT_OURS, 3, false, 5, 1, 2, 0 },
	{ "S7: a yes holds for a batch of folios", 2, 8, 18, AT_OURS, 2, false, 16, 2, 4, 0 },
	{ "S7: and no longer", 2, 8, 19, AT_OURS, 2, false, 17, 3, 6, 0 },
	{ "S7: nobody counts for a folio that can't wait", 2, 1, 5, AT_OURS, 1, false, 0, 0, 0, 0 },
};

/* The process of the folios has been on so many others, which are as CPU 1 is. */
static void others_are(enum start start, unsigned int nr)
{
	unsigned int cpu;

	begin(start, SCRIPT(USER), NR_ASIDS);
	/* Somebody has unmapped something. */
	ours.context.tlb_gen.counter++;
	world.more_cpus = 0;
	for (cpu = OTHER + 1; cpu <= nr; cpu++) {
		*per_cpu_ptr(&cpu_tlbstate, cpu) = *state();
		world.more_cpus |= BIT(cpu);
	}
}

/* In one pass, with the minimum that is set when it begins. */
static void reclaim_folios(unsigned int min, unsigned int nr)
{
	static struct folio folios[MOST_FOLIOS];
	unsigned int i;

	tlbbatch_receivers_min = min;
	pass_begin(task);
	tlbbatch_receivers_min = 1;
	for (i = 0; i < nr; i++) {
		folios[i] = anon_folio(1);
		reclaim(&folios[i]);
	}
	pass_end(task);
}

static void start_anew(unsigned int batch_size, bool prunes)
{
	anew(batch_size);
	tlbbatch_receivers_set_prune(prunes);
	count_anew();
}

static void does(const struct row *row)
{
	start_anew(row->batch_size, row->prunes);
	others_are(row->start, row->others);
	reclaim_folios(row->min, row->folios);
	if (!ok(counted(TLBBATCH_FOLIOS_DEFERRED) == row->deferred &&
		since(DEFERRALS_JUDGED) == row->judged && since(RECEIVERS_SEEN) == row->seen &&
		since(FOLIOS_DIRECT_FEW) == row->few, "%s", row->name))
		printf("# deferred %llu judged %llu seen %llu few %llu\n",
		       counted(TLBBATCH_FOLIOS_DEFERRED), since(DEFERRALS_JUDGED),
		       since(RECEIVERS_SEEN), since(FOLIOS_DIRECT_FEW));
	ok(world.written == row->folios &&
	   counted(TLBBATCH_FOLIOS_DIRECT) + row->deferred == row->folios,
	   "each folio is written");
}

static void test_direct(void)
{
	start_anew(8, false);
	others_are(AT_OURS, 1);
	reclaim_folios(2, 5);
	ok(world.written == 5 && world.flushes >= 5 && counted(TLBBATCH_FOLIOS_DIRECT) == 5,
	   "B1, S7: each folio that doesn't wait is written behind a flush of its own");
}

/* What a pass knows is forgotten when the next one begins, in the same slot. */
static void test_two_passes(void)
{
	start_anew(8, false);
	others_are(AT_OURS, 2);
	reclaim_folios(2, 1);
	ok_int(counted(TLBBATCH_FOLIOS_DEFERRED), 1, "S7: a folio waits that would interrupt two CPUs");
	others_are(AT_OURS, 1);
	reclaim_folios(2, 1);
	ok(since(DEFERRALS_JUDGED) == 2 && since(FOLIOS_DIRECT_FEW) == 1,
	   "S7: a yes doesn't hold for the next pass");
}

int main(void)
{
	unsigned int i;

	world_init();
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		does(&rows[i]);
	test_direct();
	test_two_passes();
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
