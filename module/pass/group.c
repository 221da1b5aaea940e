// SPDX-License-Identifier: GPL-2.0-only
/*
 * The groups of folios that reclaim is about to flush and free. It makes three calls, one
 * after the other:
 *
 *  __mem_cgroup_uncharge_folios()	only looked at: its argument is the group
 *  try_to_unmap_flush()		features may take folios out of the group now
 *  free_unref_folios()			an empty group is nothing to do
 *
 * What isn't seen, or isn't as expected, is flushed and freed by reclaim itself.
 */
#include <linux/kernel.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/static_call.h>
#include "compat/folio_compat.h"
#include "compat/ftrace_compat.h"
#include "hooks/hook.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "pass/group.h"
#include "pass/pass.h"
#include "pass/pass_hook.h"
#include "targets.h"

/* Never defined: they give the static calls below their types. */
void tlbbatch_type_free_unref_folios(struct folio_batch *folios);
void tlbbatch_type_free_unref_page_list(struct list_head *list);
int tlbbatch_type_symbol_extent(unsigned long addr, unsigned long *size,
				unsigned long *offset);

DEFINE_STATIC_CALL_NULL(tlbbatch_free_unref_folios, tlbbatch_type_free_unref_folios);
DEFINE_STATIC_CALL_NULL(tlbbatch_free_unref_page_list, tlbbatch_type_free_unref_page_list);
DEFINE_STATIC_CALL_NULL(tlbbatch_symbol_extent, tlbbatch_type_symbol_extent);

static const struct tlbbatch_helper arrays[] = {
	TLBBATCH_HELPER(TLBBATCH_TBL_call_free_unref_folios, tlbbatch_free_unref_folios)
	TLBBATCH_HELPER(TLBBATCH_TBL_call_symbol_extent, tlbbatch_symbol_extent)
};

static const struct tlbbatch_helper lists[] = {
	TLBBATCH_HELPER(TLBBATCH_TBL_call_free_unref_page_list, tlbbatch_free_unref_page_list)
	TLBBATCH_HELPER(TLBBATCH_TBL_call_symbol_extent, tlbbatch_symbol_extent)
};

static char missing[TLBBATCH_REASON_LEN];

/* The text of shrink_folio_list(). */
static unsigned long reclaim_start, reclaim_size;

#define SYMBOL_OF(name, symbol, proto)	symbol

/* Section: a group */

static struct folio *walk_at(struct tlbbatch_group_walk *walk)
{
	const struct tlbbatch_group *group = walk->group;

	if (group->batch)
		return walk->index < folio_batch_count(group->batch) ?
		       group->batch->folios[walk->index] : NULL;
	if (walk->at == group->list)
		return NULL;
	walk->next = walk->at->prev;
	return list_entry(walk->at, struct folio, lru);
}

/**
 * tlbbatch_group_first() - begin to walk a group
 * @walk: the walk
 * @group: the group
 *
 * Context: reclaim, the owner of the group.
 * Return: the folio that came first; NULL if there is none.
 */
struct folio *tlbbatch_group_first(struct tlbbatch_group_walk *walk,
				   const struct tlbbatch_group *group)
{
	*walk = (struct tlbbatch_group_walk){
		.group = group,
		.at = group->list ? group->list->prev : NULL,
	};
	return walk_at(walk);
}

/**
 * tlbbatch_group_next() - the next folio
 * @walk: the walk
 *
 * Context: as tlbbatch_group_first().
 * Return: the folio; NULL if there is none.
 */
struct folio *tlbbatch_group_next(struct tlbbatch_group_walk *walk)
{
	walk->index++;
	walk->at = walk->next;
	return walk_at(walk);
}

/**
 * tlbbatch_group_take() - take the folio at which a walk is out of the group
 * @walk: the walk
 * @folios: the folio goes to its end
 *
 * In an array this leaves a gap: tlbbatch_group_close() must follow, behind the walk.
 *
 * Context: as tlbbatch_group_first().
 */
void tlbbatch_group_take(const struct tlbbatch_group_walk *walk, struct list_head *folios)
{
	struct folio_batch *batch = walk->group->batch;

	if (batch) {
		list_add_tail(&batch->folios[walk->index]->lru, folios);
		batch->folios[walk->index] = NULL;
	} else {
		list_move_tail(walk->at, folios);
	}
}

/**
 * tlbbatch_group_close() - close the gaps that folios left which were taken out
 * @group: the group
 *
 * Context: as tlbbatch_group_first().
 */
void tlbbatch_group_close(const struct tlbbatch_group *group)
{
	struct folio_batch *batch = group->batch;
	unsigned int from, to = 0;

	if (!batch)
		return;
	for (from = 0; from < batch->nr; from++)
		if (batch->folios[from])
			batch->folios[to++] = batch->folios[from];
	batch->nr = to;
}

/**
 * tlbbatch_group_free() - free folios that were taken out of groups
 * @folios: frozen and uncharged, behind a flush; empty afterwards
 *
 * By the function that reclaim itself would have called, frozen. So nobody can get hold of a
 * folio on its way.
 *
 * Context: task; preemption may be off, unless the kernel is PREEMPT_RT.
 */
void tlbbatch_group_free(struct list_head *folios)
{
	struct folio *folio, *next;
	struct folio_batch batch;

	if (!tlbbatch_groups_are_arrays()) {
		static_call(tlbbatch_free_unref_page_list)(folios);
		INIT_LIST_HEAD(folios);
		return;
	}
	folio_batch_init(&batch);
	list_for_each_entry_safe(folio, next, folios, lru) {
		list_del(&folio->lru);
		if (folio_batch_add(&batch, folio))
			continue;
		static_call(tlbbatch_free_unref_folios)(&batch);
		folio_batch_init(&batch);
	}
	if (folio_batch_count(&batch))
		static_call(tlbbatch_free_unref_folios)(&batch);
}

/* Section: the group of a pass */

/* NULL outside of a pass in which a feature asks for groups, and in one nested in another. */
static __always_inline struct tlbbatch_pass *asking(void)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();

	return pass && pass->depth == 1 && pass->flushes & TLBBATCH_FLUSH_GROUPS ? pass : NULL;
}

/* Never acts: it only notes who calls. Whoever traces that call may hide it. */
static bool notrace is_called_by(unsigned long parent_ip)
{
	struct tlbbatch_pass *pass = asking();

	if (pass)
		pass->is_reclaims = parent_ip - reclaim_start < reclaim_size;
	return false;
}

static void notrace passes_uncharge_folios(struct ftrace_regs *fregs)
{
	struct tlbbatch_pass *pass = asking();

	if (pass)
		pass->group = pass->is_reclaims ?
			      (void *)compat_ftrace_argument(fregs, 0) : NULL;
}

#define passes_uncharge_list	passes_uncharge_folios

#define PASSED(code, symbol, proto)	\
	{ .function = { symbol, proto }, .passes = passes_##code },

static const struct tlbbatch_target targets[] = {
	TLBBATCH_TBL_hook_uncharge_folios(PASSED)
	{ }
};

struct tlbbatch_hook tlbbatch_group_hook = {
	TLBBATCH_TBL_hook_uncharge_folios_is,
	.targets = targets,
	.acts = is_called_by,
};

/**
 * tlbbatch_group_claim() - the group that reclaim is about to flush and free
 * @pass: the running task's pass
 * @group: receives it
 *
 * Rule G6: it is the one that reclaim has uncharged just before, on its own stack. Who flushes
 * for another reason has uncharged nothing. A group can be claimed once.
 *
 * Context: reclaim, instead of a flush.
 * Return: false if there is none.
 */
bool tlbbatch_group_claim(struct tlbbatch_pass *pass, struct tlbbatch_group *group)
{
	void *at = pass->group;

	pass->group = NULL;
	if (!at || !object_is_on_stack(at))
		return false;
	*group = (struct tlbbatch_group){ };
	if (tlbbatch_groups_are_arrays())
		group->batch = at;
	else
		group->list = at;
	return true;
}

/* Section: what is looked for in the kernel */

/**
 * tlbbatch_groups_are_arrays() - does this kernel free, and flush, in groups?
 *
 * Context: any, behind tlbbatch_groups_find().
 * Return: false if all that a pass frees is in one list.
 */
bool tlbbatch_groups_are_arrays(void)
{
	return static_call_query(tlbbatch_free_unref_folios);
}

/**
 * tlbbatch_groups_find() - find what groups need besides their hook
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_groups_find(void)
{
	bool found;

	if (tlbbatch_symbol_address(TLBBATCH_TBL_call_free_unref_folios(SYMBOL_OF)))
		found = tlbbatch_helpers_resolve(arrays, ARRAY_SIZE(arrays), missing,
						 sizeof(missing));
	else
		found = tlbbatch_helpers_resolve(lists, ARRAY_SIZE(lists), missing,
						 sizeof(missing));
	return found ? NULL : missing;
}

/**
 * tlbbatch_groups_unfit() - why groups can't be seen on this machine
 *
 * Context: process context; the hook of passes was found.
 * Return: why, or NULL.
 */
const char *tlbbatch_groups_unfit(void)
{
	unsigned long addr = tlbbatch_pass_hook.addr, offset;

	if (mem_cgroup_disabled())
		return "with cgroup_disable=memory reclaim's groups of folios cannot be seen";
	if (!static_call(tlbbatch_symbol_extent)(addr, &reclaim_size, &offset))
		return "where shrink_folio_list ends is not known";
	reclaim_start = addr - offset;
	return NULL;
}
