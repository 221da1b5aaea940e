// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the module's text may be freed, this waits until no task is in it: rule H13. A
 * feature whose end frees something, or that is registered whole, has waited by itself:
 * see feature_detach().
 *
 *  1. No new pass is opened, and every open pass has ended: the caller saw to that.
 *  2. Each ops is unregistered, which waits for RCU-tasks: no task is on its way from an
 *     ftrace site to a replacement.
 *  3. No slot of the table of passes is taken: no task sleeps in a replacement.
 *  4. RCU-tasks again: no task is in the last instructions of a replacement.
 *
 * A worker does the waiting, so that unload can log what it waits for.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include "hooks/hook.h"
#include "hooks/hook_set.h"

#define MESSAGE_MS	5000
#define NAMES_MAX	4

static DECLARE_COMPLETION(retired);
static const char *waits_for = "its worker";
static void (*leave_text)(void);

static void retire(struct work_struct *work)
{
	int err;

	WRITE_ONCE(waits_for, "ftrace and RCU-tasks");
	/* If ftrace is dead it may still call us: then the module must never go. */
	while ((err = tlbbatch_hooks_unregister())) {
		pr_err("ftrace doesn't let go of the hooks (%d)\n", err);
		schedule_timeout_idle(msecs_to_jiffies(MESSAGE_MS));
	}
	if (!IS_ENABLED(CONFIG_PREEMPTION))
		synchronize_rcu_tasks();

	WRITE_ONCE(waits_for, "reclaim passes");
	leave_text();

	WRITE_ONCE(waits_for, "RCU-tasks");
	synchronize_rcu_tasks();
	complete(&retired);
}

static DECLARE_WORK(retire_work, retire);

/* RCU-tasks waits until each of these tasks sleeps voluntarily or is in user space. */
static void name_holdouts(void)
{
	struct task_struct *leader, *task;
	unsigned int named = 0;

	rcu_read_lock();
	for_each_process_thread(leader, task) {
		if (!READ_ONCE(task->rcu_tasks_holdout))
			continue;
		pr_info("RCU-tasks waits for %s/%d\n", task->comm,
			task_pid_nr(task));
		if (++named == NAMES_MAX)
			goto out;
	}
out:
	rcu_read_unlock();
}

/**
 * tlbbatch_hooks_retire() - unregister, and wait until no task is in our text
 * @leave: waits until no task sleeps in a replacement; called when none can enter one
 *
 * It never gives up, because text that a task may still run must not be freed. Every
 * five seconds the log says what it waits for, and names tasks.
 *
 * Context: unload, or the unwinding of a load that failed; every hook is detached, or
 *	does nothing (rule H3); no pass is open.
 */
void tlbbatch_hooks_retire(void (*leave)(void))
{
	unsigned int seconds = 0;

	if (!tlbbatch_sets_registered())
		return;
	leave_text = leave;
	queue_work(system_long_wq, &retire_work);
	while (!wait_for_completion_timeout(&retired,
					    msecs_to_jiffies(MESSAGE_MS))) {
		seconds += MESSAGE_MS / MSEC_PER_SEC;
		pr_info("unload waits for %s, %u s now\n", READ_ONCE(waits_for),
			seconds);
		name_holdouts();
	}
	/* The worker must have left our text too. */
	flush_work(&retire_work);
}
