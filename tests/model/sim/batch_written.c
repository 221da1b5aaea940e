// SPDX-License-Identifier: GPL-2.0-only
/* How folios are written, those that wait and others: rules B2, B8, B12, B18, B19 and W5. */
#include "batch_world.h"
#include "batch/reclaim_context.h"
#include "hooks/watch.h"
#include "pass/pass_calls.h"

/* --- a batch ----------------------------------------------------------------------------- */

static u64 waiting_then;

static int sees_waiting(struct folio *folio)
{
	waiting_then = tlbbatch_contexts_waiting_folios();
	world.written++;
	folio_unlock(folio);
	return 0;
}

static void test_one_flush(void)
{
	struct folio folios[3];
	unsigned int i;

	anew(8);
	pass_begin(&one);
	for (i = 0; i < ARRAY_SIZE(folios); i++) {
		folios[i] = anon_folio(1);
		reclaim(&folios[i]);
	}
	ok_int(world.flushes, 0, "B18: three folios wait, and nothing has been flushed");
	world.write = sees_waiting;
	pass_end(&one);
	ok(world.flushes == 1 && world.written == 3, "B18: one flush is for all of them");
	ok_int(waiting_then, 3, "B13: what isn't written yet still waits");
	ok_int(sim_yields, 3, "behind each write-out others may run");
}

static void test_submitted(void)
{
	struct folio folio = anon_folio(1);

	anew(8);
	world.gathers = true;
	pass_begin(&one);
	reclaim(&folio);
	ok(!world.submitted, "a folio waits");
	pass_end(&one);
	ok(world.submitted, "B11: what was gathered is submitted before the pass is over");
}

/* Reclaim frees something in between: its flush covers what waits. */
static void test_mid_flush(void)
{
	struct folio folios[4];
	unsigned int i;

	anew(4);
	pass_begin(&one);
	for (i = 0; i < ARRAY_SIZE(folios); i++) {
		folios[i] = anon_folio(1);
		if (i == 2)
			tlbbatch_hook_try_to_unmap_flush();
		ok_int(tlbbatch_contexts_waiting_folios(), i, "B13: what is covered waits as well");
		ok_int(world.written, 0, "B10: a flush writes nothing");
		reclaim(&folios[i]);
	}
	ok(counted(TLBBATCH_FOLIOS_DEFERRED) == 3 && counted(TLBBATCH_FOLIOS_DIRECT) == 1,
	   "B18: folios that are covered count in a batch as well");
	ok_int(world.written, 4, "B18: the one that fills it is written, and the others behind it");
	pass_end(&one);
	ok_int(counted(TLBBATCH_FLUSHES_DEFERRING), 2, "B13: both flushes of the pass are counted");
}

/* Entries that were clean: reclaim flushes before it frees, and owes a write-out nothing. */
static void test_clean_entries(void)
{
	struct folio folio = anon_folio(1);

	anew(8);
	pass_begin(&one);
	world.unmaps_clean = true;
	reclaim(&folio);
	ok(folio.writes == 1 && !world.flushes && !counted(TLBBATCH_FOLIOS_DEFERRED),
	   "B18: a folio that owes no flush is written at once, without one");
	pass_end(&one);
}

static void test_width(void)
{
	struct folio folios[6];
	unsigned int i;

	anew(4);
	tlbbatch_pass_width = 16;
	pass_begin(&one);
	for (i = 0; i < ARRAY_SIZE(folios); i++) {
		folios[i] = anon_folio(1);
		reclaim(&folios[i]);
	}
	ok_int(world.written, 0, "W5: a batch has room for a pass that another feature widens");
	pass_end(&one);
	anew(4);
	tlbbatch_pass_width = 0;
	pass_begin(&one);
	tlbbatch_pass_width = 16;
	for (i = 0; i < 4; i++) {
		folios[i] = anon_folio(1);
		reclaim(&folios[i]);
	}
	ok_int(world.written, 4, "B18: a pass keeps the size that a batch had when it began");
	pass_end(&one);
	tlbbatch_pass_width = 0;
}

/* --- in a write-out ---------------------------------------------------------------------- */

static unsigned int flushed_within;
static bool gated_within;

/* Shmem's write-out splits a folio: it unmaps that, and flushes. */
static int flushes_within(struct folio *folio)
{
	unsigned int before = world.flushes;

	current->tlb_ubc.flush_required = true;
	tlbbatch_hook_try_to_unmap_flush();
	flushed_within = world.flushes - before;
	gated_within = tlbbatch_context_gates(0);
	folio->writes++;
	folio_unlock(folio);
	return 0;
}

static void test_within(struct folio folio, const char *what)
{
	anew(8);
	pass_begin(&one);
	world.write = flushes_within;
	reclaim(&folio);
	if (!folio.writes)
		pass_end(&one);
	ok(folio.writes == 1 && flushed_within == 1, "B2: %s: a flush within its write-out is issued", what);
	ok(!gated_within, "B1: %s: what its write-out writes goes by the gates", what);
	if (tlbbatch_pass_current()) {
		ok(tlbbatch_context_gates(0), "B1: %s: behind it they are open for the next folio", what);
		pass_end(&one);
	}
}

/* --- what isn't written -------------------------------------------------------------------- */

static void test_dropped_clean(void)
{
	struct folio folio = anon_folio(1);

	let_wait(&folio);
	folio.dirty = false;
	folio.locked = true;
	pass_end(&one);
	ok(counted(TLBBATCH_DROPPED_LOCKED) == 1 && !folio.dirty,
	   "B8: what somebody has locked isn't touched, and not marked dirty");

	anew(8);
	folio = anon_folio(1);
	pass_begin(&one);
	reclaim(&folio);
	folio.dirty = false;
	pass_end(&one);
	ok(counted(TLBBATCH_DROPPED_CLEAN) == 1 && folio.dirty,
	   "B8: what somebody else has written is marked dirty again");
}

/* A driver writes shmem: it is in the swap cache now. */
static void test_dropped_gone(void)
{
	struct folio folio = shmem_folio(1);

	let_wait(&folio);
	folio.mapping = &swap_space;
	folio.swapcache = true;
	folio.dirty = false;
	pass_end(&one);
	ok(counted(TLBBATCH_DROPPED_GONE) == 1 && !folio.dirty,
	   "B8, B14: what has left its mapping isn't touched, and not marked dirty");
}

static void test_dropped_split(void)
{
	struct folio folio = anon_folio(4);

	let_wait(&folio);
	folio.nr = 1;
	pass_end(&one);
	ok(counted(TLBBATCH_DROPPED_SPLIT) == 1 && sim_nodes[0].written == (IS_7_3 ? 0 : -4),
	   "B13: as many pages are taken back as were counted, whatever a folio has now");
}

/* Only some of the folios that wait are covered, and the last flush is missing. */
static void test_partly_covered(void)
{
	struct folio covered = anon_folio(1), folio = anon_folio(1);

	let_wait(&covered);
	tlbbatch_hook_try_to_unmap_flush();
	reclaim(&folio);
	tlbbatch_pass_end(tlbbatch_pass_current(), 0);
	ok(covered.writes == 1 && folio.writes == 1 && world.flushes == 2,
	   "B1: what isn't covered yet is flushed before it is written");
}

/* Somebody truncates it. */
static int written_and_left(struct folio *folio)
{
	folio->writes++;
	folio_unlock(folio);
	folio->mapping = NULL;
	return 0;
}

static void test_left(void)
{
	struct folio folio = shmem_folio(1);

	let_wait(&folio);
	world.write = written_and_left;
	ok(!pass_end(&one) && folio.writes == 1 && !folio.freed && !folio.locked,
	   "B12: a folio that has left its mapping isn't taken out of it");
}

/* --- a pass in a pass ------------------------------------------------------------------------ */

static void see_write(struct folio *folio)
{
	void (*probe)(void *data, struct folio *folio) = tlbbatch_batch_watches.points[0].probe;

	probe(NULL, folio);
}

static void test_nested(void)
{
	struct folio waits = anon_folio(1), folio = anon_folio(4);
	struct tlbbatch_context *ctx;
	struct tlbbatch_pass *outer;
	u64 traced;

	let_wait(&waits);
	outer = tlbbatch_pass_current();
	ctx = tlbbatch_context_of(outer);
	traced = ctx->pages_traced;
	see_write(&folio);
	ok_int(ctx->pages_traced - traced, 4, "B4: the trace event's pages are those of the pass");
	if (!tlbbatch_pass_enter(0))
		abort();
	tlbbatch_pass_begin(&sim_nodes[0], outer->sc, &one.stat);
	see_write(&folio);
	ok_int(ctx->pages_traced - traced, 4, "B19: but not those of a pass in it");
	ok(ctx->nr_waiting == 1 && !tlbbatch_context_acts(0),
	   "B19: one that is nested doesn't begin again, nor act");
	tlbbatch_pass_end(outer, 0);
	ok(tlbbatch_context_acts(0) && !waits.writes, "B19: nor does it end the outer one");
	/* Batching is being switched off, which waits for the outer pass. */
	tlbbatch_pass_leave(&tlbbatch_batch_part);
	if (!ok(tlbbatch_pass_enter(0), "B19: batching ends: a pass in a pass is noticed all the same"))
		abort();
	ok(!tlbbatch_context_acts(0), "B19: and doesn't act");
	tlbbatch_pass_end(outer, 0);
	pass_end(&one);
	ok_int(waits.writes, 1, "B11: that one ends as ever");
}

int main(void)
{
	world_init();
	test_one_flush();
	test_submitted();
	test_mid_flush();
	test_clean_entries();
	test_width();
	test_within(shmem_folio(4), "a large folio of shmem");
	test_within(shmem_folio(1), "a folio that waited");
	test_dropped_clean();
	test_dropped_gone();
	test_dropped_split();
	test_partly_covered();
	test_left();
	test_nested();
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
