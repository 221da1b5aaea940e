// SPDX-License-Identifier: GPL-2.0-only
/* May a huge page be discarded? */
#include "lazyfree/lazyfree_policy.h"

static bool is_written(const struct tlbbatch_lazyfree_facts *facts)
{
	return facts->is_dirty || facts->is_entry_dirty;
}

/**
 * tlbbatch_lazyfree_judge() - is a discard tried in place of a split?
 * @facts: the folio and the entry that maps it
 *
 * Rule F2. Whatever isn't plain is left to the kernel, which splits the mapping and looks at
 * each page.
 *
 * Context: pure.
 * Return: TLBBATCH_LAZYFREE_TRY, or why not.
 */
enum tlbbatch_lazyfree_verdict
tlbbatch_lazyfree_judge(const struct tlbbatch_lazyfree_facts *facts)
{
	if (!facts->is_lazyfree)
		return TLBBATCH_LAZYFREE_NONE;
	if (!facts->is_mapped || facts->is_odd)
		return TLBBATCH_LAZYFREE_OTHER;
	if (facts->is_locked_vma || facts->is_droppable_vma || facts->is_special_vma)
		return TLBBATCH_LAZYFREE_VMA;
	if (facts->has_notifiers)
		return TLBBATCH_LAZYFREE_NOTIFIER;
	if (is_written(facts))
		return TLBBATCH_LAZYFREE_DIRTY;
	if (facts->maps != 1 || facts->whole_maps != 1)
		return TLBBATCH_LAZYFREE_SHARED;
	/* What changed the entry may have lost its dirty bit: rule F7. */
	if (!facts->is_writable || facts->is_fault_wanted)
		return TLBBATCH_LAZYFREE_PROTECTED;
	return TLBBATCH_LAZYFREE_TRY;
}

/**
 * tlbbatch_lazyfree_judge_own() - is a discard tried in place of the kernel's own discard?
 * @facts: the folio and the entry that maps it
 *
 * There is no split to fall back on, so the conditions are the kernel's (rule F6). Only what
 * the kernel's own function can't make none for a while is left to it: an entry that isn't
 * present. try_to_unmap_one() has seen no VM_LOCKED, but mlock() may set it at any time.
 *
 * Context: pure.
 * Return: TLBBATCH_LAZYFREE_TRY; TLBBATCH_LAZYFREE_NONE if the kernel's own function is to
 *	decide; TLBBATCH_LAZYFREE_DIRTY if the page stays, and swap backs it again; else why it
 *	stays as it is.
 */
enum tlbbatch_lazyfree_verdict
tlbbatch_lazyfree_judge_own(const struct tlbbatch_lazyfree_facts *facts)
{
	if (!facts->is_lazyfree || !facts->is_mapped)
		return TLBBATCH_LAZYFREE_NONE;
	if (facts->is_odd)
		return TLBBATCH_LAZYFREE_OTHER;
	if (facts->is_locked_vma)
		return TLBBATCH_LAZYFREE_VMA;
	if (is_written(facts) && !facts->is_droppable_vma)
		return TLBBATCH_LAZYFREE_DIRTY;
	return TLBBATCH_LAZYFREE_TRY;
}

/**
 * tlbbatch_lazyfree_end_of() - is a page discarded now, or does its mapping come back?
 * @state: what is known now
 *
 * Rules F4 and F5. Who wrote counts before who only holds the page: the first makes the
 * kernel keep it for good.
 *
 * Context: pure.
 */
enum tlbbatch_lazyfree_end
tlbbatch_lazyfree_end_of(const struct tlbbatch_lazyfree_state *state)
{
	if ((state->is_entry_dirty || state->is_dirty) && !state->is_droppable)
		return TLBBATCH_LAZYFREE_RESTORE_DIRTY;
	/* One reference is of isolation, and one of each mapping. */
	if (state->refs != state->maps + 1)
		return TLBBATCH_LAZYFREE_RESTORE_REFERENCED;
	return TLBBATCH_LAZYFREE_DISCARD;
}
