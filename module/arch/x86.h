/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the module knows of x86: the text at an ftrace site, and how a flush reaches
 * other CPUs.
 */
#ifndef TLBBATCH_ARCH_X86_H
#define TLBBATCH_ARCH_X86_H

#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/objtool.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <asm/cpufeature.h>
#include <asm/ftrace.h>
#include <asm/hypervisor.h>
#include <asm/paravirt.h>
#include <asm/processor.h>
#include <asm/text-patching.h>
#include <asm/tlbflush.h>

/* What the text of an ftrace site is. */
enum tlbbatch_site {
	TLBBATCH_SITE_BARE,	/* nothing is called there */
	TLBBATCH_SITE_CALLS,
	TLBBATCH_SITE_CHANGING,	/* an int3, for as long as all CPUs take to notice */
};

/**
 * tlbbatch_arch_site() - is an ftrace site patched?
 * @ip: its address
 *
 * Context: any; true for a moment.
 * Return: what the text says, not what anybody remembers.
 */
static inline enum tlbbatch_site tlbbatch_arch_site(unsigned long ip)
{
	u8 opcode = READ_ONCE(*(const u8 *)ip);

	if (opcode == INT3_INSN_OPCODE)
		return TLBBATCH_SITE_CHANGING;
	return opcode == CALL_INSN_OPCODE ? TLBBATCH_SITE_CALLS :
					    TLBBATCH_SITE_BARE;
}

/**
 * tlbbatch_arch_behind_site() - where a function goes on behind its ftrace site
 * @ip: the site's address
 *
 * Context: any. Return: the address.
 */
static inline unsigned long tlbbatch_arch_behind_site(unsigned long ip)
{
	return ip + MCOUNT_INSN_SIZE;
}

/*
 * TLBBATCH_ARCH_ENTRY(n): a function tlbbatch_entry_n that jumps where the static call
 * tlbbatch_jump_n goes: see hook_entry.c. FUNCTION_PADDING_BYTES is 16 on kernels that
 * pad functions.
 */
#define TLBBATCH_ARCH_ENTRY(n)						\
asm("	.pushsection .text, \"ax\", @progbits\n"			\
	"	.balign 16\n"						\
	"	.skip 16, 0x90\n"					\
	"	.type tlbbatch_entry_" #n ", @function\n"		\
	"	.globl tlbbatch_entry_" #n "\n"				\
	"tlbbatch_entry_" #n ":\n"					\
	ANNOTATE_NOENDBR "\n"						\
	"	jmp " STATIC_CALL_TRAMP_STR(tlbbatch_jump_##n) "\n"	\
	"	.size tlbbatch_entry_" #n ", . - tlbbatch_entry_" #n "\n" \
	"	.popsection\n")

/*
 * AMD's INVLPGB, used since 6.15, flushes all CPUs by a broadcast: no IPI is
 * sent, and none can be avoided.
 */
static inline bool tlbbatch_arch_flush_sends_ipis(void)
{
#ifdef X86_FEATURE_INVLPGB
	return !boot_cpu_has(X86_FEATURE_INVLPGB);
#else
	return true;
#endif
}

#define TLBBATCH_ARCH_NO_IPIS	"this machine flushes by broadcast (INVLPGB), without IPIs"

/* Where Hyper-V says that it wants to flush for its guests. */
#define TLBBATCH_ARCH_HYPERV_LEAF	0x40000004
#define TLBBATCH_ARCH_HYPERV_FLUSHES	(1U << 2)

/*
 * Does the hypervisor flush for this guest, which sends no IPI of its own then? Xen (PV) and
 * Hyper-V do. KVM leaves it to the guest, but for vCPUs that don't run.
 */
static inline bool tlbbatch_arch_flush_is_foreign(void)
{
	if (boot_cpu_has(X86_FEATURE_XENPV))
		return true;
	return IS_ENABLED(CONFIG_HYPERV) && hypervisor_is_type(X86_HYPER_MS_HYPERV) &&
	       cpuid_eax(TLBBATCH_ARCH_HYPERV_LEAF) & TLBBATCH_ARCH_HYPERV_FLUSHES;
}

/**
 * tlbbatch_arch_batch_mask() - the CPUs that a batch of unmaps must flush
 * @batch: the batch
 *
 * Context: any; the running task's batch is stable.
 * Return: every CPU of every mm unmapped since the last flush; CPUs in lazy TLB mode
 * stay in it.
 */
static inline const struct cpumask *
tlbbatch_arch_batch_mask(const struct arch_tlbflush_unmap_batch *batch)
{
	return &batch->cpumask;
}

/* The running task's batch. */
static inline const struct arch_tlbflush_unmap_batch *tlbbatch_arch_my_batch(void)
{
	return &current->tlb_ubc.arch;
}

/**
 * tlbbatch_arch_flush_ipis() - IPIs that the running task's flush would send now
 *
 * Context: any.
 * Return: an upper bound, see tlbbatch_arch_batch_mask(); 0 where flushes send none.
 */
static inline unsigned int tlbbatch_arch_flush_ipis(void)
{
	const struct cpumask *mask =
		tlbbatch_arch_batch_mask(tlbbatch_arch_my_batch());

	if (!tlbbatch_arch_flush_sends_ipis())
		return 0;
	return cpumask_weight(mask) -
	       cpumask_test_cpu(raw_smp_processor_id(), mask);
}

/**
 * tlbbatch_arch_leave_out() - take a CPU out of the running task's batch
 * @cpu: a CPU that has nothing to flush
 *
 * Rule S4: only module/batch/flush.c calls this.
 *
 * Context: the owner of the batch, just before its flush.
 */
static inline void tlbbatch_arch_leave_out(unsigned int cpu)
{
	__cpumask_clear_cpu(cpu, &current->tlb_ubc.arch.cpumask);
}

/**
 * tlbbatch_arch_move_batch() - take over what the running task's batch owes
 * @to: gets its CPUs, too
 *
 * The batch is empty then. Rule D4: only module/luf/luf_defer_owed.c calls this.
 *
 * Context: the owner of the batch, with nothing dirty in it.
 */
static inline void tlbbatch_arch_move_batch(struct cpumask *to)
{
	cpumask_or(to, to, &current->tlb_ubc.arch.cpumask);
	cpumask_clear(&current->tlb_ubc.arch.cpumask);
	current->tlb_ubc.flush_required = false;
	current->tlb_ubc.writable = false;
}

/* For a control: what mprotect() and others look at, flush_tlb_batched_pending(), of the running task. */
static inline void tlbbatch_arch_forget_mark(void)
{
#ifdef TLBBATCH_DEBUG
	if (current->mm)
		atomic_set(&current->mm->tlb_flush_batched, 0);
#endif
}

/* Makes a batch of CPUs, for arch_tlbbatch_flush(). */
static inline void tlbbatch_arch_batch_set(struct arch_tlbflush_unmap_batch *batch,
					   const struct cpumask *cpus)
{
	cpumask_copy(&batch->cpumask, cpus);
}

/**
 * tlbbatch_arch_flush_is_native() - does the kernel itself send the IPIs of a flush?
 * @native: the address of native_flush_tlb_multi()
 *
 * Not so on Xen PV and Hyper-V, and where KVM's paravirtual flush is used: there the
 * hypervisor knows which CPUs run, and leaves out those that don't.
 *
 * Context: any.
 */
static inline bool tlbbatch_arch_flush_is_native(unsigned long native)
{
#ifdef CONFIG_PARAVIRT
	return native && (unsigned long)READ_ONCE(pv_ops.mmu.flush_tlb_multi) == native;
#else
	return true;
#endif
}

/*
 * What struct tlb_state has, which modules don't see: cpu_tlbstate.loaded_mm while a CPU
 * switches (LOADED_MM_SWITCHING), and how many mms a CPU keeps notes of
 * (TLB_NR_DYN_ASIDS). That of the latter is in the type of tlb_state.ctxs, which is
 * checked.
 */
#define TLBBATCH_ARCH_SWITCHING		((const struct mm_struct *)1UL)
#define TLBBATCH_ARCH_DYN_ASIDS		6

/* Where an mm has what the next two functions read. The mm isn't touched. */
static inline const u64 *tlbbatch_arch_mm_id_at(const struct mm_struct *mm)
{
	return &mm->context.ctx_id;
}

static inline const s64 *tlbbatch_arch_mm_tlb_gen_at(const struct mm_struct *mm)
{
	return &mm->context.tlb_gen.counter;
}

/* An mm, which a new one at the same address isn't. */
static inline u64 tlbbatch_arch_mm_id(const struct mm_struct *mm)
{
	return mm->context.ctx_id;
}

/* Of an mm: each change of its page tables that is to be flushed makes it one more. */
static inline u64 tlbbatch_arch_mm_tlb_gen(const struct mm_struct *mm)
{
	return atomic64_read(&mm->context.tlb_gen);
}

/*
 * The kernel exports this variable, but declares it in a private header.
 * tlbbatch_luf_events_find() and tlbbatch_receivers_find_loaded() check by BTF that is_lazy is
 * the first member.
 */
struct tlb_state_shared {
	bool is_lazy;
};

DECLARE_PER_CPU_SHARED_ALIGNED(struct tlb_state_shared, cpu_tlbstate_shared);

/**
 * tlbbatch_arch_cpu_is_lazy() - does a CPU keep an mm loaded that it doesn't use?
 * @cpu: the CPU
 *
 * It compares the mm's tlb_gen before it uses it again, so that a flush needn't
 * interrupt it.
 *
 * Context: any; true for a moment.
 */
static inline bool tlbbatch_arch_cpu_is_lazy(unsigned int cpu)
{
	return READ_ONCE(per_cpu(cpu_tlbstate_shared.is_lazy, cpu));
}

/**
 * tlbbatch_arch_gets_batch_flush() - would arch_tlbbatch_flush() flush this CPU now?
 * @cpu: a CPU of the batch
 *
 * A batch names no mm and frees no page tables: then all four kernels leave out
 * lazy CPUs (tlb_is_not_lazy() before 6.1.130, 6.12.21 or so, should_flush_tlb()
 * from then on) and CPUs that are offline, and no others. KVM's paravirtual flush
 * leaves out vCPUs that don't run, too; they count here.
 *
 * Context: any; true for a moment.
 */
static inline bool tlbbatch_arch_gets_batch_flush(unsigned int cpu)
{
	return cpu_online(cpu) && !tlbbatch_arch_cpu_is_lazy(cpu);
}

/**
 * tlbbatch_arch_gets_mm_flush() - would flush_tlb_mm_range() interrupt this CPU now?
 * @cpu: a CPU of the mm's mask
 * @mm: the mm; no page tables of it are freed
 * @loaded: the mm that the CPU has loaded
 *
 * A CPU that has another mm loaded flushes when it loads this one again. Once a second
 * the kernel interrupts such CPUs, too, to take them out of the mask; that isn't told here.
 *
 * Context: any; true for a moment.
 */
static inline bool tlbbatch_arch_gets_mm_flush(unsigned int cpu, const struct mm_struct *mm,
					       const struct mm_struct *loaded)
{
	return (loaded == mm || loaded == TLBBATCH_ARCH_SWITCHING) &&
	       tlbbatch_arch_gets_batch_flush(cpu);
}

#endif /* TLBBATCH_ARCH_X86_H */
