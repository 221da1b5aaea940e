// SPDX-License-Identifier: GPL-2.0-only
/* What batching remembers of a pass, and in which passes its hooks act. */
#include <linux/cache.h>
#include <linux/sched.h>
#include "batch/batch_counters.h"
#include "batch/reclaim_context.h"
#include "debug/debug.h"
#include "pass/pass.h"

/* __read_mostly, because each hook reads @offset. */
struct tlbbatch_pass_part tlbbatch_batch_part __read_mostly = {
	.size = sizeof(struct tlbbatch_context),
	.unseen = &tlbbatch_batch_counts.value[TLBBATCH_PASSES_UNBATCHED],
};

static __always_inline struct tlbbatch_context *context_at(unsigned int slot)
{
	return tlbbatch_context_of(tlbbatch_pass_at(slot));
}

/* NULL also in a pass nested in another: rule B19. */
static __always_inline struct tlbbatch_context *batched(void)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();
	struct tlbbatch_context *ctx;

	if (!pass || (pass->depth != 1 && !tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_NESTED)))
		return NULL;
	ctx = tlbbatch_context_of(pass);
	return ctx->batched ? ctx : NULL;
}

/**
 * tlbbatch_context_current() - what batching remembers of the running task's pass
 *
 * Context: any; the result belongs to the running task.
 * Return: the context; NULL if the task is in no pass.
 */
struct tlbbatch_context *tlbbatch_context_current(void)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();

	return pass ? tlbbatch_context_of(pass) : NULL;
}

/**
 * tlbbatch_context_batched() - what batching remembers, if the pass is batched
 *
 * Context: any; the result belongs to the running task.
 * Return: the context; NULL if the task is in no pass that is batched.
 */
struct tlbbatch_context *tlbbatch_context_batched(void)
{
	return batched();
}

/**
 * tlbbatch_context_acts() - does a hook act for the running task?
 * @parent_ip: unused
 *
 * Context: ftrace callback, preemption off.
 * Return: true inside a pass that is being batched.
 */
bool notrace tlbbatch_context_acts(unsigned long parent_ip)
{
	return batched();
}

/**
 * tlbbatch_context_gates() - does a write-out hook act for the running task?
 * @parent_ip: unused
 *
 * Context: ftrace callback, preemption off.
 * Return: true inside a pass that is being batched, unless the write-out is
 *	the module's own.
 */
bool notrace tlbbatch_context_gates(unsigned long parent_ip)
{
	struct tlbbatch_context *ctx = batched();

	return ctx && !ctx->writing &&
	       !tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_UNSEEN) &&
	       !tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_TRIPWIRE);
}

/**
 * tlbbatch_context_gates_shmem() - does shmem's write-out hook act?
 * @parent_ip: unused
 *
 * Context: ftrace callback, preemption off.
 * Return: as tlbbatch_context_gates().
 */
bool notrace tlbbatch_context_gates_shmem(unsigned long parent_ip)
{
	return tlbbatch_context_gates(parent_ip) &&
	       !tlbbatch_debug_defer_shmem_late();
}

/**
 * tlbbatch_contexts_waiting_folios() - folios that wait right now
 *
 * Context: any.
 * Return: their number over all passes; 0 at rest.
 */
u64 tlbbatch_contexts_waiting_folios(void)
{
	u64 sum = 0;
	unsigned int slot;

	for (slot = 0; slot < tlbbatch_nr_passes(); slot++)
		if (READ_ONCE(tlbbatch_passes.owners[slot]))
			sum += READ_ONCE(context_at(slot)->nr_waiting);
	return sum;
}

/**
 * tlbbatch_contexts_owe() - does any open pass owe a flush?
 *
 * A pass sets @owes before it unlocks a folio, and clears it after the flush. So
 * whoever holds the lock of a folio that a pass unlocked sees @owes set, or the flush
 * is complete. Rule B15.
 *
 * Context: any.
 */
bool notrace tlbbatch_contexts_owe(void)
{
	unsigned int slot;

	for (slot = 0; slot < tlbbatch_nr_passes(); slot++) {
		/*
		 * Pairs with release_pass(), pass.c: if free, the pass's last flush is
		 * complete.
		 */
		if (!smp_load_acquire(&tlbbatch_passes.owners[slot]))
			continue;
		/* Pairs with the release in tlbbatch_flush_now(), flush.c. */
		if (smp_load_acquire(&context_at(slot)->owes))
			return true;
	}
	return false;
}

