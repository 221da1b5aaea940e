// SPDX-License-Identifier: GPL-2.0-only
/*
 * What deferral watches in the kernel: what a pass unmaps; the events by which a stale
 * read-only entry could be seen (rule D3); and who needs the memory that is held back
 * (rules D5 and D6).
 *
 * An event is seen at its start, and flushes before the kernel acts. Guard pages are the exception:
 * only their end is seen, and it flushes before the call returns (luf_defer_guard.c). All
 * other changes of page tables flush by themselves: reclaim leaves a mark in the process, which
 * flush_tlb_batched_pending() reads, and deferral leaves that mark standing.
 */
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/rmap.h>
#include <linux/suspend.h>
#include <linux/swap.h>
#include "compat/ftrace_compat.h"
#include "debug/debug.h"
#include "hooks/watch.h"
#include "luf/luf_defer_events.h"
#include "luf/luf_defer_interest.h"
#include "luf/luf_defer_knobs.h"
#include "luf/luf_defer_owed.h"
#include "luf/luf_defer_pass.h"
#include "luf/luf_defer_policy.h"
#include "luf/luf_defer_room.h"
#include "targets.h"

/**
 * tlbbatch_defer_event() - from now on nobody may see what a file had
 * @hash: of the file
 * @cause: what happens to it
 *
 * Rule D3. The caller has made a full barrier behind what happens, or behind what makes passes
 * refuse the file; or it holds the lock of the folio that a pass would have to lock. So whoever isn't
 * seen here sees that.
 *
 * Context: task, interrupts on; preemption may be off.
 */
void tlbbatch_defer_event(unsigned int hash, enum tlbbatch_defer_counter cause)
{
	if (!tlbbatch_interest_in(hash))
		return;
	tlbbatch_defer_hit(hash);
	/* Pairs with smp_mb() in take_over(), luf_defer_pass.c. */
	smp_mb();
	tlbbatch_owed_event(cause);
}

static void file_event(const struct address_space *file, enum tlbbatch_defer_counter cause)
{
	tlbbatch_defer_event(tlbbatch_defer_hash(file), cause);
}

/* Section: the pass */

static void see_unmaps(struct ftrace_regs *fregs)
{
	unsigned long flags = compat_ftrace_argument(fregs, 1);

	/* With TTU_RMAP_LOCKED a folio is split, which flushes by itself. */
	tlbbatch_defer_see_unmap((struct folio *)compat_ftrace_argument(fregs, 0),
				 flags & TTU_BATCH_FLUSH && !(flags & TTU_RMAP_LOCKED));
}

/* Section: events, rule D3 */

/* Behind get_write_access(), which is a full barrier. */
static void see_opens(struct ftrace_regs *fregs)
{
	const struct file *file = (const struct file *)compat_ftrace_argument(fregs, 0);

	if (file->f_mode & FMODE_WRITE && !tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_OPEN))
		file_event(file->f_mapping, DEFER_CAUSE_OPEN);
}

/* By its path, too: behind get_write_access(). */
static void see_truncates(struct ftrace_regs *fregs)
{
	const struct dentry *dentry = (const struct dentry *)compat_ftrace_argument(fregs, 1);
	const struct iattr *attr = (const struct iattr *)compat_ftrace_argument(fregs, 2);

	if (attr->ia_valid & ATTR_SIZE && d_inode(dentry) &&
	    !tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_TRUNCATE))
		file_event(d_inode(dentry)->i_mapping, DEFER_CAUSE_TRUNCATE);
}

/*
 * A page of a private mapping is about to be copied and written, where the PTE is none. The
 * page cache's folio is locked since before the copy was made, so older unmaps of it are of
 * interest already, and younger ones wait. Who writes to a shared mapping has opened the file
 * for that.
 */
static void see_copies(struct ftrace_regs *fregs)
{
	const struct vm_fault *vmf = (const struct vm_fault *)compat_ftrace_argument(fregs, 0);

	if (vmf->flags & FAULT_FLAG_WRITE && vmf->vma->vm_file && !(vmf->vma->vm_flags & VM_SHARED) &&
	    !tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_COW))
		file_event(vmf->vma->vm_file->f_mapping, DEFER_CAUSE_COW);
}

/* Section: memory, rules D5 and D6 */

static void see_isolates(struct ftrace_regs *fregs)
{
	tlbbatch_owed_release_all(DEFER_CAUSE_ISOLATE);
}

/* It looks at one range after the other, and nobody sees its end. */
static void see_seeks_range(struct ftrace_regs *fregs)
{
	tlbbatch_defer_range_sought();
	see_isolates(fregs);
}

/* Whoever compacts memory for an allocation needs free neighbours. A page that is held back isn't free. */
static void probe_compacts(void *data, int order, gfp_t flags, int priority)
{
	tlbbatch_owed_release_all(DEFER_CAUSE_ISOLATE);
}

static void call_ends(void)
{
	int nid;

	if (!tlbbatch_defer_age_ms()) {
		tlbbatch_owed_release_all(DEFER_CAUSE_CALL);
		return;
	}
	for_each_node_state(nid, N_MEMORY)
		tlbbatch_owed_release_if_low(nid);
}

static void __maybe_unused probe_ends(void *data, unsigned long nr_reclaimed)
{
	call_ends();
}

static void __maybe_unused probe_ends_memcg(void *data, unsigned long nr_reclaimed,
						 struct mem_cgroup *memcg)
{
	call_ends();
}

#define probe_direct_ends	probe_ends
#define probe_memcg_ends	probe_ends
#define probe_direct_ends_memcg	probe_ends_memcg
#define probe_memcg_ends_memcg	probe_ends_memcg

static struct tlbbatch_entry entries[] = {
	TLBBATCH_TBL_defer_entry_names(TLBBATCH_ENTRY)
};

#define EVENT(name, symbol, proto)	\
	TLBBATCH_POINT(symbol, proto, probe_##name)
#define POINT(name, optional)	TLBBATCH_TBL_trace_##name(EVENT)

static struct tlbbatch_point points[] = {
	TLBBATCH_TBL_defer_trace_names(POINT)
};

static struct tlbbatch_sites sites;

struct tlbbatch_watches tlbbatch_defer_watches = {
	.entries = entries,
	.nr_entries = ARRAY_SIZE(entries),
	.sites = &sites,
	.points = points,
	.nr_points = ARRAY_SIZE(points),
};

/* Section: notifiers */

/* When the killer was last kept away. oom_lock is held here. */
static unsigned long spared_at;

/*
 * Rule D5: what is held back is not a reason to kill anybody. But where one node has run out,
 * another may hold something again and again: so the killer is kept away once in a second.
 */
static int out_of_memory_comes(struct notifier_block *block, unsigned long unused, void *freed)
{
	u64 held = tlbbatch_owed_held();

	tlbbatch_owed_release_all(DEFER_CAUSE_OOM);
	if (held && tlbbatch_defer_spares(jiffies_to_msecs(jiffies - spared_at))) {
		spared_at = jiffies;
		*(unsigned long *)freed += held;
	}
	return NOTIFY_OK;
}

static int memory_changes(struct notifier_block *block, unsigned long action, void *data)
{
	if (action == MEM_GOING_OFFLINE)
		tlbbatch_owed_release_all(DEFER_CAUSE_ISOLATE);
	return NOTIFY_OK;
}

static int machine_sleeps(struct notifier_block *block, unsigned long action, void *data)
{
	if (action == PM_HIBERNATION_PREPARE || action == PM_SUSPEND_PREPARE)
		tlbbatch_owed_release_all(DEFER_CAUSE_OFF);
	return NOTIFY_OK;
}

static struct notifier_block oom_block = { .notifier_call = out_of_memory_comes };
static struct notifier_block memory_block = { .notifier_call = memory_changes };
static struct notifier_block pm_block = { .notifier_call = machine_sleeps };

/**
 * tlbbatch_defer_notify() - be told when memory is short, or changes
 *
 * Context: process context, may sleep; nodes have what they need.
 * Return: 0 or a negative error.
 */
int tlbbatch_defer_notify(void)
{
	int err;

	spared_at = jiffies - msecs_to_jiffies(TLBBATCH_DEFER_SPARES_MS);
	err = register_oom_notifier(&oom_block);
	if (err)
		return err;
	err = register_memory_notifier(&memory_block);
	if (err)
		goto no_oom;
	err = register_pm_notifier(&pm_block);
	if (!err)
		return 0;
	unregister_memory_notifier(&memory_block);
no_oom:
	unregister_oom_notifier(&oom_block);
	return err;
}

/**
 * tlbbatch_defer_unnotify() - end that
 *
 * Context: process context, may sleep.
 */
void tlbbatch_defer_unnotify(void)
{
	unregister_pm_notifier(&pm_block);
	unregister_memory_notifier(&memory_block);
	unregister_oom_notifier(&oom_block);
}
