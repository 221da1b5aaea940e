// SPDX-License-Identifier: GPL-2.0-only
/*
 * What advise predicts of what it sees (rule A3), in passes that aren't batched (rule A4).
 * batch_predicts.c compares it with batching itself.
 */
#include "advise_world.h"
#include "batch/knobs.h"
#include "receivers/receivers.h"

static void test_pass(void)
{
	struct tlbbatch_pass *pass;
	unsigned int i;

	reclaims();
	pass = begin_pass(0);
	for (i = 0; i < 5; i++)
		write_dirty(i < 4 ? 0xf : 0x1f);
	ok(COUNTED(FLUSHES_RECLAIM_DIRTY) == 5 && COUNTED(RECEIVERS_RECLAIM_DIRTY) == 4 * 2 + 3,
	   "A2: each dirty folio has a flush");
	unmap(0xf, false);
	end_pass(pass);
	ok(COUNTED(FLUSHES_RECLAIM_LAST) == 1 && COUNTED(RECEIVERS_RECLAIM_LAST) == 2,
	   "A2: and reclaim flushes before it frees");
	ok(COUNTED(PASSES) == 1 && COUNTED(WHATIF_FLUSHES) == 6 &&
	   COUNTED(WHATIF_RECEIVERS) == 4 * 2 + 3 + 2, "A3: these are the flushes of a judged pass");
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 1 && COUNTED(WHATIF_FOLIOS_DEFERRED) == 5,
	   "A3: one is left of them");
	ok_int(COUNTED(WHATIF_RECEIVERS_LEFT), 3, "A3: which reaches whoever one of them was to reach");
	anew();
	pass = begin_pass(0);
	write_dirty(0xf);
	end_pass(pass);
	ok(COUNTED(WHATIF_FLUSHES) == 1 && COUNTED(WHATIF_FLUSHES_LEFT) == 1 &&
	   COUNTED(WHATIF_RECEIVERS_LEFT) == 2, "A3: a single one is left as it is");
	anew();
	pass = begin_pass(0);
	unmap(0xf, false);
	try_to_unmap_flush_dirty();
	end_pass(pass);
	ok(!COUNTED(FLUSHES_RECLAIM_DIRTY) && COUNTED(FLUSHES_RECLAIM_LAST) == 1,
	   "A2: of a folio whose entries were clean no flush is asked for");
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 1 && COUNTED(WHATIF_RECEIVERS_LEFT) == 2,
	   "A3: and reclaim's own flush is left, with whom it reaches");
	anew();
	pass = begin_pass(0);
	write_dirty(BIT(0) | BIT(1));
	end_pass(pass);
	ok(!COUNTED(WHATIF_FLUSHES) && !COUNTED(WHATIF_FLUSHES_LEFT) &&
	   COUNTED(WHATIF_FOLIOS_DEFERRED) == 1, "A3: a flush that interrupts nobody doesn't count");
}

/* Reclaim frees a group of folios that nobody had mapped: it has nothing to flush. */
static void test_frees(void)
{
	struct tlbbatch_pass *pass;

	reclaims();
	to_disk = true;
	pass = begin_pass(0);
	write_dirty(0xf);
	try_to_unmap_flush();
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 1 && COUNTED(WHATIF_RECEIVERS_LEFT) == 2,
	   "A3: what is owed is flushed before reclaim frees, even if it has nothing to flush");
	try_to_unmap_flush();
	ok_int(COUNTED(WHATIF_FLUSHES_LEFT), 1, "A3: once");
	write_dirty(0x1f);
	end_pass(pass);
	ok(COUNTED(WHATIF_FLUSHES) == 2 && COUNTED(WHATIF_FLUSHES_LEFT) == 2 &&
	   COUNTED(WHATIF_RECEIVERS_LEFT) == 2 + 3, "A3: and what is owed since then at the end");
	to_disk = false;
	anew();
	pass = begin_pass(0);
	write_dirty(0xf);
	try_to_unmap_flush();
	ok_int(COUNTED(WHATIF_FLUSHES_LEFT), 0, "A3: with zram it frees what would wait: not yet");
	write_dirty(0x1f);
	end_pass(pass);
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 1 && COUNTED(WHATIF_RECEIVERS_LEFT) == 3,
	   "A3: but at the end");
	anew();
	try_to_unmap_flush();
	ok(!COUNTED(WHATIF_FLUSHES_LEFT), "A3: outside of a pass nothing is owed");
}

static void test_kinds(void)
{
	struct tlbbatch_pass *pass;

	reclaims();
	pass = begin_pass(0);
	unmap(0xf, true);
	write_folio(true, true, 16);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 1, "A3: a large anonymous folio would wait");
	unmap(0xf, true);
	write_folio(false, true, 1);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 2, "A3: so would shmem");
	unmap(0xf, true);
	write_folio(false, true, 2);
	ok(COUNTED(WHATIF_FOLIOS_DEFERRED) == 2 && COUNTED(WHATIF_FLUSHES_LEFT) == 1,
	   "A3: large shmem wouldn't, and has its flush");
	unmap(0xf, true);
	write_folio(false, false, 1);
	ok(COUNTED(WHATIF_FOLIOS_DEFERRED) == 2 && COUNTED(WHATIF_FLUSHES_LEFT) == 2,
	   "A3: nor would a file's folio");
	end_pass(pass);
	ok_int(COUNTED(WHATIF_FLUSHES_LEFT), 2, "A3: nothing is owed at the end");
}

static void test_batch_size(void)
{
	struct tlbbatch_pass *pass;
	unsigned int i;

	reclaims();
	tlbbatch_batch_size = 2;
	pass = begin_pass(0);
	for (i = 0; i < 6; i++)
		write_dirty(i ? 0xf : 0x1f);
	end_pass(pass);
	tlbbatch_batch_size = TLBBATCH_BATCH_DEFAULT;
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 3 && COUNTED(WHATIF_FOLIOS_DEFERRED) == 3,
	   "A3: the batch_size of batching holds");
	ok_int(COUNTED(WHATIF_RECEIVERS_LEFT), 3 + 2 + 2,
	       "A3: a flush that is left reaches nobody for those before it");
}

/* Rule S7: with shootdown/defer_min_cpus, few interrupted CPUs aren't worth waiting. */
static void test_worth(void)
{
	struct tlbbatch_pass *pass;

	reclaims();
	tlbbatch_receivers_min = 3;
	pass = begin_pass(0);
	/* The pass keeps its minimum. */
	tlbbatch_receivers_min = 1;
	write_dirty(0xf);
	ok(!COUNTED(WHATIF_FOLIOS_DEFERRED) && COUNTED(WHATIF_FLUSHES_LEFT) == 1 &&
	   COUNTED(WHATIF_RECEIVERS_LEFT) == 2, "A3: S7: a flush to two isn't put off, if three must be");
	write_dirty(0x1f);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 1, "A3: S7: one to three is");
	write_dirty(0xf);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 2, "A3: S7: and what follows waits with it");
	end_pass(pass);
	ok(COUNTED(WHATIF_FLUSHES_LEFT) == 2 && COUNTED(WHATIF_RECEIVERS_LEFT) == 2 + 3,
	   "A3: S7: two of three flushes are left");
	anew();
	tlbbatch_receivers_min = 3;
	pass = begin_pass(0);
	tlbbatch_receivers_min = 1;
	/* It meets no gate, so that its flush stays owed. */
	unmap(0xf, true);
	try_to_unmap_flush_dirty();
	unmap(BIT(4), false);
	write_folio(true, true, 1);
	ok_int(COUNTED(WHATIF_FOLIOS_DEFERRED), 1,
	       "A3: S7: who has clean entries to flush is interrupted, too");
	end_pass(pass);
}

static unsigned int row_of(const struct tlbbatch_feature *feature)
{
	const struct tlbbatch_row *row;

	for_each_tlbbatch_feature(row)
		if (row->feature == feature)
			break;
	return row - tlbbatch_features;
}

static void test_unjudged(void)
{
	struct tlbbatch_pass *pass;

	ok(row_of(&tlbbatch_batch) < row_of(&tlbbatch_advise), "A4: batching begins in a pass first");

	reclaims();
	demotion = true;
	lower = true;
	pass = begin_pass(0);
	write_dirty(0xf);
	end_pass(pass);
	ok(COUNTED(PASSES_DEMOTING) == 1 && COUNTED(FLUSHES_RECLAIM_DIRTY) == 1,
	   "A4: a pass that demotes: its flushes have their causes");
	ok(!COUNTED(WHATIF_FLUSHES) && !COUNTED(WHATIF_FLUSHES_LEFT), "A4: but it isn't judged");
	demotion = lower = false;
	anew();
	/* As batching, which begins in the pass before advise does. */
	pass = tlbbatch_pass_enter(0) ? tlbbatch_pass_current() : NULL;
	pass->puts_off = true;
	pass->pgdat = &sim_nodes[0];
	tlbbatch_advise.pass_begin(pass);
	unmap(0xf, true);
	ok_int(COUNTED(PASSES_PUT_OFF), 1, "A4: a pass that is batched");
	/* Batching puts the flush off, and issues it later. */
	tlbbatch_advise.watches->entries[2].see(&(struct ftrace_regs){ });
	try_to_unmap_flush();
	ok(COUNTED(FLUSHES_RECLAIM_LAST) == 1 && !COUNTED(FLUSHES_RECLAIM_DIRTY),
	   "A4: what is left of its flushes are last ones");
	ok(!COUNTED(WHATIF_FLUSHES) && !COUNTED(WHATIF_FLUSHES_LEFT), "A4: and it isn't judged");
	end_pass(pass);
}

int main(void)
{
	ok_int(advise_world_init(), 0, "it loads");
	ok_int(write_mode("watch\n"), 6, "it watches");
	current = &reclaimer;
	test_pass();
	test_frees();
	test_kinds();
	test_batch_size();
	test_worth();
	test_unjudged();
	current = &admin;
	ok_int(write_mode("off\n"), 4, "it is switched off");
	sim_unload();
	return hook_world_done();
}
