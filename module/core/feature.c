// SPDX-License-Identifier: GPL-2.0-only
/* What is the same for every feature: to find what it needs, on, and off. */
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

/* Unload can only wait for a dead ftrace. */
#define RETIRE_RETRY	(5 * HZ)

/* Serialises changes of features that don't do so by themselves. */
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
 * What is missing makes it unavailable. It stays off.
 *
 * Context: load; symbols found and BTF open.
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

/* Who ends something is watched before who begins it: entries come last. */
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

/* May ftrace call it? A hook that stays for want of memory does nothing: rule H3. */
static bool is_attached(const struct tlbbatch_feature *feature)
{
	return (feature->redirects && feature->redirects->registered) ||
	       (feature->watches && feature->watches->entries_attached);
}

/*
 * Some part of it was registered whole, or what it made is about to go: rule H13. What has
 * nothing to free needn't wait, and ends fast (rule H6).
 */
static bool may_leave_tasks(const struct tlbbatch_feature *feature)
{
	return feature->stop ||
	       (feature->redirects && feature->redirects->whole) ||
	       (feature->watches && feature->watches->nr_entries);
}

/*
 * Nobody is in a probe, a replacement or a callback when it returns: ftrace waits for
 * RCU-tasks where tasks can be preempted, the others for RCU (rule H13). Of a feature
 * without a stop whose hooks stay registered that is true at unload only.
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
	 * Who was waited for in a replacement may still be on its last instructions. A hook
	 * left a filter, which waits for nobody: its callback runs with preemption off,
	 * also in idle tasks, which RCU-tasks ignores.
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
 * What ftrace said when it didn't let go is in @stuck. It is dead then (a bug of the
 * kernel), and may still call what is attached: the module must not go.
 */
static void hold_module(struct tlbbatch_feature *feature)
{
	if (feature->stuck) {
		pr_err("%s: ftrace doesn't let go (%d): it does nothing any more, the module stays until off succeeds\n",
		       feature->name, feature->stuck);
		/* Fails at unload, which waits instead. */
		if (!feature->held)
			feature->held = try_module_get(THIS_MODULE);
	} else {
		if (feature->held)
			module_put(THIS_MODULE);
		feature->held = false;
	}
}

/* Where ftrace is dead it is on still, and nothing that it could reach is freed. */
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
 * Return: 0; @stuck, if it is; -EOPNOTSUPP if it can't be had (the log says why); what its
 *	own start or attaching it returned: it is off then, unless it is @stuck.
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
 * Rule H9: a hook goes when no pass is open any more in which it acted: each flush that
 * was put off is issued before the first gate goes.
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
 * Context: process context, may sleep, for seconds under load if it has anything that is
 *	registered whole; the mutex that serialises its changes held.
 * Return: 0; -EINTR if it was killed: it is on then, but acts in no pass that begins, and
 *	can be switched on or off again; -ENOMEM if a hook stays, which does nothing: it is
 *	off, and a later call removes the hook; an error of ftrace, which is dead then: it is
 *	on and @stuck.
 */
int tlbbatch_feature_off(struct tlbbatch_feature *feature, bool killable)
{
	int err = feature->pass ? leave_passes(feature, killable) : 0;

	if (err)
		return err;
	return feature->on ? feature_end(feature) : feature_detach(feature);
}

/**
 * tlbbatch_feature_switch() - switch a feature on or off that has nothing to add
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
 * tlbbatch_feature_retire() - switch such a feature off for good
 * @feature: the feature
 *
 * Text that ftrace may still call is never freed.
 *
 * Context: unload; sysfs is gone.
 */
void tlbbatch_feature_retire(struct tlbbatch_feature *feature)
{
	mutex_lock(&switch_mutex);
	while (tlbbatch_feature_off(feature, false) && feature->stuck)
		schedule_timeout_idle(RETIRE_RETRY);
	mutex_unlock(&switch_mutex);
}
