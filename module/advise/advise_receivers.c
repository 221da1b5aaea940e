// SPDX-License-Identifier: GPL-2.0-only
/* Which CPUs a flush interrupts, as the kernel decides it. */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "advise/advise_receivers.h"
#include "arch/x86.h"
#include "kernel/symbols.h"
#include "targets.h"

/* The kernel's cpu_tlbstate, and which mm it says that a CPU has loaded. */
static const char __percpu *tlb_states;
static u32 advise_loaded_mm;

static const struct mm_struct *loaded_mm(unsigned int cpu)
{
	const char *state = (const char __force *)per_cpu_ptr(tlb_states, cpu);

	return READ_ONCE(*(const struct mm_struct **)(state + advise_loaded_mm));
}

static bool is_receiver(unsigned int cpu, const struct mm_struct *mm, bool freed_tables)
{
	if (freed_tables)
		return cpu_online(cpu);
	return mm ? tlbbatch_arch_gets_mm_flush(cpu, mm, loaded_mm(cpu)) :
		    tlbbatch_arch_gets_batch_flush(cpu);
}

/**
 * tlbbatch_advise_receivers() - how many other CPUs would a flush interrupt?
 * @cpus: the CPUs that may have entries
 * @mm: whose entries; or NULL, of a batch of unmaps
 * @freed_tables: page tables are freed, too
 *
 * Context: any. True for a moment.
 */
unsigned int tlbbatch_advise_receivers(const struct cpumask *cpus,
				       const struct mm_struct *mm, bool freed_tables)
{
	unsigned int self = raw_smp_processor_id(), nr = 0, cpu;

	for_each_cpu(cpu, cpus)
		nr += cpu != self && is_receiver(cpu, mm, freed_tables);
	return nr;
}

/* Finds the member in a row of targets.tbl; its offset goes to the variable @name. */
#define FIND_MEMBER(name, tag, member, type)	tlbbatch_member_offset(tag, member, type, &(name))

/**
 * tlbbatch_advise_receivers_find() - find where the kernel has what a CPU has loaded
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_advise_receivers_find(void)
{
	tlb_states = (const char __percpu __force *)
		tlbbatch_symbol_address(TLBBATCH_TBL_data_advise_tlb_states(TLBBATCH_TBL_SYMBOL));
	if (!tlb_states)
		return "cpu_tlbstate";
	if (!TLBBATCH_TBL_member_advise_loaded_mm(FIND_MEMBER))
		return "tlb_state.loaded_mm";
	return NULL;
}
