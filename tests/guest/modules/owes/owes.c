// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: how often does a task enter a function that writes pages out, having
 * unmapped a dirty page and not flushed since? The answer must be never, with or without
 * tlbbatch: otherwise a CPU could still store to what is being written.
 */
#define pr_fmt(fmt) "owes: " fmt
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

static char *function = "";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "the kernel's function to look at");

static atomic_t calls, owed;

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

static void notrace callback(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (!in_task())
		return;
	atomic_inc(&calls);
	if (READ_ONCE(current->tlb_ubc.writable))
		atomic_inc(&owed);
}

static struct ftrace_ops ops = {
	.func = callback,
};

static int __init owes_init(void)
{
	int err;

	/* An empty filter would mean every function. */
	if (!*function)
		return -EINVAL;
	err = ftrace_set_filter(&ops, function, strlen(function), 1);
	if (!err)
		err = register_ftrace_function(&ops);
	if (err)
		ftrace_free_filter(&ops);
	return err;
}

static void __exit owes_exit(void)
{
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}

module_init(owes_init);
module_exit(owes_exit);

MODULE_DESCRIPTION("Counts write-outs by tasks that owe a flush (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
