// SPDX-License-Identifier: GPL-2.0-only
/* Waits for tasks inside replacements: see hook_inside.h. */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include "hooks/hook_inside.h"

#define POLLS_PER_S	10
#define MESSAGE_S	5

static bool anybody(const u32 __percpu *inside)
{
	unsigned int cpu;
	u32 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(inside, cpu));
	return sum;
}

/**
 * tlbbatch_inside_wait() - wait until nobody is inside any more
 * @inside: who is, by tlbbatch_enters() and tlbbatch_leaves()
 * @what: who waits, and for what, for the log
 *
 * Context: process context, may sleep; nobody enters any more.
 */
void tlbbatch_inside_wait(const u32 __percpu *inside, const char *what)
{
	unsigned int tries = 0;

	while (anybody(inside)) {
		schedule_timeout_idle(HZ / POLLS_PER_S);
		if (++tries % (POLLS_PER_S * MESSAGE_S) == 0)
			pr_info("%s, %u s now\n", what, tries / POLLS_PER_S);
	}
}
