// SPDX-License-Identifier: GPL-2.0-only
/* What is the same for every feature: find what it needs, switch it on and off. */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "core/feature.h"
#include "debug/debug.h"
#include "hooks/hook.h"
#include "hooks/watch.h"
#include "kernel/symbols.h"
#include "pass/pass.h"
#include "pass/pass_calls.h"
#include "pass/pass_hook.h"

/* If ftrace is dead, unload can only try again, so long after each failure. */
#define RETIRE_RETRY	(5 * HZ)

/* Serialises changes of the features that have no mutex of their own. */
static DEFINE_MUTEX(switch_mutex);

/* What is missing besides its hooks: @own, or something that it watches. */
static void find_rest(struct tlbbatch_feature *feature, const char *own)
{
	char reason[TLBBATCH_REASON_LEN];

	if (feature->watches &&
	    !tlbbatch_watches_resolve(feature->watches, reason, sizeof(reason)))
		own = own ?: reason;
	if (own)
		strscpy(feature->unavailable, own, sizeof(feature->unavailable));
}

/**
 * tlbbatch_feature_find() - find all that a feature needs of the kernel
 * @feature: the feature
 *
 * If anything is missing, the feature is unavailable and stays off.
 *
 * Context: load; the symbols were looked up and BTF is open.
 */
void tlbbatch_feature_find(struct tlbbatch_feature *feature)
{
	struct tlbbatch_redirects *redirects = feature->redirects;
	const char *missing = tlbbatch_symbols_missing(), *own = missing;
	char *reason = feature->unavailable;

	if (!missing) {
		own = feature->find ? feature->find() : NULL;
		find_rest(feature, own);
	}
	if (feature->pass) {
		redirects->shared[redirects->nr_shared++] = &tlbbatch_pass_hook;
		tlbbatch_pass_calls(feature->pass, feature->pass_begin,
				    feature->pass_end);
	}
	if (redirects) {
		tlbbatch_redirects_resolve(redirects, missing, own);
		missing = redirects->unavailable;
	}
	if (missing && !reason[0])
		strscpy(reason, missing, sizeof(feature->unavailable));
	if (reason[0] && feature->lacks)
		pr_warn("%s: %s\n", feature->lacks, reason);
}

/*
 * Entries are attached last: what begins at one of them (a pass) may end at a redirect
 * or a tracepoint.
 */
static int feature_attach(struct tlbbatch_feature *feature)
{
	int err = 0;

	if (feature->watches)
		err = tlbbatch_points_attach(feature->watches);
	if (!err && feature->redirects)
		err = tlbbatch_redirects_attach(feature->redirects);
	if (!err && feature->watches)
		err = tlbbatch_entries_attach(feature->watches);
	return err;
}

/*
 * May ftrace call an ops that was registered whole? A hook that stays in a set's filter
 * for want of memory isn't counted: it does nothing (rule H3).
 */
static bool is_attached(const struct tlbbatch_feature *feature)
{
	return (feature->redirects && feature->redirects->registered) ||
	       (feature->watches && feature->watches->entries_attached);
}

/*
 * Is any part of the feature registered whole, or has it something to free?
 * See rule H13. A feature with nothing to free needn't wait, and ends fast (rule H6).
 */
static bool may_leave_tasks(const struct tlbbatch_feature *feature)
{
	return feature->stop ||
	       (feature->redirects && feature->redirects->whole) ||
	       (feature->watches && feature->watches->nr_entries);
}

/*
 * When this returns, no task is in a probe, a replacement or a callback of the feature
 * (rule H13). Unregistering an ops waits for RCU-tasks where tasks can be preempted;
 * the rest is waited for here. There is one exception: the hooks in a set of a feature
 * without a stop. The ops of a set stays registered, and unload waits for those hooks.
 */
static int feature_detach(struct tlbbatch_feature *feature)
{
	struct tlbbatch_redirects *redirects = feature->redirects;
	struct tlbbatch_watches *watches = feature->watches;
	int err = 0, dead = 0;

	if (redirects)
		err = tlbbatch_redirects_detach(redirects);
	if (redirects && redirects->registered)
		return err;
	if (watches)
		dead = tlbbatch_entries_detach(watches);
	if (dead)
		return dead;
	/*
	 * A task that has left a replacement may still run its last instructions. A
	 * hook that left a filter waited for nobody. Its callback runs with preemption
	 * off, also in idle tasks, which RCU-tasks ignores.
	 */
	if (may_leave_tasks(feature)) {
		synchronize_rcu();
		synchronize_rcu_tasks();
	}
	if (watches)
		tlbbatch_points_detach(watches);
	return err;
}

/*
 * @stuck is the error with which ftrace refused to detach the feature. ftrace is dead
 * then, which is a bug of the kernel. It may still call what is attached, so the module
 * must stay.
 */
static void hold_module(struct tlbbatch_feature *feature)
{
	if (feature->stuck) {
		pr_err("%s: ftrace doesn't let go (%d): it does nothing any more, the module stays until off succeeds\n",
		       feature->name, feature->stuck);
		/* This fails during unload, which waits instead. */
		if (!feature->held)
			feature->held = try_module_get(THIS_MODULE);
	} else {
		if (feature->held)
			module_put(THIS_MODULE);
		feature->held = false;
	}
}

/*
 * If ftrace is dead, the feature stays on, and nothing that ftrace may reach is freed.
 */
static int feature_end(struct tlbbatch_feature *feature)
{
	int err;

	if (feature->close)
		feature->close();
	err = feature_detach(feature);
	feature->stuck = is_attached(feature) ? err : 0;
	if (!feature->stuck && feature->stop)
		feature->stop();
	WRITE_ONCE(feature->on, feature->stuck != 0);
	hold_module(feature);
	return err;
}

static const char *why_not(const struct tlbbatch_feature *feature)
{
	if (feature->unavailable[0])
		return feature->unavailable;
	return feature->unfit ? feature->unfit() : NULL;
}

static int feature_begin(struct tlbbatch_feature *feature)
{
	const char *why;
	int err;

	why = why_not(feature);
	if (why) {
		pr_err("%s: %s\n", feature->refuses, why);
		return -EOPNOTSUPP;
	}
	err = feature->start ? feature->start() : 0;
	if (err)
		return err;
	err = feature_attach(feature);
	if (!err) {
		WRITE_ONCE(feature->on, true);
		return 0;
	}
	if (feature->fails)
		pr_err("%s (%d)%s\n", feature->fails, err, err == -EBUSY ?
		       "; is kernel.ftrace_enabled 0, or a livepatch there?" : "");
	feature_end(feature);
	return err;
}

/**
 * tlbbatch_feature_on() - switch a feature on
 * @feature: the feature
 *
 * Context: process context, may sleep; the mutex that serialises its changes held.
 * Return: 0; @stuck, if it isn't 0; -EOPNOTSUPP if it is unavailable or unfit (the log
 *	says why); or the error of its own start or of attaching it. On an error it is
 *	off, unless it is @stuck.
 */
int tlbbatch_feature_on(struct tlbbatch_feature *feature)
{
	int err;

	if (feature->stuck)
		return feature->stuck;
	err = feature->on ? 0 : feature_begin(feature);
	if (!err && feature->pass)
		tlbbatch_pass_join(feature->pass);
	return err;
}

/*
 * Rule H9: a hook is detached only when every pass in which it acted has ended. So each
 * flush that was put off is issued before the first gate is detached.
 */
static int leave_passes(struct tlbbatch_feature *feature, bool killable)
{
	tlbbatch_pass_leave(feature->pass);
	if (tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_TURNOVER))
		return 0;
	return tlbbatch_passes_wait_turnover(feature->waits, killable);
}

/**
 * tlbbatch_feature_off() - switch a feature off
 * @feature: the feature
 * @killable: give up when the task is killed while it waits for passes to end
 *
 * Context: process context, may sleep, for seconds under load if any part of the feature
 *	is registered whole; the mutex that serialises its changes held.
 * Return: 0; -EINTR if the task was killed: the feature is still on, acts in no pass
 *	that begins, and can be switched on or off again; -ENOMEM if a hook stays
 *	attached: the feature is off, the hook does nothing, and a later call removes
 *	it; an error of ftrace, which is dead then: the feature is on and @stuck.
 */
int tlbbatch_feature_off(struct tlbbatch_feature *feature, bool killable)
{
	int err = feature->pass ? leave_passes(feature, killable) : 0;

	if (err)
		return err;
	return feature->on ? feature_end(feature) : feature_detach(feature);
}

/**
 * tlbbatch_feature_switch() - switch a feature that has no mutex of its own on or off
 * @feature: the feature
 * @on: whether it is to be on
 *
 * Context: process context, may sleep.
 * Return: 0; -EINTR if the caller was killed; what tlbbatch_feature_on() or
 *	tlbbatch_feature_off() returns.
 */
int tlbbatch_feature_switch(struct tlbbatch_feature *feature, bool on)
{
	int err;

	if (mutex_lock_killable(&switch_mutex))
		return -EINTR;
	err = on ? tlbbatch_feature_on(feature) :
		   tlbbatch_feature_off(feature, true);
	mutex_unlock(&switch_mutex);
	return err;
}

/**
 * tlbbatch_feature_retire() - switch a feature without a mutex of its own off for good
 * @feature: the feature
 *
 * Tries again as long as ftrace may call the feature: its text must not be freed then.
 *
 * Context: unload; the files in sysfs are gone.
 */
void tlbbatch_feature_retire(struct tlbbatch_feature *feature)
{
	mutex_lock(&switch_mutex);
	while (tlbbatch_feature_off(feature, false) && feature->stuck)
		schedule_timeout_idle(RETIRE_RETRY);
	mutex_unlock(&switch_mutex);
}
