// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes over the groups of folios that reclaim is about to flush and free, and frees them
 * behind the pass's next flush.
 *
 *  __mem_cgroup_uncharge_folios()	only looked at: its argument is the group
 *  try_to_unmap_flush()		left out, if the group is taken over
 *  free_unref_folios()			finds an empty group then, and does nothing
 *
 * Reclaim calls these three one after the other. What isn't seen, or isn't as expected, is
 * flushed and freed by reclaim itself. Nothing of current->tlb_ubc is changed: what was
 * unmapped stays in it until the next flush. So flush_tlb_batched_pending() goes on flushing
 * for whoever needs that sooner.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/static_call.h>
#include <tlbbatch/hold_stats.h>
#include "compat/folio_compat.h"
#include "compat/ftrace_compat.h"
#include "core/counters.h"
#include "debug/debug.h"
#include "hold/hold_pass.h"
#include "hold/hold_policy.h"
#include "hooks/hook.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "pass/demotion.h"
#include "pass/flush_calls.h"
#include "pass/flush_hook.h"
#include "pass/pass.h"
#include "pass/pass_hook.h"
#include "targets.h"

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

/* Section: what is looked for in the kernel */

/* Never defined: they give the static calls below their types. */
void tlbbatch_type_hold_free_unref_folios(struct folio_batch *folios);
int tlbbatch_type_hold_symbol_extent(unsigned long addr, unsigned long *size,
				     unsigned long *offset);

#define DEFINE_CALL(name, optional)					\
	DEFINE_STATIC_CALL_NULL(tlbbatch_hold_##name, tlbbatch_type_hold_##name);
TLBBATCH_TBL_hold_call_names(DEFINE_CALL)

#define CALL(name, optional)						\
	TLBBATCH_HELPER(TLBBATCH_TBL_call_##name, tlbbatch_hold_##name)

static const struct tlbbatch_helper helpers[] = {
	TLBBATCH_TBL_hold_call_names(CALL)
};

static char missing[TLBBATCH_REASON_LEN];

/* The text of shrink_folio_list(). */
static unsigned long reclaim_start, reclaim_size;

#define SYMBOL_OF(name, symbol, proto)	symbol

/* Section: a pass */

/* Pages that a pass may hold; 0 if none holds anything. */
static unsigned int max_pages;

/**
 * struct part - what is remembered of a pass
 * @max: pages that it may hold
 * @is_reclaims: the last call of __mem_cgroup_uncharge_folios() came from shrink_folio_list()
 * @group: the group that it was called for; NULL once it was looked at (rule G6)
 * @folios: what is held: frozen, uncharged, and on no other list
 * @pages: pages of it; also read by sysfs, without a lock
 * @total: pages that the pass has held
 * @back: folios that are freed together
 *
 * Only the owner writes to it, so it needs no lock.
 */
struct part {
	unsigned int max;
	bool is_reclaims;
	struct folio_batch *group;
	struct list_head folios;
	unsigned long pages;
	unsigned long total;
	struct folio_batch back;
};

struct tlbbatch_pass_part tlbbatch_hold_part = {
	.size = sizeof(struct part),
	.unseen = &counts.value[PASSES_UNSEEN],
};

static __always_inline struct part *part_of(struct tlbbatch_pass *pass)
{
	return tlbbatch_pass_memory(pass, &tlbbatch_hold_part);
}

/* NULL outside of a pass that may hold folios, and in a pass nested in another. */
static __always_inline struct part *holding(void)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();

	return pass && pass->depth == 1 && pass->flushes & TLBBATCH_FLUSH_HELD ?
	       part_of(pass) : NULL;
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

static void free_together(struct part *part)
{
	static_call(tlbbatch_hold_free_unref_folios)(&part->back);
	folio_batch_init(&part->back);
}

/*
 * Frees what is held, as reclaim would have freed it: by the same function, in groups of the
 * same size, frozen. So nobody can get hold of a folio on its way.
 */
static void give_back(struct part *part)
{
	struct folio *folio, *next;

	if (!tlbbatch_hold_may_free(current->tlb_ubc.flush_required) &&
	    !tlbbatch_hold_break(TLBBATCH_HOLD_BREAK_EARLY))
		return;
	list_for_each_entry_safe(folio, next, &part->folios, lru) {
		list_del(&folio->lru);
		if (tlbbatch_hold_break(TLBBATCH_HOLD_BREAK_LOSE))
			continue;
		COUNT(PAGES_GIVEN_BACK, folio_nr_pages(folio));
		if (!folio_batch_add(&part->back, folio))
			free_together(part);
	}
	if (folio_batch_count(&part->back))
		free_together(part);
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

/*
 * Reclaim is about to flush. Rule G6: the group is the one that it has uncharged just before,
 * on its own stack. Who flushes for another reason has uncharged nothing.
 */
static void before_flush(struct tlbbatch_pass *pass)
{
	struct part *part = part_of(pass);
	struct folio_batch *group = part->group;
	struct tlbbatch_hold_facts facts;

	part->group = NULL;
	if (!group || !object_is_on_stack(group))
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
	part->is_reclaims = false;
	part->group = NULL;
	INIT_LIST_HEAD(&part->folios);
	part->pages = 0;
	part->total = 0;
	folio_batch_init(&part->back);
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
	part->group = NULL;
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

/* Section: the hook */

/* Never acts: it only notes who calls. Whoever traces that call may hide it. */
static bool notrace is_called_by(unsigned long parent_ip)
{
	struct part *part = holding();

	if (part)
		part->is_reclaims = parent_ip - reclaim_start < reclaim_size;
	return false;
}

static void notrace passes_uncharge_folios(struct ftrace_regs *fregs)
{
	struct part *part = holding();

	if (part)
		part->group = part->is_reclaims ?
			      (struct folio_batch *)compat_ftrace_argument(fregs, 0) : NULL;
}

#define PASSED(code, symbol, proto)	\
	{ .function = { symbol, proto }, .passes = passes_##code },

static const struct tlbbatch_target uncharge_folios_targets[] = {
	TLBBATCH_TBL_hook_uncharge_folios(PASSED)
	{ }
};

static struct tlbbatch_hook hooks[] = {
	{
		TLBBATCH_TBL_hook_uncharge_folios_is,
		.targets = uncharge_folios_targets,
		.acts = is_called_by,
	},
};

struct tlbbatch_redirects tlbbatch_hold_redirects = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
	.shared = { &tlbbatch_flush_hook },
	.nr_shared = 1,
};

/* A row above that has none in hold.tbl doesn't compile. This checks the reverse. */
#define ONE(name, optional)	+ 1
static_assert(ARRAY_SIZE(hooks) == 0 TLBBATCH_TBL_hold_hook_names(ONE));

/**
 * tlbbatch_hold_find() - find what holding needs besides its hooks
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or why it needs none of this; or NULL.
 */
const char *tlbbatch_hold_find(void)
{
	const char *lacks;

	/* Rule G8. */
	if (!tlbbatch_symbol_address(TLBBATCH_TBL_call_free_unref_folios(SYMBOL_OF)))
		return "this kernel flushes once in a pass anyway";
	lacks = tlbbatch_demotion_find();
	if (lacks)
		return lacks;
	if (!tlbbatch_helpers_resolve(helpers, ARRAY_SIZE(helpers), missing, sizeof(missing)))
		return missing;
	tlbbatch_flush_held_by(before_flush, after_flush);
	return NULL;
}

/**
 * tlbbatch_hold_unfit() - why holding can't be had on this machine
 *
 * Context: process context; the hook of passes was found.
 * Return: why, or NULL.
 */
const char *tlbbatch_hold_unfit(void)
{
	unsigned long addr = tlbbatch_pass_hook.addr, offset;

	if (mem_cgroup_disabled())
		return "with cgroup_disable=memory reclaim's groups of folios cannot be seen";
	if (!static_call(tlbbatch_hold_symbol_extent)(addr, &reclaim_size, &offset))
		return "where shrink_folio_list ends is not known";
	reclaim_start = addr - offset;
	return NULL;
}
