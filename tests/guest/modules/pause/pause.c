// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: a task that enters a function stays there, with interrupts on, until it is
 * told to go on. So something can happen meanwhile. This happens once for each write of
 * pid. The task must be at a place where it may spin for a while.
 */
#define pr_fmt(fmt) "pause: " fmt
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#define STEP_US		10
/* Far below the time that the watchdogs call a lockup. */
#define MAX_US		(5 * 1000 * 1000)

static char *function = "";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "the kernel's function to wait in");

static int pid;
module_param(pid, int, 0644);
MODULE_PARM_DESC(pid, "the thread that waits there the next time (-1: any); reads 0 after that");

static bool held;
module_param(held, bool, 0644);
MODULE_PARM_DESC(held, "the thread waits there");

static bool go;
module_param(go, bool, 0644);
MODULE_PARM_DESC(go, "let it go on");

static void notrace callback(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	int wanted = READ_ONCE(pid);
	unsigned int us;

	if (wanted != current->pid &&
	    (wanted != -1 || cmpxchg(&pid, -1, current->pid) != -1))
		return;
	WRITE_ONCE(held, true);
	for (us = 0; us < MAX_US && !READ_ONCE(go); us += STEP_US)
		udelay(STEP_US);
	WRITE_ONCE(pid, 0);
}

static struct ftrace_ops ops = {
	.func = callback,
};

static int __init pause_init(void)
{
	int err;

	/* An empty filter would mean every function. */
	if (!*function)
		return -EINVAL;
	err = ftrace_set_filter(&ops, function, strlen(function), 1);
	if (err)
		return err;
	err = register_ftrace_function(&ops);
	if (err)
		ftrace_free_filter(&ops);
	return err;
}

static void __exit pause_exit(void)
{
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}

module_init(pause_init);
module_exit(pause_exit);

MODULE_DESCRIPTION("Makes a task wait in a function (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
