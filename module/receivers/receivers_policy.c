// SPDX-License-Identifier: GPL-2.0-only
/* Pure decisions on receivers of flushes; see receivers_policy.h. */
#include "receivers/receivers_policy.h"

/**
 * tlbbatch_receivers_judge() - has a CPU anything to flush?
 * @facts: what is known of it
 *
 * Rule S1: it has nothing to flush if no user space is loaded, or if it has flushed all
 * that was unmapped in the mm that is loaded. What it keeps of other mms it compares when
 * it loads them. Rule S2: whatever isn't known for certain has something to flush.
 *
 * Context: any; pure.
 * Return: why it stays among the receivers, or why it needn't.
 */
enum tlbbatch_verdict tlbbatch_receivers_judge(const struct tlbbatch_cpu_facts *facts)
{
	switch (facts->loaded) {
	case TLBBATCH_LOADED_KERNEL:
		return TLBBATCH_VERDICT_PRUNED_KERNEL;
	case TLBBATCH_LOADED_SWITCHING:
		return TLBBATCH_VERDICT_KEPT_SWITCHING;
	case TLBBATCH_LOADED_USER:
		break;
	default:
		return TLBBATCH_VERDICT_KEPT_UNKNOWN;
	}
	/* No mm has the number 0. */
	if (!facts->mm_id || facts->cpu_id != facts->mm_id)
		return TLBBATCH_VERDICT_KEPT_UNKNOWN;
	/* The mm was read first: the CPU may have got ahead of that. */
	if (facts->cpu_gen < facts->mm_gen)
		return TLBBATCH_VERDICT_KEPT_BEHIND;
	return TLBBATCH_VERDICT_PRUNED_CURRENT;
}

/**
 * tlbbatch_receivers_is_spare() - can a flush leave a CPU out?
 * @verdict: on that CPU
 *
 * Context: any; pure.
 */
bool tlbbatch_receivers_is_spare(enum tlbbatch_verdict verdict)
{
	return verdict == TLBBATCH_VERDICT_PRUNED_KERNEL ||
	       verdict == TLBBATCH_VERDICT_PRUNED_CURRENT;
}

/**
 * tlbbatch_worth_needs_look() - must the receivers be counted for the next folio?
 * @worth: what the pass knows
 *
 * Rule S7: at a minimum of 1 nobody looks, so that batching does what it does without
 * this knob.
 *
 * Context: any; pure.
 */
bool tlbbatch_worth_needs_look(const struct tlbbatch_worth *worth)
{
	return worth->min > 1 && !worth->left;
}

/**
 * tlbbatch_worth_decide() - may the next folio wait for a flush?
 * @worth: what the pass knows; what is learned is noted
 * @receivers: other CPUs that its flush would interrupt now, counted up to @worth->min;
 *	unused if no look was needed
 * @batch_size: folios that share a flush
 *
 * A look reads lines that other CPUs write to. So a yes holds for a batch of folios. A
 * no holds for one: its flush empties the batch, and the next folio may be another mm's.
 * What that costs its flush costs, too: docs/shootdown.md. Rule S7.
 *
 * Context: any; pure.
 * Return: false if too few CPUs would be interrupted.
 */
bool tlbbatch_worth_decide(struct tlbbatch_worth *worth, unsigned int receivers,
			   unsigned int batch_size)
{
	if (tlbbatch_worth_needs_look(worth)) {
		if (receivers < worth->min)
			return false;
		worth->left = batch_size;
	}
	if (worth->left)
		worth->left--;
	return true;
}
