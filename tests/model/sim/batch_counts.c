// SPDX-License-Identifier: GPL-2.0-only
/* What batching counts, and what it remembers: rule B13. See batch_rules.c. */
#include "batch_world.h"
#include "hooks/watch.h"

static void test_counts(void)
{
	struct folio folio;
	unsigned int i;

	anew(8);
	for (i = 1; i <= 3; i++) {
		folio = anon_folio(1);
		pass_begin(&one);
		reclaim(&folio);
		ok_int(pass_end(&one), 1, "what is freed is added to reclaim's result");
		ok_int(counted(TLBBATCH_FLUSHES_DEFERRING), i, "B13: a pass counts its own flushes");
		ok_int(counted(TLBBATCH_BATCHES), i, "B13: and its batch");
	}
	pass_begin(&one);
	pass_end(&one);
	ok_int(counted(TLBBATCH_PASSES_DEFERRING), 3,
	       "B13: a pass in which no folio waits isn't one that defers");
	ok(folio.freed && world.evicted_from == &target_group,
	   "B13: the shadow entry has the cgroup that reclaim is for");
	folio = anon_folio(1);
	world.for_all = true;
	pass_begin(&one);
	reclaim(&folio);
	pass_end(&one);
	ok(folio.freed && !world.evicted_from, "B13: none if reclaim is for all");
	ok_int(counted(TLBBATCH_FOLIOS_DEFERRED_SHMEM), 0, "B13: no folio was shmem's");
	folio = shmem_folio(1);
	pass_begin(&one);
	reclaim(&folio);
	pass_end(&one);
	ok_int(counted(TLBBATCH_FOLIOS_DEFERRED_SHMEM), 1, "B13: one was");
	anew(8);
	folio = anon_folio(4);
	pass_begin(&one);
	reclaim(&folio);
	ok_int(counted(TLBBATCH_FOLIOS_DEFERRED_LARGE), 1, "B13: a large folio waits");
	ok_int(pass_end(&one), 4, "B13: all of its pages are reclaimed");
	ok(counted(TLBBATCH_FOLIOS_WRITTEN) == 1 && counted(TLBBATCH_FOLIOS_FREED) == 1 &&
	   counted(TLBBATCH_FOLIOS_DEFERRED) == 1, "B13: it counts as one, however large");
	anew(8);
	pass_begin(&one);
	/* For a dirty folio whose page table entries are clean. */
	current->tlb_ubc.flush_required = true;
	tlbbatch_hook_try_to_unmap_flush_dirty();
	ok(!counted(TLBBATCH_FLUSHES_REQUESTED) && !tlbbatch_contexts_owe(),
	   "B13: a flush that nobody needs isn't asked for, nor owed");
	pass_end(&one);
	anew(1);
	folio = anon_folio(1);
	pass_begin(&one);
	reclaim(&folio);
	pass_end(&one);
	ok(folio.writes == 1 && !counted(TLBBATCH_BATCHES),
	   "B13: a folio that is written at once, and behind which nothing waits, is no batch");
}

#define MANY	39

/* More than are freed together. */
static void test_groups(void)
{
	static struct folio folios[MANY];
	unsigned int room = ARRAY_SIZE(((struct folio_batch *)0)->folios), freed = 0, i;

	anew(MANY + 1);
	pass_begin(&one);
	for (i = 0; i < MANY; i++) {
		folios[i] = anon_folio(1);
		reclaim(&folios[i]);
	}
	ok_int(pass_end(&one), MANY, "what waited is reclaimed");
	for (i = 0; i < MANY; i++)
		freed += folios[i].freed;
	ok_int(freed, MANY, "B13: all of it is freed");
	ok_int(world.groups, (MANY + room - 1) / room, "B12: together, as many as there is room for");
}

static void test_witness(void)
{
	ok_int(tlbbatch_batch_watches.nr_points, IS_7_3,
	       "B4: reclaim's trace event is watched where its statistics don't tell");
}

static void test_events(void)
{
	struct folio folio = anon_folio(1), other = anon_folio(1), third = anon_folio(1);

	/* It is written at once. */
	anew(1);
	pass_begin(&one);
	reclaim(&folio);
	pass_end(&one);
	ok(!sim_events("defer") && !sim_events("drain"), "E1: of an empty batch no event tells");
	folio = anon_folio(1);
	anew(8);
	pass_begin(&one);
	reclaim(&folio);
	reclaim(&other);
	reclaim(&third);
	ok(sim_events("defer") == 3 && !sim_events("drain"), "E1: an event for each folio that waits");
	other.mapped = true;
	pass_end(&one);
	ok(sim_events("drain") == 1 && sim_events("drop") == 1 && sim_events("defer") == 3,
	   "E1: one for the batch, and one for the folio that was dropped");
	ok_int(counted(TLBBATCH_FOLIOS_DROPPED), 1, "one was");
}

/* Flushes for those who write a folio, or remove it, while a pass owes one. */
static void others_flush(struct folio *folio)
{
	tlbbatch_flush_before_foreign_write(folio);
	tlbbatch_flush_before_removal(folio);
}

static void test_others(void)
{
	struct folio folio = shmem_folio(1);

	anew(8);
	pass_begin(&one);
	others_flush(&folio);
	unmap_dirty();
	folio.on_lru = true;
	others_flush(&folio);
	ok(!world.flushes_of_all && !counted(TLBBATCH_FOREIGN_WRITES_FLUSHED) &&
	   !counted(TLBBATCH_REMOVALS_FLUSHED),
	   "B13: what needs no flush isn't counted as flushed for");
	folio.on_lru = false;
	folio.of_file = true;
	tlbbatch_flush_before_removal(&folio);
	ok(!world.flushes_of_all && !counted(TLBBATCH_REMOVALS_FLUSHED),
	   "B20: a file's folio that is removed needs no flush: none that owes one is in a file");
	folio.of_file = false;
	tlbbatch_flush_before_removal(&folio);
	ok(counted(TLBBATCH_REMOVALS_FLUSHED) == 1 && !counted(TLBBATCH_FOREIGN_WRITES_FLUSHED),
	   "B13: a removal is counted as one");
	tlbbatch_flush_before_foreign_write(&folio);
	ok(world.flushes_of_all == 2 && counted(TLBBATCH_FOREIGN_WRITES_FLUSHED) == 1 &&
	   counted(TLBBATCH_REMOVALS_FLUSHED) == 1, "B13: what needs one is");
	pass_end(&one);
}

/* Of two folios, each owes a flush that interrupts the other one of two CPUs. */
static u64 ipis_avoided(bool covered)
{
	unsigned int i;

	anew(8);
	pass_begin(&one);
	for (i = 0; i < 2; i++)
		unmap_dirty();
	/* Somebody else flushes for the task. */
	if (covered)
		current->tlb_ubc = (struct tlbflush_unmap_batch){ };
	tlbbatch_hook_try_to_unmap_flush();
	ok(!tlbbatch_contexts_owe(), "B15, B20: behind reclaim's flush nothing is owed, whoever flushed");
	pass_end(&one);
	ok_int(counted(TLBBATCH_FLUSHES_REQUESTED),
	       counted(TLBBATCH_FLUSHES_ISSUED) + counted(TLBBATCH_FLUSHES_AVOIDED),
	       "B13: each flush that was asked for was issued or avoided");
	return counted(TLBBATCH_IPIS_AVOIDED);
}

static void test_ipis(void)
{
	ok_int(ipis_avoided(false), 1, "B13: of two flushes' interrupts, one's are avoided");
	ok_int(ipis_avoided(true), 2, "B13: both's are if somebody else flushes");
	sim_invlpgb = true;
	ok_int(ipis_avoided(false), 0, "B13: none are where flushes send none");
	sim_invlpgb = false;
	/* One that doesn't run what was unmapped interrupts both. */
	sim_cpu = 2;
	ok_int(ipis_avoided(false), 2, "B13: and two where the CPU that flushes isn't one of them");
	sim_cpu = 0;
}

static void test_activated(void)
{
	struct folio folio = anon_folio(4);

	let_wait(&folio);
	world.write = refuses;
	pass_end(&one);
	ok(folio.active && !folio.locked, "a folio whose write-out is refused is active");
	ok(!folio.reclaim, "B13: it isn't marked as being written any more");
	ok_int(group.activated, 4, "B13: its cgroup counts its pages");
	ok_int(sim_pgactivate, 4, "B13: so does the system");
	ok_int(one.stat.nr_activate[0], 4, "B13: and the pass");
	ok_int(sim_nodes[0].written, IS_7_3 ? 0 : -4, "B13: they aren't counted as written");
	ok_int(sim_breaches(), 0, "B13: its cgroup is used under RCU's read lock");
}

static int is_mlocked_and_refuses(struct folio *folio)
{
	folio->mlocked = true;
	return AOP_WRITEPAGE_ACTIVATE;
}

static void test_mlocked(void)
{
	struct folio folio = anon_folio(4);

	let_wait(&folio);
	world.write = is_mlocked_and_refuses;
	pass_end(&one);
	ok(world.swap_freed == 1 && !folio.locked,
	   "B13: a folio that was mlocked meanwhile gives its swap entry back");
	ok(!folio.active && !group.activated && !sim_pgactivate, "B13: and isn't activated");
	anew(8);
	folio = anon_folio(4);
	world.swap_full = true;
	pass_begin(&one);
	reclaim(&folio);
	world.write = refuses;
	pass_end(&one);
	ok(world.swap_freed == 1 && folio.active,
	   "B13: swap is full: a folio whose write-out is refused gives its entry back, too");
}

static int fails(struct folio *folio)
{
	folio->writes++;
	folio_unlock(folio);
	return -EIO;
}

static int has_no_space(struct folio *folio)
{
	fails(folio);
	return -ENOSPC;
}

static int fails_and_leaves(struct folio *folio)
{
	folio->mapping = NULL;
	return fails(folio);
}

/* Somebody else locks it at once. */
static int fails_and_is_locked(struct folio *folio)
{
	fails(folio);
	folio->locked = true;
	return -EIO;
}

static int error_of(int (*write)(struct folio *folio))
{
	struct folio folio = shmem_folio(1);

	let_wait(&folio);
	world.write = write;
	pass_end(&one);
	ok(folio.writes == 1 && counted(TLBBATCH_WRITE_ERRORS) == 1, "an error is counted");
	ok_int(folio.locked, write == fails_and_is_locked, "only who locked it unlocks it");
	ok(counted(TLBBATCH_FOLIOS_WRITTEN) == 1 && !counted(TLBBATCH_FOLIOS_DROPPED) &&
	   !sim_nodes[0].written, "B13: a folio whose write-out fails was written, as the kernel counts");
	ok(!folio.reclaim, "B13: what is written already isn't marked as being written");
	return shmem_file.error;
}

static void test_errors(void)
{
	ok_int(error_of(fails), -EIO, "B13: the file of a folio has its error");
	ok_int(error_of(has_no_space), -ENOSPC, "B13: the error that it was");
	ok_int(error_of(fails_and_leaves), 0, "B13: unless the folio has left it");
	ok_int(error_of(fails_and_is_locked), 0, "B6: nor if somebody has locked it: that isn't waited for");
}

static int begins(struct folio *folio)
{
	folio->writes++;
	folio->writeback = true;
	folio_unlock(folio);
	return 0;
}

static void test_under_way(void)
{
	struct folio folio = anon_folio(1);

	let_wait(&folio);
	world.write = begins;
	pass_end(&one);
	ok_int(folio.refs, 2, "B5: a folio whose write-out goes on has no reference of the batch");
	ok(folio.writes == 1 && folio.reclaim,
	   "B13: a folio whose write-out goes on keeps the mark that moves it to the end of its list");
	anew(8);
	folio = anon_folio(1);
	pass_begin(&one);
	reclaim(&folio);
	world.write = fails;
	pass_end(&one);
	ok_int(counted(TLBBATCH_WRITE_ERRORS), 1, "B13: an error of swap's write-out is counted");
	ok_int(swap_space.error, -EIO, "B13: and recorded");
}

/* Two nodes. */
static void test_nodes(void)
{
	struct folio folio = anon_folio(4);

	anew(8);
	folio.nid = 1;
	pass_begin(&one);
	reclaim(&folio);
	pass_end(&one);
	ok(!sim_nodes[0].written && !sim_nodes[1].written, "B13: the kernel counts what is written");
	anew(8);
	folio = anon_folio(4);
	folio.nid = 1;
	pass_begin(&one);
	reclaim(&folio);
	folio.mapped = true;
	pass_end(&one);
	ok(sim_nodes[1].written == (IS_7_3 ? 0 : -4) && !sim_nodes[0].written,
	   "B13: what it counted, and isn't written, is taken back where it was counted");
	anew(8);
	folio = anon_folio(1);
	folio.nid = 1;
	world.demotion = world.lower = true;
	world.demotes = 0;
	one.nid = 1;
	pass_begin(&one);
	reclaim(&folio);
	ok_int(counted(TLBBATCH_FOLIOS_DEFERRED), 1, "B19: another node demotes: this one's folio waits");
	pass_end(&one);
	ok_int(counted(TLBBATCH_PASSES), 1, "B19: and its pass is batched");
}

static void test_error_at_once(void)
{
	struct folio folio = anon_folio(1);

	anew(1);
	pass_begin(&one);
	world.write = fails;
	ok_int(reclaim(&folio), -EIO, "a write-out that doesn't wait fails");
	pass_end(&one);
	ok(!sim_work, "B4: it is seen, as reclaim counts it");
}

int main(void)
{
	world_init();
	test_counts();
	test_groups();
	test_witness();
	test_events();
	test_others();
	test_ipis();
	test_activated();
	test_mlocked();
	test_errors();
	test_under_way();
	test_nodes();
	test_error_at_once();
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
