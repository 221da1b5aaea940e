// SPDX-License-Identifier: GPL-2.0-only
/*
 * What advise watches: every flush of an mm or of a batch of unmaps, on the CPU that asks
 * for it; reclaim's requests; and what reclaim writes. It reads, and changes nothing
 * (rule A1).
 *
 *  flush_tlb_mm_range()	all but reclaim's and migration's
 *  arch_tlbbatch_flush()	theirs
 *  try_to_unmap_flush_dirty()	reclaim is about to write a dirty folio
 *  try_to_unmap_flush()	reclaim is about to free, even if there is nothing to flush
 *  mm_vmscan_write_folio	reclaim wrote one
 *
 * Why a flush came is told from what the task is doing, not from its stack: it is in a
 * pass, it compacts, nobody uses the mm any more, or the number of its system call. So
 * only these functions must be watched. What that can't tell is in
 * sysfs-docs/ABI/testing/sysfs-kernel-tlbbatch-advise.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "advise/advise_counters.h"
#include "advise/advise_pass.h"
#include "advise/advise_policy.h"
#include "advise/advise_watch.h"
#include "arch/x86.h"
#include "arch/x86_call.h"
#include "compat/ftrace_compat.h"
#include "compat/task_compat.h"
#include "debug/debug.h"
#include "hooks/watch.h"
#include "receivers/receivers.h"
#include "targets.h"

/* Section: why a flush comes */

static bool is_compactor(const struct task_struct *task)
{
	/* Nobody else can have the name: that of a thread of the kernel doesn't change. */
	return task->flags & PF_KTHREAD && !strncmp(task->comm, "kcompactd", 9);
}

/* What is known of the running task, and of the mm that it flushes; NULL of a batch. */
static struct tlbbatch_flush_facts facts_of(const struct mm_struct *mm,
					    const struct tlbbatch_advise_pass *pass)
{
	const struct task_struct *task = current;
	struct tlbbatch_flush_facts facts = {
		.of_batch = !mm,
		.in_pass = pass,
		.asked_dirty = pass && pass->asked_dirty,
		.mm_gone = mm && !atomic_read(&mm->mm_users),
		.reclaims = task->reclaim_state,
		.memalloc = task->flags & PF_MEMALLOC,
		.compactor = is_compactor(task),
	};

	facts.syscall = task->flags & COMPAT_PF_THREAD ? -1 :
			tlbbatch_arch_syscall(&facts.is_compat);
	return facts;
}

static void count_flush(enum tlbbatch_cause cause, unsigned int receivers)
{
	if (!receivers)
		return;
	tlbbatch_advise_count(TLBBATCH_ADVISE_FLUSHES_RECLAIM_DIRTY + cause, 1);
	tlbbatch_advise_count(TLBBATCH_ADVISE_RECEIVERS_RECLAIM_DIRTY + cause, receivers);
}

static enum tlbbatch_cause cause_of(const struct tlbbatch_flush_facts *facts)
{
	if (tlbbatch_advise_break(TLBBATCH_ADVISE_BREAK_CAUSE))
		return TLBBATCH_CAUSE_OTHER;
	return tlbbatch_advise_cause(facts);
}

/*
 * Rule A2: while "off" waits for the passes in which advise acts, it knows of no other pass, and
 * would take reclaim's flushes for somebody else's.
 */
static bool is_counted(const struct tlbbatch_advise_pass *pass)
{
	return pass || tlbbatch_pass_joined(&tlbbatch_advise_part);
}

/* Section: what is watched */

static void see_flush_tlb_mm_range(struct ftrace_regs *fregs)
{
	const struct mm_struct *mm = (const struct mm_struct *)compat_ftrace_argument(fregs, 0);
	bool freed_tables = compat_ftrace_argument(fregs, 4) & 0xff;
	struct tlbbatch_advise_pass *pass;
	struct tlbbatch_flush_facts facts;
	unsigned int receivers;

	receivers = tlbbatch_receivers_of(mm_cpumask((struct mm_struct *)mm), mm, freed_tables);
	/* Nearly always so, of a process that has one thread. */
	if (!receivers)
		return;
	pass = tlbbatch_advise_pass_current();
	if (!is_counted(pass))
		return;
	facts = facts_of(mm, pass);
	count_flush(cause_of(&facts), receivers);
}

static void see_arch_tlbbatch_flush(struct ftrace_regs *fregs)
{
	const struct arch_tlbflush_unmap_batch *batch =
		(const struct arch_tlbflush_unmap_batch *)compat_ftrace_argument(fregs, 0);
	const struct cpumask *cpus = tlbbatch_arch_batch_mask(batch);
	struct tlbbatch_advise_pass *pass = tlbbatch_advise_pass_current();
	struct tlbbatch_flush_facts facts;
	enum tlbbatch_cause cause;
	unsigned int receivers;

	if (!is_counted(pass))
		return;
	facts = facts_of(NULL, pass);
	cause = cause_of(&facts);
	receivers = tlbbatch_receivers_of(cpus, NULL, false);
	count_flush(cause, receivers);
	if (pass)
		tlbbatch_advise_flushes(pass, cause, cpus, receivers);
}

static void see_try_to_unmap_flush_dirty(struct ftrace_regs *fregs)
{
	struct tlbbatch_advise_pass *pass;

	/* Otherwise the kernel doesn't flush. */
	if (!current->tlb_ubc.writable)
		return;
	pass = tlbbatch_advise_pass_current();
	if (pass)
		tlbbatch_advise_asked(pass,
				      tlbbatch_arch_batch_mask(tlbbatch_arch_my_batch()));
}

static void see_try_to_unmap_flush(struct ftrace_regs *fregs)
{
	struct tlbbatch_advise_pass *pass;

	/* If there is something to flush, see_arch_tlbbatch_flush() is next. */
	if (current->tlb_ubc.flush_required)
		return;
	pass = tlbbatch_advise_pass_current();
	if (pass)
		tlbbatch_advise_frees(pass);
}

/* Shmem's folio has left its file by now, and is in the swap cache. */
static void tlbbatch_advise_probe(void *data, struct folio *folio)
{
	struct tlbbatch_advise_pass *pass = tlbbatch_advise_pass_current();
	struct tlbbatch_whatif_folio it;

	if (!pass)
		return;
	it.is_file = !folio_test_anon(folio) && !folio_test_swapbacked(folio);
	it.gate = folio_test_anon(folio) ? TLBBATCH_GATE_SWAP : TLBBATCH_GATE_SHMEM;
	it.nr_pages = folio_nr_pages(folio);
	it.is_done = !folio_test_writeback(folio);
	tlbbatch_advise_writes(pass, &it);
}

static struct tlbbatch_entry entries[] = {
	TLBBATCH_TBL_advise_entry_names(TLBBATCH_ENTRY)
};

#define EVENT(name, symbol, proto)	TLBBATCH_POINT(symbol, proto, tlbbatch_advise_probe)

static struct tlbbatch_point points[] = {
	TLBBATCH_TBL_trace_advise_written(EVENT)
};

static struct tlbbatch_sites sites;

struct tlbbatch_watches tlbbatch_advise_watches = {
	.entries = entries,
	.nr_entries = ARRAY_SIZE(entries),
	.sites = &sites,
	.points = points,
	.nr_points = ARRAY_SIZE(points),
};
