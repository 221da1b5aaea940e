/* SPDX-License-Identifier: GPL-2.0-only */
/* How a batched flush reaches other CPUs. */
#ifndef TLBBATCH_COMPAT_TLB_H
#define TLBBATCH_COMPAT_TLB_H

#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <asm/cpufeature.h>
#include <asm/tlbflush.h>

/*
 * AMD's INVLPGB, used since 6.15, flushes all CPUs by a broadcast: no IPI is
 * sent, and none can be avoided.
 */
static inline bool compat_flush_sends_ipis(void)
{
#ifdef X86_FEATURE_INVLPGB
	return !boot_cpu_has(X86_FEATURE_INVLPGB);
#else
	return true;
#endif
}

/*
 * Exported, but declared for the kernel alone. That is_lazy is its first member is
 * checked against BTF: see tlbbatch_luf_events_resolve().
 */
struct tlb_state_shared {
	bool is_lazy;
};

DECLARE_PER_CPU_SHARED_ALIGNED(struct tlb_state_shared, cpu_tlbstate_shared);

/**
 * compat_cpu_is_lazy() - does a CPU keep an mm loaded that it doesn't use?
 * @cpu: the CPU
 *
 * It compares the mm's tlb_gen before it uses it again, so that a flush needn't
 * interrupt it.
 *
 * Context: any; true for a moment.
 */
static inline bool compat_cpu_is_lazy(unsigned int cpu)
{
	return READ_ONCE(per_cpu(cpu_tlbstate_shared.is_lazy, cpu));
}

/**
 * compat_gets_batch_flush() - would arch_tlbbatch_flush() flush this CPU now?
 * @cpu: a CPU of the batch
 *
 * A batch names no mm and frees no page tables: then all four kernels leave out
 * lazy CPUs (tlb_is_not_lazy() before 6.1.130, 6.12.21 or so, should_flush_tlb()
 * from then on) and CPUs that are offline, and no others. KVM's paravirtual flush
 * leaves out vCPUs that don't run, too; they count here.
 *
 * Context: any; true for a moment.
 */
static inline bool compat_gets_batch_flush(unsigned int cpu)
{
	return cpu_online(cpu) && !compat_cpu_is_lazy(cpu);
}

/**
 * compat_flush_is_pending() - will flush_tlb_batched_pending() flush this mm?
 * @mm: the mm
 *
 * mm/rmap.c: the batches that were sent in the upper half, those begun in the lower
 * one without its top bit. The same from 5.18 to 7.3.
 *
 * Context: the mm's page table lock held, as for that function.
 */
static inline bool compat_flush_is_pending(const struct mm_struct *mm)
{
	int batch = atomic_read(&mm->tlb_flush_batched);

	return (batch & S16_MAX) != batch >> 16;
}

#endif /* TLBBATCH_COMPAT_TLB_H */
