// SPDX-License-Identifier: GPL-2.0-only
/*
 * An ftrace_ops that is registered whole: its filter is set before it is registered, and
 * cleared after it is unregistered. So its end needs no memory (rule H14):
 * unregister_ftrace_function() allocates nothing, and ftrace_free_filter() only frees.
 */
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include "compat/ftrace_compat.h"
#include "hooks/hook.h"

/*
 * Clears the filter of an ops that isn't registered, and in whose callback no task is.
 * Resetting the filter would need memory. ftrace_free_filter() needs none, but up to
 * 6.1 it leaves pointers to what it freed. So the ops is initialised again.
 */
static void free_filter(struct ftrace_ops *ops)
{
	unsigned long flags = ops->flags &
			      (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT |
			       COMPAT_FTRACE_OPS_FL);
	ftrace_func_t func = ops->func;
	void *private = ops->private;

	ftrace_free_filter(ops);
	memset(ops, 0, sizeof(*ops));
	ops->func = func;
	ops->flags = flags;
	ops->private = private;
}

/* Each takes a millisecond at least. */
#define TRIES	1000

/*
 * Rule H5. While somebody changes a BPF trampoline on a function of the filter, ftrace can't ask that
 * to share: bpf_tramp_ftrace_ops_func() sleeps for a millisecond, and nothing was done.
 */
static int register_ops(struct ftrace_ops *ops)
{
	unsigned int tries = TRIES;
	int err;

	do {
		err = register_ftrace_function(ops);
	} while (err == -EAGAIN && --tries && !fatal_signal_pending(current));
	return err == -EAGAIN ? -EBUSY : err;
}

/**
 * tlbbatch_ops_register() - register an ops with the filter that it has
 * @ops: the ops
 * @err: what setting the filter returned; if that is an error, the filter is only
 *	cleared
 * @attached: receives whether ftrace may call @ops from now on; also true if ftrace died
 *	half-way
 *
 * Context: process context, may sleep.
 * Return: 0, @err, or what ftrace returned; -EBUSY if a BPF trampoline was being changed all
 *	the time, or until the task was killed. On an error the filter is cleared, unless
 *	@attached.
 */
int tlbbatch_ops_register(struct ftrace_ops *ops, int err, bool *attached)
{
	bool shown = !err;

	if (!err)
		err = register_ops(ops);
	*attached = !err || (ops->flags & FTRACE_OPS_FL_ENABLED && shown);
	if (*attached)
		return err;
	/*
	 * ftrace puts an ops on its list before it may refuse it, and doesn't wait for
	 * the readers of that list. One of them may still look at the filter, or be on
	 * its way to a replacement.
	 */
	if (shown) {
		synchronize_rcu();
		synchronize_rcu_tasks();
	}
	free_filter(ops);
	return err;
}

/**
 * tlbbatch_ops_unregister() - unregister an ops, and then clear its filter
 * @ops: the ops
 * @attached: ftrace may call @ops; set to false on success
 *
 * For the order see rule H7. On kernels with CONFIG_PREEMPTION ftrace waits for
 * RCU-tasks, so that no task is in the callback when this returns 0.
 *
 * Context: process context, may sleep, for seconds under load.
 * Return: 0, or an error of ftrace, which is dead then; may be tried again.
 */
int tlbbatch_ops_unregister(struct ftrace_ops *ops, bool *attached)
{
	int err;

	if (!*attached)
		return 0;
	err = unregister_ftrace_function(ops);
	if (err)
		return err;
	*attached = false;
	free_filter(ops);
	return 0;
}
