// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding what a pass frees: reclaim's three calls, what is left out of them, and that
 * nothing is freed unflushed, nothing twice, and nothing never.
 * Rules G1, G2, G3, G4, G5, G6, G7 and G8.
 */
#include <tlbbatch/hold_stats.h>
#include "hook_rules.h"
#include "core/counters.h"
#include "hold/hold.h"
#include "hold/hold_pass.h"
#include "hold/hold_policy.h"
#include "pass/flush_calls.h"
#include "pass/pass_calls.h"

#define NR_FOLIOS	400
#define BLOCK		4096

enum {
#define X(upper, lower) upper,
	HOLD_COUNTERS(X)
#undef X
	NR
};

bool sim_off_stack, sim_no_memcg;
static struct pglist_data node;
static struct reclaim_stat stat;
static struct folio folios[NR_FOLIOS];
static unsigned int next, flushes, freed, early, demotes;
static bool extent_unknown, ends_early;
/* What happens in the middle of a pass, behind so many folios; or NULL. */
static void (*meanwhile)(void);
static unsigned int meanwhile_at;

/* --- the kernel -------------------------------------------------------------------------- */

static noinline void uncharge_folios(struct folio_batch *group)
{
	barrier();
}

static noinline void try_to_unmap_flush(void)
{
	unsigned int i;

	barrier();
	if (!current->tlb_ubc.flush_required)
		return;
	flushes++;
	current->tlb_ubc.flush_required = current->tlb_ubc.writable = false;
	for (i = 0; i < NR_FOLIOS; i++)
		folios[i].stale = false;
}

static noinline void free_unref_folios(struct folio_batch *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		early += group->folios[i]->stale;
		group->folios[i]->freed++;
		freed++;
	}
	group->nr = 0;
}

/* A group of somebody else's, frozen. */
static struct folio others[FOLIO_BATCH_SIZE];
static struct folio_batch other;

/* Somebody else frees folios, and a THP is split. Neither is reclaim's group. */
static noinline __attribute__((section(".text.sorted.2"), aligned(BLOCK))) void elsewhere(void)
{
	other.nr = FOLIO_BATCH_SIZE;
	uncharge_folios(&other);
	barrier();
}

static noinline __attribute__((section(".text.sorted.3"), aligned(BLOCK))) void split(void)
{
	barrier();
	try_to_unmap_flush();
	barrier();
}

/* Frees @nr folios of @pages, as shrink_folio_list() does, and nobody else. */
static noinline __attribute__((section(".text.sorted.1"), aligned(BLOCK)))
void reclaim(unsigned int nr, unsigned long pages)
{
	struct folio_batch group = { };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct folio *folio = &folios[next++];

		if (meanwhile && i == meanwhile_at)
			meanwhile();
		folio->nr_pages = pages;
		folio->stale = true;
		current->tlb_ubc.flush_required = true;
		if (folio_batch_add(&group, folio))
			continue;
		uncharge_folios(&group);
		try_to_unmap_flush();
		free_unref_folios(&group);
	}
	if (ends_early)
		return;
	uncharge_folios(&group);
	try_to_unmap_flush();
	free_unref_folios(&group);
}

static int extent(unsigned long addr, unsigned long *size, unsigned long *offset)
{
	*offset = addr - (unsigned long)reclaim;
	*size = BLOCK;
	return !extent_unknown;
}

const char *tlbbatch_demotion_find(void)
{
	return NULL;
}

bool tlbbatch_demotes(int nid)
{
	return demotes;
}

/* --- what a test does ---------------------------------------------------------------------- */

static u64 counted(unsigned int index)
{
	return tlbbatch_counter_read(&tlbbatch_hold_counters, index);
}

static void anew(void)
{
	unsigned int i;

	for (i = 0; i < FOLIO_BATCH_SIZE; i++) {
		others[i] = (struct folio){ .nr_pages = 1 };
		other.folios[i] = &others[i];
	}
	memset(folios, 0, sizeof(folios));
	next = flushes = freed = early = 0;
	meanwhile = NULL;
	current->tlb_ubc.flush_required = current->tlb_ubc.writable = false;
}

/* A pass that frees so many folios. Returns the flushes that it took. */
static unsigned int pass(unsigned int nr, unsigned long pages)
{
	struct tlbbatch_pass *it;

	current = &reclaimer;
	it = tlbbatch_pass_enter(0) ? tlbbatch_pass_begin(&node, NULL, &stat) : NULL;
	reclaim(nr, pages);
	if (it)
		tlbbatch_pass_end(it, 0);
	current = &admin;
	return flushes;
}

/* Each folio was freed once, and behind its flush; nothing is held or owed. */
static bool all_well(void)
{
	unsigned int i;

	for (i = 0; i < next; i++)
		if (folios[i].freed != 1)
			return false;
	for (i = 0; i < FOLIO_BATCH_SIZE; i++)
		if (others[i].freed || others[i].lru.next)
			return false;
	return !early && !tlbbatch_hold_held() && counted(PAGES_HELD) == counted(PAGES_GIVEN_BACK) &&
	       !reclaimer.tlb_ubc.flush_required;
}

static int write_pages(const char *text)
{
	const struct kobj_attribute *attr = (const void *)tlbbatch_hold_files.group->attrs[0];

	return (int)attr->store(NULL, (void *)attr, text, strlen(text));
}

#define ON(pages)	ok(write_pages(pages) > 0, "max_pages %s", pages)

static void test_kernels(void)
{
	ok_int(write_pages("30"), -ERANGE, "less than a group can't be held");
	ok_int(write_pages("1025"), -ERANGE, "nor more than the most");
	sim_no_memcg = true;
	ok_int(write_pages("96"), -EOPNOTSUPP, "G8: without the controller groups can't be seen");
	sim_no_memcg = false;
	extent_unknown = true;
	ok_int(write_pages("96"), -EOPNOTSUPP, "G8: who calls must be known");
	extent_unknown = false;
	anew();
	ok_int(pass(100, 1), 4, "off: a flush for each group, and the last one");
	ok(all_well() && nothing_attached(), "off: nothing is attached");
}

static void test_groups(void)
{
	u64 before = counted(FLUSHES_LEFT_OUT);

	ON("128");
	anew();
	ok_int(pass(100, 1), 1, "a pass of three groups and a rest flushes once");
	ok(all_well(), "G2, G4: all are freed behind the flush, once");
	ok_int(counted(FLUSHES_LEFT_OUT) - before, 3, "a flush is left out for each group");
	ok_int(counted(LATE_FLUSHES), 0, "the last flush was reclaim's own");
	anew();
	ok_int(pass(93, 1), 1, "G4: an empty last group flushes, too");
	ok(all_well(), "G4: and frees all");
	anew();
	ok_int(pass(31, 1), 1, "one full group, and nothing behind it");
	ok(all_well(), "all are freed");
}

static void test_bound(void)
{
	u64 before = counted(REFUSED_FULL);

	ON("62");
	anew();
	ok_int(pass(155, 1), 2, "G5: the third of five groups doesn't fit, and flushes for all");
	ok(all_well() && counted(REFUSED_FULL) == before + 1, "G5: all are freed");
	anew();
	ok_int(pass(62, 4), 2, "G5: pages count, not folios");
	ok(all_well(), "G5: all are freed");
}

static void make_dirty(void)
{
	current->tlb_ubc.writable = true;
}

static void refer(void)
{
	folios[next].refs = 1;
}

static void test_refused(void)
{
	u64 before = counted(REFUSED_DIRTY);

	ON("128");
	anew();
	meanwhile = make_dirty;
	meanwhile_at = 40;
	ok_int(pass(100, 1), 2, "G3: a dirty PTE in the second group: it is flushed, the third is held");
	ok(all_well() && counted(REFUSED_DIRTY) == before + 1, "G3: all are freed");
	before = counted(REFUSED_REFERENCED);
	anew();
	meanwhile = refer;
	meanwhile_at = 40;
	ok_int(pass(100, 1), 2, "G1: somebody refers to a folio of the second group");
	ok(all_well() && counted(REFUSED_REFERENCED) == before + 1, "G1: it is left to reclaim");
	anew();
	demotes = 1;
	ok_int(pass(100, 1), 4, "G6: a pass that demotes holds nothing");
	demotes = 0;
	anew();
	sim_off_stack = true;
	ok_int(pass(100, 1), 4, "G6: nor what isn't on the task's stack");
	sim_off_stack = false;
	ok(all_well(), "all are freed");
}

/* The folios that aren't in a group yet are covered by this flush, too. */
static void test_others(void)
{
	anew();
	meanwhile = split;
	meanwhile_at = 40;
	ok_int(pass(100, 1), 2, "G6: the flush of a split isn't left out");
	ok(all_well(), "G2: what was held is freed behind it");
	anew();
	meanwhile = elsewhere;
	meanwhile_at = 40;
	ok_int(pass(100, 1), 1, "G6: what others uncharge is no group");
	ok(all_well(), "all are freed");
}

/* Uncharges in reclaim's place, and flushes without a group. */
static void uncharge_then_split(void)
{
	elsewhere();
	split();
}

static void test_foreign(void)
{
	anew();
	meanwhile = uncharge_then_split;
	meanwhile_at = 20;
	ok_int(pass(31, 1), 2, "G6: a flush behind a foreign group isn't left out");
	ok(all_well(), "all are freed");
}

/* As if reclaim's last flush had gone unseen, and weren't made either. */
static void test_late(void)
{
	u64 before = counted(LATE_FLUSHES);

	anew();
	ends_early = true;
	ok_int(pass(62, 1), 1, "G4: a last flush that is missing is made up for");
	ends_early = false;
	ok(all_well() && freed == 62 && counted(LATE_FLUSHES) == before + 1, "G4: and all are freed");
}

/* A pass that is open when 0 is written goes on as it began; what begins then holds nothing. */
static void write_off(void)
{
	tlbbatch_hold_set(0);
}

static void test_open(void)
{
	anew();
	meanwhile = write_off;
	meanwhile_at = 40;
	ok_int(pass(100, 1), 1, "G7: an open pass keeps its value");
	ok(all_well(), "G7: all are freed");
	ok_int(tlbbatch_hold_pages(), 0, "G7: the next one has none");
	anew();
	ok_int(pass(100, 1), 4, "G7: and holds nothing, though the hooks are still there");
	ON("128");
}

static void test_off(void)
{
	ok(write_pages("0") > 0, "off");
	ok(nothing_attached(), "G7: nothing is attached");
	ok_int(tlbbatch_hold_pages(), 0, "G7: no pass that begins may hold anything");
	anew();
	ok_int(pass(100, 1), 4, "G7: passes hold nothing any more");
	ok(all_well(), "all are freed");
}

int main(void)
{
	hook_world_init();
	hook_world_has("__mem_cgroup_uncharge_folios", uncharge_folios,
		       "void(struct folio_batch *)");
	hook_world_has("try_to_unmap_flush", try_to_unmap_flush, "void(void)");
	hook_world_has("free_unref_folios", free_unref_folios, "void(struct folio_batch *)");
	hook_world_has("kallsyms_lookup_size_offset", extent,
		       "int(unsigned long, unsigned long *, unsigned long *)");
	ok_int(sim_load(), 0, "it loads");
	ok_str(tlbbatch_hold.unavailable, "", "groups can be seen");
	test_kernels();
	test_groups();
	test_bound();
	test_refused();
	test_others();
	test_foreign();
	test_late();
	test_open();
	test_off();
	sim_unload();
	return hook_world_done();
}
