// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes over the groups of folios that reclaim is about to flush and free (module/pass/group.c),
 * and frees them behind the pass's next flush. Reclaim finds an empty group then, and does nothing.
 *
 * Nothing of current->tlb_ubc is changed: what was unmapped stays in it until the next flush. So
 * flush_tlb_batched_pending() goes on flushing for whoever needs that sooner.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <tlbbatch/hold_stats.h>
#include "compat/folio_compat.h"
#include "core/counters.h"
#include "debug/debug.h"
#include "hold/hold_pass.h"
#include "hold/hold_policy.h"
#include "hooks/hook.h"
#include "kernel/kernel_calls.h"
#include "pass/demotion.h"
#include "pass/flush_calls.h"
#include "pass/flush_hook.h"
#include "pass/group.h"
#include "pass/pass.h"

/* Section: counters */

enum counter {
#define X(upper, lower) upper,
	HOLD_COUNTERS(X)
#undef X
	NR_COUNTERS
};

struct counts {
	u64 value[NR_COUNTERS];
};

static DEFINE_PER_CPU(struct counts, counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	HOLD_COUNTERS(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_hold_counters = {
	.value = counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};

#define COUNT(counter, n)	this_cpu_add(counts.value[counter], n)

/* Section: a pass */

/* Pages that a pass may hold; 0 if none holds anything. */
static unsigned int max_pages;

/**
 * struct part - what is remembered of a pass
 * @max: pages that it may hold
 * @folios: what is held: frozen, uncharged, and on no other list
 * @pages: pages of it; also read by sysfs, without a lock
 * @total: pages that the pass has held
 *
 * Only the owner writes to it, so it needs no lock.
 */
struct part {
	unsigned int max;
	struct list_head folios;
	unsigned long pages;
	unsigned long total;
};

struct tlbbatch_pass_part tlbbatch_hold_part = {
	.size = sizeof(struct part),
	.unseen = &counts.value[PASSES_UNSEEN],
};

static __always_inline struct part *part_of(struct tlbbatch_pass *pass)
{
	return tlbbatch_pass_memory(pass, &tlbbatch_hold_part);
}

/**
 * tlbbatch_hold_pages() - pages that a pass that begins now may hold
 *
 * Context: any.
 */
unsigned int tlbbatch_hold_pages(void)
{
	return READ_ONCE(max_pages);
}

/**
 * tlbbatch_hold_set() - set how many pages a pass may hold
 * @pages: TLBBATCH_HOLD_MIN to TLBBATCH_HOLD_MAX; 0 if none. Open passes keep their value
 *
 * Context: process context; the mutex of the knob held.
 */
void tlbbatch_hold_set(unsigned int pages)
{
	WRITE_ONCE(max_pages, pages);
}

/**
 * tlbbatch_hold_held() - pages that are held right now
 *
 * Context: any.
 * Return: their number over all passes; 0 at rest.
 */
u64 tlbbatch_hold_held(void)
{
	unsigned int slot;
	u64 sum = 0;

	for (slot = 0; slot < tlbbatch_nr_passes(); slot++)
		if (READ_ONCE(tlbbatch_passes.owners[slot]))
			sum += READ_ONCE(part_of(tlbbatch_pass_at(slot))->pages);
	return sum;
}

/* Section: what is held */

static void give_back(struct part *part)
{
	struct folio *folio, *next;

	if (!tlbbatch_hold_may_free(current->tlb_ubc.flush_required) &&
	    !tlbbatch_hold_break(TLBBATCH_HOLD_BREAK_EARLY))
		return;
	list_for_each_entry_safe(folio, next, &part->folios, lru) {
		if (tlbbatch_hold_break(TLBBATCH_HOLD_BREAK_LOSE))
			list_del(&folio->lru);
		else
			COUNT(PAGES_GIVEN_BACK, folio_nr_pages(folio));
	}
	tlbbatch_group_free(&part->folios);
	WRITE_ONCE(part->pages, 0);
}

static struct tlbbatch_hold_facts look_at(const struct part *part,
					  const struct folio_batch *group)
{
	struct tlbbatch_hold_facts facts = {
		.nr = group->nr,
		.room = ARRAY_SIZE(group->folios),
		.held = part->pages,
		.max = part->max,
		.owes = current->tlb_ubc.flush_required,
		.dirty = current->tlb_ubc.writable &&
			 !tlbbatch_hold_break(TLBBATCH_HOLD_BREAK_DIRTY),
	};
	unsigned int i;

	if (facts.nr > facts.room)
		facts.nr = 0;
	for (i = 0; i < facts.nr; i++) {
		facts.nr_frozen += !folio_ref_count(group->folios[i]);
		facts.pages += folio_nr_pages(group->folios[i]);
	}
	return facts;
}

static void take_over(struct part *part, struct folio_batch *group, unsigned long pages)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		list_add_tail(&group->folios[i]->lru, &part->folios);
	COUNT(FLUSHES_LEFT_OUT, 1);
	COUNT(FOLIOS_HELD, group->nr);
	COUNT(PAGES_HELD, pages);
	folio_batch_init(group);
	WRITE_ONCE(part->pages, part->pages + pages);
	part->total += pages;
}

/* Reclaim is about to flush. Who flushes for another reason frees no group. */
static void before_flush(struct tlbbatch_pass *pass, struct tlbbatch_group *claimed)
{
	struct folio_batch *group = claimed ? claimed->batch : NULL;
	struct part *part = part_of(pass);
	struct tlbbatch_hold_facts facts;

	if (!group)
		return;
	facts = look_at(part, group);
	switch (tlbbatch_hold_judge(&facts)) {
	case TLBBATCH_HOLD_IT:
		take_over(part, group, facts.pages);
		pass->leaves_out = true;
		if (tlbbatch_hold_break(TLBBATCH_HOLD_BREAK_EARLY))
			give_back(part);
		break;
	case TLBBATCH_HOLD_DIRTY:
		COUNT(REFUSED_DIRTY, 1);
		break;
	case TLBBATCH_HOLD_REFERENCED:
		COUNT(REFUSED_REFERENCED, 1);
		break;
	case TLBBATCH_HOLD_FULL:
		COUNT(REFUSED_FULL, 1);
		break;
	case TLBBATCH_HOLD_LAST:
	case TLBBATCH_HOLD_OWES_NOTHING:
		break;
	}
}

/*
 * A flush is complete. It may have been that of a THP split, under rmap locks: the page
 * allocator may be called there, too.
 */
static void after_flush(struct tlbbatch_pass *pass)
{
	struct part *part = part_of(pass);

	if (!list_empty(&part->folios))
		give_back(part);
}

/**
 * tlbbatch_hold_begin() - a pass begins
 * @pass: the pass
 *
 * Context: reclaim, before the original.
 */
void tlbbatch_hold_begin(struct tlbbatch_pass *pass)
{
	struct part *part = part_of(pass);

	part->max = tlbbatch_hold_pages();
	INIT_LIST_HEAD(&part->folios);
	part->pages = 0;
	part->total = 0;
	/* Demotion migrates, retries and flushes in between: as for rule B19. */
	if (part->max && !tlbbatch_demotes(pass->pgdat->node_id))
		pass->flushes |= TLBBATCH_FLUSH_HELD;
}

/**
 * tlbbatch_hold_end() - a pass is over
 * @pass: the pass
 *
 * Rule G4. Reclaim ends with a flush, behind which what is held was freed, unless that flush
 * went unseen.
 *
 * Context: reclaim, after the original; no lock held.
 */
void tlbbatch_hold_end(struct tlbbatch_pass *pass)
{
	struct part *part = part_of(pass);

	if (!(pass->flushes & TLBBATCH_FLUSH_HELD))
		return;
	pass->flushes &= ~TLBBATCH_FLUSH_HELD;
	if (part->total)
		COUNT(PASSES, 1);
	if (list_empty(&part->folios))
		return;
	if (current->tlb_ubc.flush_required) {
		static_call(tlbbatch_orig_try_to_unmap_flush)();
		COUNT(LATE_FLUSHES, 1);
	}
	give_back(part);
}

/* Section: what is looked for in the kernel */

struct tlbbatch_redirects tlbbatch_hold_redirects = {
	.shared = { &tlbbatch_group_hook, &tlbbatch_flush_hook },
	.nr_shared = 2,
};

/**
 * tlbbatch_hold_find() - find what holding needs besides its hooks
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_hold_find(void)
{
	const char *lacks = tlbbatch_groups_find() ?: tlbbatch_demotion_find();

	if (lacks)
		return lacks;
	tlbbatch_flush_held_by(before_flush, after_flush);
	return NULL;
}

/**
 * tlbbatch_hold_unfit() - why it can't be had on this machine
 *
 * Rule G8. A kernel that doesn't need it isn't complained about at load.
 *
 * Context: process context; what tlbbatch_hold_find() looks for was found.
 * Return: why, or NULL.
 */
const char *tlbbatch_hold_unfit(void)
{
	if (!tlbbatch_groups_are_arrays())
		return "this kernel flushes once in a pass anyway";
	return tlbbatch_groups_unfit();
}
