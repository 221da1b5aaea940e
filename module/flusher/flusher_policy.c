// SPDX-License-Identifier: GPL-2.0-only
/* When the flushers are woken: see flusher_policy.h. */
#include "flusher/flusher_policy.h"

/**
 * tlbbatch_flusher_all_dirty() - did a pass meet nothing but pages that wait for a flusher?
 * @taken: pages of the pass
 * @unqueued: those that were dirty and not under writeback
 *
 * Rule D2. The same test as handle_reclaim_writeback() of 7.2 makes. A pass without pages
 * says nothing.
 *
 * Context: any.
 */
bool tlbbatch_flusher_all_dirty(unsigned int taken, unsigned int unqueued)
{
	return taken && unqueued == taken;
}

/**
 * tlbbatch_flusher_due() - is it time for another wake-up?
 * @now: the time; it may have wrapped around since @last
 * @last: when the flushers were woken last
 * @interval: between two wake-ups, in the same unit
 *
 * Rule D3.
 *
 * Context: any.
 */
bool tlbbatch_flusher_due(unsigned long now, unsigned long last, unsigned long interval)
{
	return now - last >= interval;
}
