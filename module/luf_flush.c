// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flushes that LUF would not have put off, as each CPU does them: those that the
 * kernel asks for an mm, and those of a context switch.
 *
 * A CPU uses entries of the mm that is loaded there; to load another, or the same
 * again after having been lazy, it compares the mm's tlb_gen, which every batched
 * unmap raises. So a full flush of the loaded mm leaves no stale entry in reach,
 * with or without PCIDs.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/tlbflush.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/luf_observe.h>
#include <tlbbatch/luf_table.h>

/**
 * struct seen - what a CPU knows of its flushes
 * @youngest: the youngest generation, some time ago: a bound for a flush whose
 *	beginning isn't seen
 * @began: the youngest generation when the flush under way began
 * @of_mm: it is of an mm; else a batch's, which whoever sent it accounts for
 * @of_batch: a batch's is under way. A CPU that is lazy then switches to no mm, and
 *	flushes for that: but for the batch it wouldn't have
 */
struct seen {
	u64 youngest;
	u64 began;
	bool of_mm;
	bool of_batch;
};

static DEFINE_PER_CPU(struct seen, seen);

/**
 * tlbbatch_luf_seen_youngest() - note the youngest generation for this CPU
 *
 * Context: any. An interrupt in between leaves an older one, which is safe.
 */
void tlbbatch_luf_seen_youngest(void)
{
	u64 youngest = tlbbatch_luf_youngest();

	if (this_cpu_read(seen.youngest) < youngest)
		this_cpu_write(seen.youngest, youngest);
	/* Nothing is allocated in the middle of a flush. */
	this_cpu_write(seen.of_batch, false);
}

/**
 * tlbbatch_luf_see_flush_begin() - a CPU is about to flush
 * @of_mm: for an mm; else for a batch
 *
 * Context: interrupts off.
 */
void tlbbatch_luf_see_flush_begin(bool of_mm)
{
	this_cpu_write(seen.of_mm, of_mm);
	this_cpu_write(seen.of_batch, !of_mm);
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
				tlbbatch_luf_cover(cpu, tlbbatch_luf_youngest());
		else
			tlbbatch_luf_cover(cpu, tlbbatch_luf_youngest());
		return;
	}
	if (pages != TLB_FLUSH_ALL || reason == TLB_REMOTE_SEND_IPI)
		return;
	of_batch = this_cpu_read(seen.of_batch);
	this_cpu_write(seen.of_batch, false);
	switch (reason) {
	case TLB_FLUSH_ON_TASK_SWITCH:
		/* One that flushed nothing at all hides the next switch's: so be it. */
		if (!of_batch)
			tlbbatch_luf_cover(cpu, this_cpu_read(seen.youngest));
		break;
	case TLB_REMOTE_SHOOTDOWN:
	case TLB_LOCAL_MM_SHOOTDOWN:
		if (this_cpu_read(seen.of_mm))
			tlbbatch_luf_cover(cpu, this_cpu_read(seen.began));
		break;
	}
}
