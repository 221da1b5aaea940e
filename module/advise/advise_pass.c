// SPDX-License-Identifier: GPL-2.0-only
/*
 * What batching would have made of the flushes of a pass. The pass itself goes on as it
 * is: all that happens here is arithmetic (rule A1).
 *
 * A pass that is batched already, or that batching would leave alone because it demotes,
 * isn't judged (rule A4). Its flushes are counted by cause all the same.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/mmzone.h>
#include "advise/advise_counters.h"
#include "advise/advise_pass.h"
#include "arch/x86.h"
#include "debug/debug.h"
#include "pass/demotion.h"
#include "pass/pass.h"
#include "receivers/receivers.h"

struct tlbbatch_pass_part tlbbatch_advise_part __read_mostly = {
	.size = sizeof(struct tlbbatch_advise_pass),
	.unseen = &tlbbatch_advise_counts.value[TLBBATCH_ADVISE_PASSES_UNSEEN],
};

static struct tlbbatch_advise_pass *part_of(struct tlbbatch_pass *pass)
{
	return tlbbatch_pass_memory(pass, &tlbbatch_advise_part);
}

/**
 * tlbbatch_advise_pass_current() - what advise remembers of the running task's pass
 *
 * Context: any; the result belongs to the running task.
 * Return: NULL if the task is in no pass in which advise acts.
 */
struct tlbbatch_advise_pass *tlbbatch_advise_pass_current(void)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();

	return pass && pass->parts & BIT(tlbbatch_advise_part.bit) ? part_of(pass) : NULL;
}

/* Rule A4. */
static bool is_judged(const struct tlbbatch_pass *pass)
{
	if (pass->puts_off) {
		tlbbatch_advise_count(TLBBATCH_ADVISE_PASSES_PUT_OFF, 1);
		return tlbbatch_advise_break(TLBBATCH_ADVISE_BREAK_ALL);
	}
	if (tlbbatch_demotes(pass->pgdat->node_id)) {
		tlbbatch_advise_count(TLBBATCH_ADVISE_PASSES_DEMOTING, 1);
		return tlbbatch_advise_break(TLBBATCH_ADVISE_BREAK_ALL);
	}
	return true;
}

/**
 * tlbbatch_advise_begin() - a pass begins
 * @pass: the pass; batching has begun in it, if it does
 *
 * Context: reclaim, before the original.
 */
void tlbbatch_advise_begin(struct tlbbatch_pass *pass)
{
	struct tlbbatch_advise_pass *mine = part_of(pass);

	tlbbatch_advise_count(TLBBATCH_ADVISE_PASSES, 1);
	mine->put_off = pass->puts_off;
	mine->judged = is_judged(pass);
	mine->asked_dirty = false;
	tlbbatch_whatif_begin(&mine->whatif, tlbbatch_pass_batch_size(),
			      READ_ONCE(tlbbatch_receivers_min));
	cpumask_clear(&mine->cpus);
}

/* Batching would flush here, and this reaches whoever was to be reached since the last one. */
static void flush_left(struct tlbbatch_advise_pass *pass)
{
	unsigned int receivers = tlbbatch_receivers_of(&pass->cpus, NULL, false);

	tlbbatch_advise_count(TLBBATCH_ADVISE_WHATIF_FLUSHES_LEFT, receivers != 0);
	tlbbatch_advise_count(TLBBATCH_ADVISE_WHATIF_RECEIVERS_LEFT, receivers);
	cpumask_clear(&pass->cpus);
}

/**
 * tlbbatch_advise_end() - a pass is over
 * @pass: the pass
 *
 * Context: reclaim, after the original.
 */
void tlbbatch_advise_end(struct tlbbatch_pass *pass)
{
	struct tlbbatch_advise_pass *mine = part_of(pass);

	if (mine->judged && tlbbatch_whatif_end(&mine->whatif))
		flush_left(mine);
	mine->judged = false;
}

/**
 * tlbbatch_advise_asked() - reclaim asks for the flush of a dirty folio
 * @pass: the running task's
 * @cpus: the CPUs that the flush would have to reach
 *
 * Context: any; preemption off.
 */
void tlbbatch_advise_asked(struct tlbbatch_advise_pass *pass, const struct cpumask *cpus)
{
	/* Whoever puts flushes off need never get this one. */
	pass->asked_dirty = !pass->put_off;
	if (!pass->judged)
		return;
	cpumask_or(&pass->cpus, &pass->cpus, cpus);
	tlbbatch_whatif_asked(&pass->whatif);
}

/**
 * tlbbatch_advise_flushes() - the flush of a batch of unmaps begins
 * @pass: the running task's
 * @cause: why it came
 * @cpus: the CPUs of the batch
 * @receivers: how many of them it interrupts
 *
 * Context: any; preemption off.
 */
void tlbbatch_advise_flushes(struct tlbbatch_advise_pass *pass, enum tlbbatch_cause cause,
			     const struct cpumask *cpus, unsigned int receivers)
{
	pass->asked_dirty = false;
	if (!pass->judged)
		return;
	tlbbatch_advise_count(TLBBATCH_ADVISE_WHATIF_FLUSHES, receivers != 0);
	tlbbatch_advise_count(TLBBATCH_ADVISE_WHATIF_RECEIVERS, receivers);
	if (cause == TLBBATCH_CAUSE_RECLAIM_DIRTY &&
	    !tlbbatch_advise_break(TLBBATCH_ADVISE_BREAK_WHATIF))
		return;
	cpumask_or(&pass->cpus, &pass->cpus, cpus);
	tlbbatch_whatif_flushed(&pass->whatif);
	flush_left(pass);
}

/**
 * tlbbatch_advise_frees() - reclaim is about to free, and has nothing to flush
 * @pass: the running task's
 *
 * Context: any; preemption off.
 */
void tlbbatch_advise_frees(struct tlbbatch_advise_pass *pass)
{
	if (pass->judged && tlbbatch_whatif_frees(&pass->whatif))
		flush_left(pass);
}

/**
 * tlbbatch_advise_writes() - reclaim has written a folio
 * @pass: the running task's
 * @folio: what is known of the folio
 *
 * Context: any.
 */
void tlbbatch_advise_writes(struct tlbbatch_advise_pass *pass,
			    const struct tlbbatch_whatif_folio *folio)
{
	unsigned int receivers = 0;

	if (!pass->judged)
		return;
	/* What was unmapped since the last flush is in the same batch. */
	cpumask_or(&pass->cpus, &pass->cpus,
		   tlbbatch_arch_batch_mask(tlbbatch_arch_my_batch()));
	if (tlbbatch_whatif_needs_look(&pass->whatif, folio))
		receivers = tlbbatch_receivers_of(&pass->cpus, NULL, false);
	switch (tlbbatch_whatif_written(&pass->whatif, folio, receivers)) {
	case TLBBATCH_FATE_WAITS:
		tlbbatch_advise_count(TLBBATCH_ADVISE_WHATIF_FOLIOS_DEFERRED, 1);
		break;
	case TLBBATCH_FATE_FLUSHED:
		flush_left(pass);
		break;
	case TLBBATCH_FATE_WRITTEN:
		break;
	}
}
