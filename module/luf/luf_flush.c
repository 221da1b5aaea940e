// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches flushes on the CPU that does them, which LUF would not have put off (rule L5):
 * flushes of an mm, and those of a context switch.
 *
 * A CPU uses entries of the mm that is loaded there; to load another, or the same
 * again after having been lazy, it compares the mm's tlb_gen, which every batched
 * unmap raises. So a full flush of the loaded mm leaves no stale entry in reach,
 * with or without PCIDs.
 *
 * Rule L7: of all these the posted series (v12, 17/25: tlb_flush_end()) notices only those of
 * flush_tlb_batched_pending(), besides its own and a batch's.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/tlbflush.h>
#include "arch/x86.h"
#include "compat/tlb_compat.h"
#include "debug/debug.h"
#include "luf/luf_coverage.h"
#include "luf/luf_flush.h"
#include "luf/luf_table.h"

/**
 * struct seen - what a CPU knows of its flushes
 * @youngest: the youngest generation, some time ago: a bound for a flush whose
 *	beginning isn't seen
 * @when: when that was read, in jiffies
 * @began: the youngest generation when the flush under way began
 * @of_mm: the flush under way is of an mm; else a batch's, which its sender accounts for
 * @posted: what the posted series marks as done behind it; 0 if nothing
 * @of_batch: a batch's flush is under way. A CPU that is lazy then switches to init_mm,
 *	and flushes for that, which it would not have done without the batch
 */
struct seen {
	u64 youngest;
	unsigned long when;
	u64 began;
	u64 posted;
	bool of_mm;
	bool of_batch;
};

static DEFINE_PER_CPU(struct seen, seen);

/**
 * struct pending - the last flush_tlb_batched_pending() of a CPU that flushes
 * @ctx_id: the mm's, never used twice
 * @tlb_gen: the flush's own, unless another one comes in between: then it isn't
 *	known any more, which is the safe direction
 * @number: the youngest generation before it
 *
 * Other CPUs read it while this one waits for them; the caller's page table lock
 * keeps it here.
 */
struct pending {
	u64 ctx_id;
	u64 tlb_gen;
	u64 number;
};

static DEFINE_PER_CPU(struct pending, pending);

/**
 * tlbbatch_luf_see_pending() - flush_tlb_batched_pending() begins
 * @mm: whose
 *
 * A CPU that is lazy isn't interrupted, and owes nothing: to use the mm again it
 * compares the tlb_gen.
 *
 * Context: page table lock held.
 */
void tlbbatch_luf_see_pending(struct mm_struct *mm)
{
	struct pending *mine = this_cpu_ptr(&pending);
	unsigned int cpu;

	if (!compat_flush_is_pending(mm))
		return;
	mine->number = tlbbatch_luf_youngest();
	mine->ctx_id = tlbbatch_arch_mm_id(mm);
	mine->tlb_gen = tlbbatch_arch_mm_tlb_gen(mm) + 1;
	for_each_cpu(cpu, mm_cpumask(mm))
		if (tlbbatch_arch_cpu_is_lazy(cpu))
			tlbbatch_luf_cover_all(cpu, mine->number);
}

/**
 * tlbbatch_luf_seen_youngest() - note the youngest generation for this CPU
 *
 * Every allocation comes here, and every new generation takes that cache line from all
 * CPUs that have read it: so it is read once a tick, and is older otherwise.
 *
 * Context: any. An interrupt in between leaves an older one, which is safe.
 */
void tlbbatch_luf_seen_youngest(void)
{
	unsigned long tick = READ_ONCE(jiffies);
	u64 youngest;

	if (this_cpu_read(seen.when) != tick) {
		this_cpu_write(seen.when, tick);
		youngest = tlbbatch_luf_youngest();
		if (this_cpu_read(seen.youngest) < youngest)
			this_cpu_write(seen.youngest, youngest);
	}
	/* Nothing is allocated in the middle of a flush. */
	this_cpu_write(seen.of_batch, false);
}

/**
 * tlbbatch_luf_see_flush_begin() - a CPU is about to flush
 * @mm: for an mm; or NULL, for a batch
 * @tlb_gen: that the flush brings the mm to
 * @initiator: the CPU that asked for it, and waits
 *
 * Context: interrupts off.
 */
void tlbbatch_luf_see_flush_begin(const struct mm_struct *mm, u64 tlb_gen,
				  unsigned int initiator)
{
	u64 posted = 0;

	if (mm && initiator < nr_cpu_ids) {
		const struct pending *theirs = per_cpu_ptr(&pending, initiator);

		if (theirs->ctx_id == tlbbatch_arch_mm_id(mm) &&
		    theirs->tlb_gen == tlb_gen)
			posted = theirs->number;
	}
	this_cpu_write(seen.posted, posted);
	/*
	 * this_cpu_write() would cast a pointer to the size of the variable: one byte.
	 */
	this_cpu_write(seen.of_mm, !!mm);
	this_cpu_write(seen.of_batch, !mm);
	/* Before the flush itself: what is younger isn't covered. */
	this_cpu_write(seen.began, tlbbatch_luf_youngest());
}

/**
 * tlbbatch_luf_probe_tlb_flush() - the tracepoint tlb_flush
 * @data: unused
 * @reason: what was flushed; of what was only sent, or went to the wrong CPU,
 *	nothing is complete
 * @pages: how many, or TLB_FLUSH_ALL
 *
 * Context: behind the flush, preemption off.
 */
void tlbbatch_luf_probe_tlb_flush(void *data, int reason, unsigned long pages)
{
	unsigned int cpu = raw_smp_processor_id();
	bool of_batch;

	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_PARTIAL)) {
		if (reason == TLB_REMOTE_SEND_IPI)
			for_each_online_cpu(cpu)
				tlbbatch_luf_cover_all(cpu, tlbbatch_luf_youngest());
		else
			tlbbatch_luf_cover_all(cpu, tlbbatch_luf_youngest());
		return;
	}
	if (pages != TLB_FLUSH_ALL || reason == TLB_REMOTE_SEND_IPI)
		return;
	of_batch = this_cpu_read(seen.of_batch);
	this_cpu_write(seen.of_batch, false);
	switch (reason) {
	case TLB_FLUSH_ON_TASK_SWITCH:
		/*
		 * If the batch flushed nothing here, a switch goes uncounted: that is
		 * safe.
		 */
		if (!of_batch)
			tlbbatch_luf_cover(cpu, TLBBATCH_LUF_IDEAL,
					   this_cpu_read(seen.youngest));
		break;
	case TLB_REMOTE_SHOOTDOWN:
	case TLB_LOCAL_MM_SHOOTDOWN:
		if (!this_cpu_read(seen.of_mm))
			break;
		tlbbatch_luf_cover(cpu, TLBBATCH_LUF_IDEAL,
				   this_cpu_read(seen.began));
		tlbbatch_luf_cover(cpu, TLBBATCH_LUF_POSTED,
				   this_cpu_read(seen.posted));
		break;
	}
}
