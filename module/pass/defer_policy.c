// SPDX-License-Identifier: GPL-2.0-only
/* Pure decisions on what may wait for a flush; see defer_policy.h. */
#include "pass/defer_policy.h"

/**
 * tlbbatch_policy_defer() - may a folio at its write-out wait for a batch?
 * @facts: what holds at the gate
 *
 * Without an owed flush there is nothing to save: the folio is written at once,
 * as the kernel would. Rule B18.
 *
 * Context: any; pure.
 * Return: true if it may wait.
 */
bool tlbbatch_policy_defer(const struct tlbbatch_defer_facts *facts)
{
	return facts->flush_owed && facts->for_reclaim &&
	       facts->waiting < facts->capacity;
}

/**
 * tlbbatch_policy_may_be_split() - may a write-out split the folio that it is given?
 * @gate: where the folio is
 * @nr_pages: its pages
 *
 * From 6.12 on shmem's write-out may split a large folio. The parts go to the list that
 * reclaim works on, and the batch's reference would forbid it. Rules B14 and B18.
 *
 * Context: any; pure.
 * Return: true if it mustn't wait.
 */
bool tlbbatch_policy_may_be_split(enum tlbbatch_gate gate, unsigned int nr_pages)
{
	return gate == TLBBATCH_GATE_SHMEM && nr_pages > 1;
}

/**
 * tlbbatch_policy_batch_size_valid() - is this a batch size?
 * @batch_size: folios per flush
 *
 * Context: any; pure.
 * Return: true if it is within TLBBATCH_BATCH_MIN and TLBBATCH_BATCH_MAX.
 */
bool tlbbatch_policy_batch_size_valid(unsigned int batch_size)
{
	return batch_size >= TLBBATCH_BATCH_MIN &&
	       batch_size <= TLBBATCH_BATCH_MAX;
}

/**
 * tlbbatch_policy_batch_size() - folios that share a flush in a pass
 * @batch_size: folios per flush, as the knob says
 * @pass_width: pages that a feature gives to a pass at least; 0 if none does
 *
 * A batch that a wider pass doesn't fit into would be flushed twice. Where a flush for each
 * folio is wanted, it stays so. Rule W5.
 *
 * Context: any; pure.
 * Return: TLBBATCH_BATCH_MIN to TLBBATCH_BATCH_MAX.
 */
unsigned int tlbbatch_policy_batch_size(unsigned int batch_size, unsigned int pass_width)
{
	if (batch_size == TLBBATCH_BATCH_MIN)
		return batch_size;
	return min(max(batch_size, pass_width), TLBBATCH_BATCH_MAX);
}
