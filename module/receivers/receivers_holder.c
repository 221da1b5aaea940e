// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may say whom flushes interrupt: one knob at a time.
 *
 * Pruning leaves a CPU out because it has flushed since the unmap before. LUF would have put that
 * flush off, so the CPU would be behind now, and would be interrupted. LUF tracking can't know
 * that of a flush that was pruned, and would count an interrupt as saved that only moved. So there
 * is pruning, or there is tracking (rule L19).
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include "receivers/receivers.h"

static const char *holder;

/**
 * tlbbatch_receivers_claim() - claim whom flushes interrupt
 * @who: the knob, as messages name it; one address for each knob
 *
 * Who has it already may claim it again.
 *
 * Context: any.
 * Return: NULL if it is the caller's now; or who has it.
 */
const char *tlbbatch_receivers_claim(const char *who)
{
	const char *other = cmpxchg(&holder, NULL, who);

	return other == who ? NULL : other;
}

/**
 * tlbbatch_receivers_release() - let go of it
 * @who: as it was claimed; nothing happens if another one has it
 *
 * Context: any.
 */
void tlbbatch_receivers_release(const char *who)
{
	cmpxchg(&holder, who, NULL);
}
