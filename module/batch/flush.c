// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting off a flush that reclaim asks for, and issuing one for many.
 *
 * Rule B3: current->tlb_ubc stays the kernel's: the module reads it, and leaves it to
 * try_to_unmap_flush() to clear it after a real flush. As nothing is ever
 * cleared without one, mm->tlb_flush_batched and its users (munmap, mprotect,
 * mremap, madvise) see a reclaim that takes a little longer, and nothing else.
 * There is one exception: prune() takes CPUs out of its mask that have nothing to flush.
 */
#include <linux/cpumask.h>
#include <linux/page-flags.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include "arch/x86.h"
#include "batch/batch_symbols.h"
#include "batch/batch_counters.h"
#include "batch/flush.h"
#include "debug/debug.h"
#include "events/tlbbatch_events.h"
#include "kernel/kernel_calls.h"
#include "pass/flush_calls.h"
#include "receivers/receivers.h"

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_try_to_unmap_flush_dirty,
			tlbbatch_type_try_to_unmap_flush_dirty);

/**
 * tlbbatch_flush_put_off() - note a flush that reclaim asked for
 * @ctx: the running task's pass
 *
 * The caller guarantees that no write-out starts before tlbbatch_flush_now() (rule B1).
 * tlb_ubc.writable is sticky, so a folio that had no dirty PTE itself is counted
 * as a request when one before it had: flushes_requested is an upper bound then.
 *
 * Context: the owner of @ctx, in reclaim.
 */
void tlbbatch_flush_put_off(struct tlbbatch_context *ctx)
{
	/*
	 * The folio_unlock() that follows releases this; pairs with the lock of the
	 * folio by whoever writes or removes it next, see tlbbatch_contexts_owe()
	 * (rule B15).
	 */
	WRITE_ONCE(ctx->owes, true);
	ctx->owed.requests++;
	ctx->owed.ipis += tlbbatch_arch_flush_ipis();
	tlbbatch_count(TLBBATCH_FLUSHES_REQUESTED, 1);
	if (tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_CLEARED))
		current->tlb_ubc.writable = false;
}

/* Somebody else flushed for this task: all that was owed is saved. */
static void settle_covered(struct tlbbatch_context *ctx)
{
	tlbbatch_count(TLBBATCH_FLUSHES_AVOIDED, ctx->owed.requests);
	tlbbatch_count(TLBBATCH_IPIS_AVOIDED, ctx->owed.ipis);
}

static void settle_issued(struct tlbbatch_context *ctx, u64 ipis)
{
	struct tlbbatch_settled settled = tlbbatch_policy_settle(&ctx->owed, ipis);

	ctx->flushes++;
	tlbbatch_count(TLBBATCH_FLUSHES_ISSUED, 1);
	tlbbatch_count(TLBBATCH_FLUSHES_REQUESTED, settled.requested);
	tlbbatch_count(TLBBATCH_FLUSHES_AVOIDED, settled.avoided);
	tlbbatch_count(TLBBATCH_IPIS_AVOIDED, settled.ipis_avoided);
}

/*
 * Rule S4: takes the CPUs out of the running task's batch that have nothing to flush. Its
 * flush follows at once. The CPU that this runs on is left to the kernel. If the task moves to
 * another one before the flush, that one was judged here, too; or it stays in the mask; or it has
 * loaded an mm since, or has left lazy mode, behind a look at the mm's tlb_gen. A switch to
 * another thread of the same process looks at nothing.
 */
static void prune(void)
{
	unsigned int cpu, self = smp_processor_id(), kept = 0, pruned = 0;

	/*
	 * Rule S3: every unmap in the batch has raised its mm's tlb_gen before what is read
	 * now. Pairs with the full barrier between loaded_mm and tlb_gen in
	 * switch_mm_irqs_off().
	 */
	smp_mb();
	for_each_cpu(cpu, tlbbatch_arch_batch_mask(tlbbatch_arch_my_batch())) {
		enum tlbbatch_verdict verdict;

		/* The kernel doesn't interrupt lazy CPUs: it looks for itself. */
		if (cpu == self || !tlbbatch_arch_gets_batch_flush(cpu))
			continue;
		verdict = tlbbatch_receivers_look(cpu);
		tlbbatch_receivers_count(TLBBATCH_SHOOTDOWN_KEPT_BEHIND + verdict, 1);
		if (tlbbatch_receivers_is_spare(verdict)) {
			tlbbatch_arch_leave_out(cpu);
			pruned++;
		} else {
			kept++;
		}
	}
	tlbbatch_receivers_count(TLBBATCH_SHOOTDOWN_FLUSHES_JUDGED, 1);
	tlbbatch_receivers_count(TLBBATCH_SHOOTDOWN_FLUSHES_PRUNED, pruned > 0);
	tlbbatch_receivers_count(TLBBATCH_SHOOTDOWN_RECEIVERS_KEPT, kept);
	tlbbatch_receivers_count(TLBBATCH_SHOOTDOWN_RECEIVERS_PRUNED, pruned);
	trace_prune(kept, pruned);
}

/**
 * tlbbatch_flush_now() - flush all that the running task unmapped
 * @ctx: its pass
 *
 * When it returns, no CPU uses a TLB entry of a folio that this pass unmapped before:
 * folios that wait in the batch are covered.
 *
 * Context: the owner of @ctx, in reclaim; preemptible, also while the kernel
 *	flushes (from 7.3 on it sends the IPIs behind its put_cpu()). Doesn't sleep.
 */
void tlbbatch_flush_now(struct tlbbatch_context *ctx)
{
	if (current->tlb_ubc.flush_required) {
		/* What is avoided by pruning is counted in shootdown/stats, and not here. */
		u64 ipis = tlbbatch_arch_flush_ipis();

		/* Rule S5: tlbbatch_receivers_set_prune() waits for this section. */
		preempt_disable();
		if (tlbbatch_receivers_prunes())
			prune();
		preempt_enable();
		if (!tlbbatch_negative_never_flush())
			static_call(tlbbatch_orig_try_to_unmap_flush)();
		settle_issued(ctx, ipis);
	} else {
		settle_covered(ctx);
	}
	ctx->owed = (struct tlbbatch_owed){ 0 };
	ctx->nr_uncovered = 0;
	/* Behind the flush; pairs with the acquire in tlbbatch_contexts_owe(). */
	smp_store_release(&ctx->owes, false);
}

/**
 * tlbbatch_flush_before_move() - flush what reclaim has unmapped in an mm
 * @mm: any
 *
 * mm->tlb_flush_batched was raised under the page table lock when reclaim
 * unmapped, so whoever holds that lock now finds it. The kernel flushes only if
 * that is still owed. Rule B17.
 *
 * Context: page table locks held; doesn't sleep.
 */
void tlbbatch_flush_before_move(struct mm_struct *mm)
{
	static_call(tlbbatch_flush_tlb_batched_pending)(mm);
	tlbbatch_count(TLBBATCH_MOVES_FLUSHED, 1);
}

/*
 * Whoever locks a folio that nobody maps trusts that no CPU can store to it. But a pass
 * that owes a flush may have unlocked that very folio. Then every CPU is flushed,
 * because it isn't known any more whose page tables mapped the folio. A folio on an LRU
 * isn't concerned: it comes back there only after the pass and its flush.
 */
static __always_inline bool flush_for_others(struct folio *folio)
{
	if (folio_test_lru(folio) || !tlbbatch_contexts_owe())
		return false;
	static_call(tlbbatch_flush_tlb_all)();
	return true;
}

/**
 * tlbbatch_flush_before_foreign_write() - flush what any pass put off
 * @folio: what somebody other than reclaim is about to write
 *
 * A GPU driver's shrinker writes shmem too. Rule B15.
 *
 * Context: the folio is locked and nobody maps it; preemption off, interrupts on.
 *	Doesn't sleep.
 */
void notrace tlbbatch_flush_before_foreign_write(struct folio *folio)
{
	if (!tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_FOREIGN) && flush_for_others(folio))
		tlbbatch_count(TLBBATCH_FOREIGN_WRITES_FLUSHED, 1);
}

/**
 * tlbbatch_flush_before_removal() - flush before a folio leaves its file
 * @folio: what is about to be taken out of the page cache
 *
 * Punching a hole unmaps its range once, at the beginning. A fault on a page beside the
 * hole may map a folio of it again. Under the folio lock that is unmapped only if
 * folio_mapped() is true, and reclaim may have unmapped it meanwhile. A store through a
 * TLB entry that outlives the punch would go to a page that is in no file any more. Of
 * the folios that are removed here only shmem's can wait. Rule B20.
 *
 * Context: the folio is locked; preemption off, interrupts on. Doesn't sleep.
 */
void notrace tlbbatch_flush_before_removal(struct folio *folio)
{
	if (folio_test_swapbacked(folio) &&
	    !tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_REMOVAL) && flush_for_others(folio))
		tlbbatch_count(TLBBATCH_REMOVALS_FLUSHED, 1);
}
