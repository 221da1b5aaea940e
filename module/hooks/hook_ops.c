// SPDX-License-Identifier: GPL-2.0-only
/*
 * An ftrace_ops that is registered with all of its filter, and unregistered with all of
 * it. That needs no memory (rule H14): unregister_ftrace_function() allocates nothing,
 * and ftrace_free_filter() only frees.
 */
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include "compat/ftrace_compat.h"
#include "hooks/hook.h"

/*
 * All functions out of the filter of an ops that isn't registered, and that nobody is in.
 * A reset of the filter would need memory. ftrace_free_filter() needs none, but leaves
 * pointers to what it freed (up to 6.1), so the ops is made anew.
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

/**
 * tlbbatch_ops_register() - register an ops with the filter that it has
 * @ops: the ops
 * @err: what setting the filter returned; if that failed, only the filter goes
 * @attached: receives whether ftrace may call @ops from now on; it may where it
 *	died half-way, too
 *
 * Context: process context, may sleep.
 * Return: 0, @err, or what ftrace returned. The filter is gone then, unless @attached.
 */
int tlbbatch_ops_register(struct ftrace_ops *ops, int err, bool *attached)
{
	bool shown = !err;

	if (!err)
		err = register_ftrace_function(ops);
	*attached = !err || (ops->flags & FTRACE_OPS_FL_ENABLED && shown);
	if (*attached)
		return err;
	/*
	 * ftrace shows an ops to those who walk its list before it may refuse it, and
	 * waits for none of them: one of them may look at the filter still, or be on the
	 * way to a replacement.
	 */
	if (shown) {
		synchronize_rcu();
		synchronize_rcu_tasks();
	}
	free_filter(ops);
	return err;
}

/**
 * tlbbatch_ops_unregister() - take an ops out of ftrace, and then clear its filter
 * @ops: the ops
 * @attached: ftrace may call @ops; false afterwards, unless it refuses
 *
 * In this order: rule H7. Returns after an RCU-tasks grace period (kernels with
 * CONFIG_PREEMPTION): no task is in its callback then.
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
