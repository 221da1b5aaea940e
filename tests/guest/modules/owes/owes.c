// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: how often does a task enter a function that writes pages out, having
 * unmapped a dirty page and not flushed since? The answer must be never, with or without
 * tlbbatch: otherwise a CPU could still store to what is being written.
 *
 * Of a folio it also counts whether reclaim has marked it, so that the end of its write-out
 * moves it to the end of its list. It can ask tlbbatch whether a pass says that it owes a
 * flush, as long as its task does. It can keep references to what is written, as somebody does
 * who uses it meanwhile. And it can look only at the file folios that the task gave to another
 * function just before.
 *
 * With frees the function frees a batch of folios. Then each flush that the task owes counts: also
 * behind a clean entry nobody else may get the memory while a CPU can still read it.
 */
#define pr_fmt(fmt) "owes: " fmt
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/version.h>

static char *function = "";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "the kernel's function to look at");

static uint keep;
module_param(keep, uint, 0644);
MODULE_PARM_DESC(keep, "of every so manieth folio that is written a reference is kept until unload; 0: of none");

#define KEPT_MAX	128

static atomic_t calls, owed, unmarked, untold, nr_kept;
/* Of tlbbatch. */
static bool (*contexts_owe)(void);
static void *(*context_batched)(void);
static struct folio *kept[KEPT_MAX];

static int counter_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(kp->arg));
}

static const struct kernel_param_ops counter_ops = {
	.get = counter_get,
};

module_param_cb(calls, &counter_ops, &calls, 0444);
MODULE_PARM_DESC(calls, "how often it was entered");
module_param_cb(owed, &counter_ops, &owed, 0444);
MODULE_PARM_DESC(owed, "how often by a task that owed a flush");
module_param_cb(unmarked, &counter_ops, &unmarked, 0444);
MODULE_PARM_DESC(unmarked, "with looks: how often its page or folio was without PG_reclaim");

module_param_cb(untold, &counter_ops, &untold, 0444);
MODULE_PARM_DESC(untold, "with asks: how often by a task that owed a flush in its pass, and no pass said so");

static bool asks;
module_param(asks, bool, 0444);
MODULE_PARM_DESC(asks, "whether passes are asked");

static bool looks;
module_param(looks, bool, 0444);
MODULE_PARM_DESC(looks, "whether unmarked is counted");

static uint argument;
module_param(argument, uint, 0444);
MODULE_PARM_DESC(argument, "which of the function's arguments is a page or a folio, counted from 0");

static bool frees;
module_param(frees, bool, 0444);
MODULE_PARM_DESC(frees, "the first argument is a batch of folios; an empty one isn't counted, and any flush is owed");

static char *after = "";
module_param(after, charp, 0444);
MODULE_PARM_DESC(after, "count only folios of files whose last function was this one, in the same task; a folio is the first argument of both");

/* The folio that entered @after last, and its task. Only compared, never followed. */
static DEFINE_RAW_SPINLOCK(given_lock);
static struct folio *given;
static struct task_struct *giver;

static __always_inline unsigned long its_argument(struct ftrace_regs *fregs, uint nr)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return regs_get_kernel_argument(&fregs->regs, nr);
#else
	return ftrace_regs_get_argument(fregs, nr);
#endif
}

static void notrace give(struct folio *folio)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&given_lock, flags);
	given = folio;
	giver = current;
	raw_spin_unlock_irqrestore(&given_lock, flags);
}

/* Each folio that was given is taken once. */
static bool notrace take(struct folio *folio)
{
	unsigned long flags;
	bool taken;

	raw_spin_lock_irqsave(&given_lock, flags);
	taken = given == folio && giver == current;
	if (taken)
		giver = NULL;
	raw_spin_unlock_irqrestore(&given_lock, flags);
	return taken;
}

static void notrace keep_one(struct folio *folio)
{
	int at = atomic_inc_return(&nr_kept) - 1;

	if (at >= KEPT_MAX)
		return;
	folio_get(folio);
	kept[at] = folio;
}

static void notrace callback(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	unsigned int nr, every = READ_ONCE(keep);
	struct folio *folio = NULL;

	if (!in_task())
		return;
	if (*after && !take((struct folio *)its_argument(fregs, 0)))
		return;
	if (frees && !*(unsigned char *)its_argument(fregs, 0))
		return;
	nr = atomic_inc_return(&calls);
	if (every || looks)
		folio = page_folio((struct page *)its_argument(fregs, argument));
	if (folio && looks && !folio_test_reclaim(folio))
		atomic_inc(&unmarked);
	if (folio && every && nr % every == 0)
		keep_one(folio);
	if (!READ_ONCE(current->tlb_ubc.writable) &&
	    !(frees && READ_ONCE(current->tlb_ubc.flush_required)))
		return;
	atomic_inc(&owed);
	/* Migration owes flushes, too, and no pass. */
	if (asks && context_batched() && !contexts_owe())
		atomic_inc(&untold);
}

static void notrace after_callback(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)its_argument(fregs, 0);

	if (folio_is_file_lru(folio))
		give(folio);
}

static struct ftrace_ops ops = {
	.func = callback,
};

static struct ftrace_ops after_ops = {
	.func = after_callback,
};

/* An empty filter would mean every function. */
static int watch(struct ftrace_ops *which, char *name)
{
	int err;

	if (!*name)
		return -EINVAL;
	err = ftrace_set_filter(which, name, strlen(name), 1);
	if (!err)
		err = register_ftrace_function(which);
	if (err)
		ftrace_free_filter(which);
	return err;
}

static void unwatch(struct ftrace_ops *which)
{
	unregister_ftrace_function(which);
	ftrace_free_filter(which);
}

/* Look a function of tlbbatch up. */
static int find(const char *name, void **where)
{
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&probe);

	if (err)
		return err;
	*where = probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int __init owes_init(void)
{
	int err = 0;

	if (asks)
		err = find("tlbbatch_contexts_owe", (void **)&contexts_owe) ?:
		      find("tlbbatch_context_batched", (void **)&context_batched);
	if (!err)
		err = watch(&ops, function);
	if (err || !*after)
		return err;
	err = watch(&after_ops, after);
	if (err)
		unwatch(&ops);
	return err;
}

static void __exit owes_exit(void)
{
	int at;

	if (*after)
		unwatch(&after_ops);
	unwatch(&ops);
	for (at = 0; at < KEPT_MAX && kept[at]; at++)
		folio_put(kept[at]);
}

module_init(owes_init);
module_exit(owes_exit);

MODULE_DESCRIPTION("Counts write-outs by tasks that owe a flush (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
