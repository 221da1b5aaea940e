// SPDX-License-Identifier: GPL-2.0-only
/* The flush for what is held back: at once, whatever the running task's own batch owes. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/static_call.h>
#include "arch/x86.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "luf/luf_defer_flush.h"
#include "targets.h"

/* Never defined: it gives the static call its type. */
void tlbbatch_type_defer_arch_flush(struct arch_tlbflush_unmap_batch *batch);

DEFINE_STATIC_CALL_NULL(tlbbatch_defer_arch_flush, tlbbatch_type_defer_arch_flush);

static const struct tlbbatch_helper helpers[] = {
	TLBBATCH_HELPER(TLBBATCH_TBL_call_arch_flush, tlbbatch_defer_arch_flush)
};

static char missing[TLBBATCH_REASON_LEN];

/**
 * tlbbatch_defer_flush_find() - find the kernel's function that flushes
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_defer_flush_find(void)
{
	return tlbbatch_helpers_resolve(helpers, ARRAY_SIZE(helpers), missing, sizeof(missing)) ?
	       NULL : missing;
}

/* The mask is too large for a stack. Used with preemption off. */
static DEFINE_PER_CPU(struct arch_tlbflush_unmap_batch, flush_batch);

/**
 * tlbbatch_defer_flush() - flush CPUs
 * @cpus: these
 *
 * When this returns, none of them can use an entry of what was unmapped before.
 *
 * Context: task, interrupts on, preemption off, no lock held.
 */
void tlbbatch_defer_flush(const struct cpumask *cpus)
{
	struct arch_tlbflush_unmap_batch *batch = this_cpu_ptr(&flush_batch);

	tlbbatch_arch_batch_set(batch, cpus);
	static_call(tlbbatch_defer_arch_flush)(batch);
}
