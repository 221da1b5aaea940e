// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pass whose flush may be put off. It notes what it unmaps. When reclaim is about to flush
 * and free a group of folios, and all that was unmapped is in that group, read-only and of
 * files that nobody may write, then these folios are held back, and the flush is owed for
 * them (luf_defer_owed.c). Reclaim frees the rest of the group, which nobody had mapped.
 *
 *  try_to_unmap()	noted, before it acts
 *  try_to_unmap_flush()	judged: see module/pass/flush_calls.c
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include "arch/x86.h"
#include "debug/debug.h"
#include "luf/luf_defer_counters.h"
#include "luf/luf_defer_interest.h"
#include "luf/luf_defer_knobs.h"
#include "luf/luf_defer_owed.h"
#include "luf/luf_defer_pass.h"
#include "luf/luf_defer_policy.h"
#include "luf/luf_defer_room.h"
#include "luf/luf_held.h"
#include "pass/demotion.h"
#include "pass/flush_calls.h"
#include "pass/group.h"
#include "pass/pass.h"

/**
 * struct part - what is remembered of a pass
 * @batch: luf/batch in pages, as it was when the pass began
 * @mixed: something was unmapped, or may have been, for which the flush can't be put off
 * @hit: an event met one of @files; written by anybody
 * @files: hashes of the files of @unmapped, each counted as interest; read by anybody
 * @nr: how many are noted
 * @unmapped: folios that reclaim went to unmap since the last flush, in that order
 */
struct part {
	unsigned int batch;
	bool mixed;
	bool hit;
	DECLARE_BITMAP(files, TLBBATCH_DEFER_FILES);
	unsigned int nr;
	const struct folio *unmapped[TLBBATCH_DEFER_UNMAPS];
};

struct tlbbatch_pass_part tlbbatch_defer_part = {
	.size = sizeof(struct part),
	.unseen = &tlbbatch_defer_counts.value[DEFER_PASSES_UNSEEN],
};

static __always_inline struct part *part_of(struct tlbbatch_pass *pass)
{
	return tlbbatch_pass_memory(pass, &tlbbatch_defer_part);
}

static void begin_anew(struct part *part)
{
	tlbbatch_held_forget(part, part->unmapped, part->nr);
	part->mixed = current->tlb_ubc.flush_required;
	part->nr = 0;
	tlbbatch_interest_drop(part->files);
	bitmap_zero(part->files, TLBBATCH_DEFER_FILES);
	WRITE_ONCE(part->hit, false);
}

/**
 * tlbbatch_defer_begin() - a pass begins
 * @pass: the pass
 *
 * Context: reclaim, before the original.
 */
void tlbbatch_defer_begin(struct tlbbatch_pass *pass)
{
	struct part *part = part_of(pass);

	part->batch = tlbbatch_defer_batch();
	begin_anew(part);
	/* Demotion migrates, retries and flushes in between: as for rule B19. */
	if (part->batch && tlbbatch_owed_has(pass->pgdat->node_id) &&
	    !tlbbatch_demotes(pass->pgdat->node_id))
		pass->flushes |= TLBBATCH_FLUSH_DEFERRED;
}

/**
 * tlbbatch_defer_end() - a pass is over
 * @pass: the pass
 *
 * Reclaim has flushed, or its last flush is owed, so nothing is noted any more.
 *
 * Context: reclaim, after the original; no lock held.
 */
void tlbbatch_defer_end(struct tlbbatch_pass *pass)
{
	pass->flushes &= ~TLBBATCH_FLUSH_DEFERRED;
	begin_anew(part_of(pass));
	tlbbatch_owed_release_if_low(pass->pgdat->node_id);
}

static bool file_fits(struct address_space *file)
{
	return tlbbatch_defer_file_fits(&(struct tlbbatch_defer_file){
		.magic = file->host->i_sb->s_magic,
		.open_for_write = inode_is_open_for_write(file->host) ||
				  mapping_writably_mapped(file),
	}) || tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_FILES);
}

/* Rule D1: under the folio lock, before the unmap. */
static bool fits(struct part *part, struct folio *folio)
{
	struct address_space *file;
	unsigned int hash;

	if (folio_test_anon(folio) || folio_test_swapcache(folio))
		return false;
	/* free_unref_page_list() can't free these. */
	if (folio_test_large(folio) && !tlbbatch_groups_are_arrays())
		return false;
	file = folio_mapping(folio);
	/* quotaoff drops the page cache of these, and no event tells. */
	if (!file || !file->host || IS_NOQUOTA(file->host))
		return false;
	/* Interest in such a file would make each of its writers flush, for nothing. */
	if (!file_fits(file))
		return false;
	hash = tlbbatch_defer_hash(file);
	if (!test_bit(hash, part->files)) {
		/* Before the barrier of tlbbatch_interest_add(): see tlbbatch_defer_hit(). */
		__set_bit(hash, part->files);
		tlbbatch_interest_add(hash);
	}
	return file_fits(file);
}

/**
 * tlbbatch_defer_see_unmap() - try_to_unmap() begins
 * @folio: locked
 * @batched: its flush may wait for the pass's
 *
 * Context: task, preemption off.
 */
void tlbbatch_defer_see_unmap(struct folio *folio, bool batched)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();
	struct part *part;

	if (!pass || !(pass->flushes & TLBBATCH_FLUSH_DEFERRED))
		return;
	part = part_of(pass);
	if (part->mixed)
		return;
	if (pass->depth == 1 && batched && part->nr < TLBBATCH_DEFER_UNMAPS && fits(part, folio)) {
		tlbbatch_held_note(part, folio, folio_mapping(folio));
		part->unmapped[part->nr++] = folio;
	} else {
		part->mixed = true;
	}
}

/**
 * tlbbatch_defer_hit() - an event meets passes that haven't flushed yet
 * @hash: of the file
 *
 * Rule D3. They flush themselves, as they would without deferral. No lock is taken: a mark
 * too many is on the safe side. The caller has made a full barrier behind what happens, or behind
 * what makes passes refuse the file. So a pass that isn't seen here sees that.
 *
 * Context: task.
 */
void tlbbatch_defer_hit(unsigned int hash)
{
	unsigned int slot;

	for (slot = 0; slot < tlbbatch_nr_passes(); slot++) {
		struct part *part = part_of(tlbbatch_pass_at(slot));

		if (READ_ONCE(tlbbatch_passes.owners[slot]) && test_bit(hash, part->files))
			WRITE_ONCE(part->hit, true);
	}
}

static bool names_other_cpu(void)
{
	return cpumask_any_but(tlbbatch_arch_batch_mask(tlbbatch_arch_my_batch()),
			       raw_smp_processor_id()) < nr_cpu_ids;
}

/* Looks at the group: is all that was unmapped in it? Counts its pages by zone. */
static bool covers(const struct part *part, struct tlbbatch_group *group, unsigned int *pages)
{
	struct tlbbatch_group_walk walk;
	unsigned int next = 0;
	struct folio *folio;

	for_each_tlbbatch_group_folio(folio, group, &walk) {
		if (!tlbbatch_defer_next_is((const void *const *)part->unmapped, part->nr,
					    &next, folio))
			continue;
		if (folio_ref_count(folio))
			return false;
		pages[folio_zonenum(folio)] += folio_nr_pages(folio);
	}
	return next == part->nr || tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_KEPT);
}

static void take_over(struct tlbbatch_pass *pass, struct part *part,
		      struct tlbbatch_group *group, const unsigned int *pages)
{
	struct tlbbatch_group_walk walk;
	unsigned int next = 0, zone;
	struct folio *folio;
	LIST_HEAD(folios);

	for_each_tlbbatch_group_folio(folio, group, &walk)
		if (tlbbatch_defer_next_is((const void *const *)part->unmapped, part->nr,
					   &next, folio))
			tlbbatch_group_take(&walk, &folios);
	tlbbatch_group_close(group);
	tlbbatch_defer_count(DEFER_FLUSHES, 1);
	for (zone = 0; zone < MAX_NR_ZONES; zone++)
		tlbbatch_defer_count(DEFER_PAGES_HELD, pages[zone]);
	list_for_each_entry(folio, &folios, lru)
		tlbbatch_held_hold(part, folio);
	tlbbatch_owed_add(pass->pgdat->node_id, &folios, pages, part->files);
	/*
	 * Rule D3: an event that came too early to find them there has hit the pass. Pairs with
	 * the barrier behind tlbbatch_defer_hit(), luf_defer_events.c.
	 */
	smp_mb();
	if (!READ_ONCE(part->hit))
		tlbbatch_held_settle(part, part->unmapped, part->nr);
	part->nr = 0;
	if (READ_ONCE(part->hit)) {
		WRITE_ONCE(part->hit, false);
		tlbbatch_owed_release(pass->pgdat->node_id, DEFER_CAUSE_OPEN);
	} else if (tlbbatch_owed_is_full(pass->pgdat->node_id, part->batch)) {
		tlbbatch_owed_release(pass->pgdat->node_id, DEFER_CAUSE_FULL);
	}
}

/* If there is no room, one flush gives back all that is held. So not each pass that finds none flushes. */
static bool make_room(int nid, const unsigned int *pages, unsigned int batch)
{
	if (tlbbatch_owed_reserve(nid, pages, batch))
		return true;
	if (!tlbbatch_defer_could_have_room(nid, pages, batch))
		return false;
	tlbbatch_owed_release(nid, DEFER_CAUSE_FULL);
	return tlbbatch_owed_reserve(nid, pages, batch);
}

static enum tlbbatch_defer_verdict judge(const struct tlbbatch_pass *pass, struct part *part,
					 struct tlbbatch_group *group, unsigned int *pages)
{
	struct tlbbatch_luf_defer_facts facts = {
		.owes = current->tlb_ubc.flush_required,
		.dirty = current->tlb_ubc.writable,
		.mixed = part->mixed || !part->nr || !group || tlbbatch_held_tripped(),
		.remote = names_other_cpu(),
		.hit = READ_ONCE(part->hit),
	};
	enum tlbbatch_defer_verdict verdict = tlbbatch_defer_judge(&facts);

	if (verdict != TLBBATCH_DEFER_IT)
		return verdict;
	facts.kept = !covers(part, group, pages);
	if (!facts.kept)
		facts.full = !make_room(pass->pgdat->node_id, pages, part->batch);
	return tlbbatch_defer_judge(&facts);
}

/**
 * tlbbatch_defer_before_flush() - reclaim is about to flush
 * @pass: the pass
 * @group: what it frees next; NULL if it flushes for another reason
 *
 * Context: reclaim, in a pass that may defer.
 */
void tlbbatch_defer_before_flush(struct tlbbatch_pass *pass, struct tlbbatch_group *group)
{
	unsigned int pages[MAX_NR_ZONES] = { };
	struct part *part = part_of(pass);

	switch (judge(pass, part, group, pages)) {
	case TLBBATCH_DEFER_IT:
		take_over(pass, part, group, pages);
		pass->leaves_out = true;
		break;
	case TLBBATCH_DEFER_DIRTY:
	case TLBBATCH_DEFER_MIXED:
		tlbbatch_defer_count(DEFER_REFUSED_MIXED, 1);
		break;
	case TLBBATCH_DEFER_HIT:
		tlbbatch_defer_count(DEFER_REFUSED_HIT, 1);
		break;
	case TLBBATCH_DEFER_KEPT:
		tlbbatch_defer_count(DEFER_REFUSED_KEPT, 1);
		break;
	case TLBBATCH_DEFER_MEMORY:
		tlbbatch_defer_count(DEFER_REFUSED_MEMORY, 1);
		break;
	case TLBBATCH_DEFER_LOCAL:
	case TLBBATCH_DEFER_OWES_NOTHING:
		break;
	}
}

/**
 * tlbbatch_defer_after_flush() - a flush of the pass is complete
 * @pass: the pass
 *
 * Context: as tlbbatch_defer_before_flush().
 */
void tlbbatch_defer_after_flush(struct tlbbatch_pass *pass)
{
	begin_anew(part_of(pass));
}
