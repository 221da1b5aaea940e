// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: a task goes through some functions of the kernel step by step. At its entry
 * into any of them it waits, with interrupts on, until that many steps are allowed. So
 * something can happen at a known place of a reclaim pass.
 */
#define pr_fmt(fmt) "step: " fmt
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

#define FUNCTIONS_MAX	4
#define STEP_US		10
/* Far below the time that the watchdogs call a lockup. */
#define MAX_US		(5 * 1000 * 1000)

static char *functions[FUNCTIONS_MAX];
static int nr_functions;
module_param_array(functions, charp, &nr_functions, 0444);
MODULE_PARM_DESC(functions, "the kernel's functions to wait in");

static int pid;
module_param(pid, int, 0644);
MODULE_PARM_DESC(pid, "the thread that goes step by step; 0: none");

static uint at;
module_param(at, uint, 0644);
MODULE_PARM_DESC(at, "how many steps it has begun");

static uint allowed;
module_param(allowed, uint, 0644);
MODULE_PARM_DESC(allowed, "how many steps it may begin without waiting");

static uint late;
module_param(late, uint, 0644);
MODULE_PARM_DESC(late, "steps that were taken although nobody allowed them in time");

static void notrace callback(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	unsigned int step, us;

	if (READ_ONCE(pid) != current->pid)
		return;
	step = READ_ONCE(at) + 1;
	WRITE_ONCE(at, step);
	for (us = 0; READ_ONCE(allowed) < step; us += STEP_US) {
		if (us >= MAX_US) {
			/* The task that should allow steps may be stuck. So the stepping ends. */
			WRITE_ONCE(late, late + 1);
			WRITE_ONCE(pid, 0);
			return;
		}
		udelay(STEP_US);
	}
}

static struct ftrace_ops ops = {
	.func = callback,
};

static int __init step_init(void)
{
	int err = -EINVAL;
	int i;

	/* An empty filter would mean every function. */
	for (i = 0; i < nr_functions; i++) {
		err = ftrace_set_filter(&ops, functions[i],
					strlen(functions[i]), i == 0);
		if (err)
			break;
	}
	if (!err)
		err = register_ftrace_function(&ops);
	if (err)
		ftrace_free_filter(&ops);
	return err;
}

static void __exit step_exit(void)
{
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}

module_init(step_init);
module_exit(step_exit);

MODULE_DESCRIPTION("Makes a task wait at its entry into functions (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
