// SPDX-License-Identifier: GPL-2.0-only
/* The decisions of holding: hold_policy.h. */
#include "hold/hold_policy.h"

/**
 * tlbbatch_hold_judge() - what becomes of a group that reclaim is about to flush and free
 * @facts: of it, and of the pass
 *
 * Context: any.
 * Return: TLBBATCH_HOLD_IT, if the pass may hold it and flush later; else why not.
 */
enum tlbbatch_hold_verdict
tlbbatch_hold_judge(const struct tlbbatch_hold_facts *facts)
{
	/* Rule G4: after a group that isn't full comes no other flush. */
	if (facts->nr < facts->room)
		return TLBBATCH_HOLD_LAST;
	if (!facts->owes)
		return TLBBATCH_HOLD_OWES_NOTHING;
	/* Rule G3: a CPU with a dirty entry stores without a look at the page table. */
	if (facts->dirty)
		return TLBBATCH_HOLD_DIRTY;
	/* Rule G1. */
	if (facts->nr_frozen != facts->nr)
		return TLBBATCH_HOLD_REFERENCED;
	/* Rule G5. */
	if (facts->held > facts->max || facts->pages > facts->max - facts->held)
		return TLBBATCH_HOLD_FULL;
	return TLBBATCH_HOLD_IT;
}

/**
 * tlbbatch_hold_may_free() - may what is held be freed?
 * @owes: something was unmapped since the task's last flush
 *
 * Rule G2. What is held was unmapped before it was taken over, so a flush that left nothing
 * covers it.
 *
 * Context: any.
 */
bool tlbbatch_hold_may_free(bool owes)
{
	return !owes;
}
