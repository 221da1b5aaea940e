// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches and detaches hooks, all those of a feature at once (rule H2).
 *
 * A hook that must come and go fast enters and leaves the filter of a set, whose ops
 * stays registered (hook_set.c). Leaving a filter needs memory. So a feature whose end
 * must not need memory has an ops of its own, which is registered with all of its hooks
 * (hook_ops.c, rule H14). No other feature can hook the same functions then.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sysfs.h>
#include "arch/x86.h"
#include "debug/debug.h"
#include "hooks/hook.h"
#include "hooks/hook_set.h"
#include "kernel/kernel_calls.h"

/* How often a change of the filter is tried while memory is short. */
#define DETACH_TRIES	5
#define DETACH_PAUSE_MS	20
/* How long to wait while somebody else patches the kernel's text. */
#define POKE_TRIES	200
#define POKE_PAUSE_MS	5

/* Protects the sets, the hooks' @users, and which hooks are in a set's filter. */
static DEFINE_MUTEX(hook_mutex);

/*
 * Does the kernel's text have a call at the ftrace site? While another tracer comes or
 * goes, an int3 stands there until all CPUs have noticed: that is waited for. An int3
 * that stays isn't a hook.
 */
static bool is_live(const struct tlbbatch_hook *hook)
{
	unsigned int tries = POKE_TRIES;
	enum tlbbatch_site site;

	/* Who reads a hook's file has no lock. */
	if (!READ_ONCE(hook->attached))
		return false;
	while ((site = tlbbatch_arch_site(hook->ip)) == TLBBATCH_SITE_CHANGING &&
	       tries--)
		msleep(POKE_PAUSE_MS);
	return site == TLBBATCH_SITE_CALLS;
}

/*
 * The filter doesn't become empty: the dummy stays in it (rule H7). This fails for want of
 * memory for the new filter, or if ftrace is dead (-ENODEV). The hook then stays attached,
 * and does nothing (rule H3).
 */
static int detach_hook(struct tlbbatch_hook *hook)
{
	unsigned int tries = DETACH_TRIES;
	int err = 0;

	if (!hook->attached)
		return 0;
	while (tries--) {
		err = tlbbatch_debug_fail_detach() ?:
		      ftrace_set_filter_ip(&tlbbatch_set_of(hook)->ops, hook->ip, 1, 0);
		if (err != -ENOMEM)
			break;
		msleep(DETACH_PAUSE_MS);
	}
	if (err)
		pr_err("%s stays attached (%d); it does nothing\n", hook->name,
		       err);
	else
		WRITE_ONCE(hook->attached, false);
	return err;
}

/*
 * Rule H5: a BPF trampoline that came first may call the original by itself, and so
 * bypass the hook. ftrace tells it of an ops that is registered, but not of a function
 * that is added to the filter of a registered ops. A trampoline that comes later learns
 * of the hook and shares the function. So the check is made when the hook is attached,
 * and before any pass goes through it.
 */
static bool has_direct_call(unsigned long ip)
{
	bool direct;

	preempt_disable();
	direct = static_call(tlbbatch_ftrace_find_rec_direct)(ip);
	preempt_enable();
	return direct;
}

/* ftrace doesn't report that it failed to patch text. */
static int check_patched(const struct tlbbatch_hook *hook)
{
	if (is_live(hook))
		return 0;
	pr_err("%s was not patched by ftrace\n", hook->target->function.symbol);
	return -EIO;
}

static int attach_hook(struct tlbbatch_hook *hook)
{
	const char *symbol = hook->target->function.symbol;
	int err = 0;

	if (!hook->attached) {
		hook->first = false;
		err = ftrace_set_filter_ip(&tlbbatch_set_of(hook)->ops, hook->ip, 0, 0);
	}
	if (err == -EBUSY) {
		pr_err("%s is held by another user that changes its path (a livepatch?)\n",
		       symbol);
		return err;
	}
	if (err) {
		pr_err("%s cannot be attached (%d)\n", symbol, err);
		return err;
	}
	WRITE_ONCE(hook->attached, true);
	/*
	 * If another feature has the hook already, or it couldn't be detached, this was
	 * checked then. A trampoline that came later shares.
	 */
	if (!hook->look && !hook->first && has_direct_call(hook->ip)) {
		pr_err("%s is held by a BPF trampoline (fentry, fexit)\n", symbol);
		return -EBUSY;
	}
	hook->first = true;
	return check_patched(hook);
}

static void tell_attached(struct tlbbatch_redirects *redirects)
{
	unsigned int i;

	for (i = 0; i < redirects->nr; i++)
		WRITE_ONCE(redirects->hooks[i].attached,
			   redirects->registered && !redirects->hooks[i].unneeded);
}

/* ftrace doesn't say which of them somebody else has. */
static void name_held(const struct tlbbatch_redirects *redirects)
{
	unsigned int i;

	for (i = 0; i < redirects->nr; i++)
		if (!redirects->hooks[i].unneeded)
			pr_err("%s may be held by another user that changes its path (a livepatch?)\n",
			       redirects->hooks[i].target->function.symbol);
}

static int attach_whole(struct tlbbatch_redirects *redirects)
{
	struct ftrace_ops *ops = &redirects->ops;
	unsigned int i, nr = 0;
	int err = 0;

	tlbbatch_redirect_ops(ops);
	for (i = 0; i < redirects->nr && !err; i++) {
		if (redirects->hooks[i].unneeded)
			continue;
		err = ftrace_set_filter_ip(ops, redirects->hooks[i].ip, 0, 0);
		nr++;
	}
	/* An empty filter would mean every function: rule H7. */
	if (!nr)
		return 0;
	/*
	 * At registration ftrace asks BPF trampolines on functions in the filter to
	 * share.
	 */
	err = tlbbatch_ops_register(ops, err, &redirects->registered);
	tell_attached(redirects);
	if (err == -EBUSY)
		name_held(redirects);
	/*
	 * A task that entered a function before that goes unseen. After this it has left
	 * the function, or sleeps in it.
	 */
	if (!err)
		synchronize_rcu_tasks();
	for (i = 0; i < redirects->nr && !err; i++)
		if (!redirects->hooks[i].unneeded)
			err = check_patched(&redirects->hooks[i]);
	return err;
}

static int detach_whole(struct tlbbatch_redirects *redirects)
{
	int err = 0;

	if (redirects->registered)
		err = tlbbatch_debug_fail_unregister();
	if (!err)
		err = tlbbatch_ops_unregister(&redirects->ops,
					      &redirects->registered);
	if (err)
		return err;
	tell_attached(redirects);
	if (!IS_ENABLED(CONFIG_PREEMPTION))
		synchronize_rcu_tasks();
	if (redirects->drain)
		redirects->drain();
	return 0;
}

/* A feature has the hook: it counts before it is attached, until nothing of it acts. */
static void hold_hook(struct tlbbatch_hook *hook)
{
	struct tlbbatch_hook_set *set = tlbbatch_set_of(hook);

	hook->users++;
	WRITE_ONCE(set->users, set->users + 1);
}

static void release_hook(struct tlbbatch_hook *hook)
{
	struct tlbbatch_hook_set *set = tlbbatch_set_of(hook);

	hook->users--;
	WRITE_ONCE(set->users, set->users - 1);
}

/*
 * Detaches each hook that no feature uses any more; also a hook that an earlier call
 * couldn't detach for want of memory.
 */
static int detach_parked(struct tlbbatch_redirects *redirects)
{
	unsigned int i = tlbbatch_nr_hooks(redirects);
	int err = 0;

	while (i--) {
		struct tlbbatch_hook *hook = tlbbatch_hook_at(redirects, i);

		if (!tlbbatch_is_parked(redirects, i))
			continue;
		if (redirects->held && !hook->unneeded)
			release_hook(hook);
		if (!hook->users)
			err = detach_hook(hook) ?: err;
	}
	redirects->held = false;
	return err;
}

static void hold_parked(struct tlbbatch_redirects *redirects)
{
	unsigned int i;

	for (i = 0; i < tlbbatch_nr_hooks(redirects); i++) {
		struct tlbbatch_hook *hook = tlbbatch_hook_at(redirects, i);

		if (tlbbatch_is_parked(redirects, i) && !hook->unneeded)
			hold_hook(hook);
	}
	redirects->held = true;
}

static int attach_parked(struct tlbbatch_redirects *redirects)
{
	unsigned int i;
	int err = tlbbatch_sets_prove(redirects);

	if (err)
		return err;
	hold_parked(redirects);
	for (i = 0; i < tlbbatch_nr_hooks(redirects) && !err; i++) {
		struct tlbbatch_hook *hook = tlbbatch_hook_at(redirects, i);

		if (tlbbatch_is_parked(redirects, i) && !hook->unneeded)
			err = attach_hook(hook);
	}
	if (err)
		detach_parked(redirects);
	return err;
}

/**
 * tlbbatch_redirects_attach() - arm every hook of a feature, or none (rule H2)
 * @redirects: the hooks, all of them available, none attached
 *
 * Context: process context, may sleep; the mutex that serialises the feature's changes
 *	held; the feature doesn't act for any task yet.
 * Return: 0; -EBUSY if another IPMODIFY user or a BPF trampoline holds a function, or
 *	ftrace is off; -EIO if the self-test or patching failed; -EOPNOTSUPP if the
 *	self-test's function can't be traced; -ENOMEM; -ENODEV. If ftrace died, or didn't patch,
 *	hooks that are registered whole may still be attached: see @registered.
 */
int tlbbatch_redirects_attach(struct tlbbatch_redirects *redirects)
{
	int err = 0;

	if (redirects->whole)
		err = attach_whole(redirects);
	if (err)
		return err;
	mutex_lock(&hook_mutex);
	err = attach_parked(redirects);
	mutex_unlock(&hook_mutex);
	return err;
}

/**
 * tlbbatch_redirects_detach() - disarm every hook of a feature
 * @redirects: the hooks
 *
 * If they are registered whole and 0 is returned, no task is in a replacement any more,
 * but for its last instructions.
 *
 * Context: process context, may sleep, for seconds under load if @whole; the mutex that
 *	serialises the feature's changes held; the feature doesn't act for any task any
 *	more, because a gate must not go while a flush is put off.
 * Return: 0; -ENOMEM, or -ENODEV if ftrace is dead, if a hook stays attached: it does
 *	nothing then, and a later call or unload removes it; if @whole, also an error of
 *	ftrace: ftrace is dead then, and @registered stays set, so that it may be tried
 *	again.
 */
int tlbbatch_redirects_detach(struct tlbbatch_redirects *redirects)
{
	int err, dead = 0;

	mutex_lock(&hook_mutex);
	err = detach_parked(redirects);
	mutex_unlock(&hook_mutex);
	if (redirects->whole)
		dead = detach_whole(redirects);
	return dead ?: err;
}

/**
 * tlbbatch_hooks_unregister() - unregister each set
 *
 * Context: unload, may sleep long; no feature acts.
 * Return: 0, or what unregister_ftrace_function() returns.
 */
int tlbbatch_hooks_unregister(void)
{
	int err;

	mutex_lock(&hook_mutex);
	err = tlbbatch_sets_unregister();
	mutex_unlock(&hook_mutex);
	return err;
}

/**
 * tlbbatch_hook_describe() - the state of a hook, from the live kernel
 * @hook: which
 * @buf: a sysfs page
 *
 * Context: any.
 * Return: bytes written.
 */
ssize_t tlbbatch_hook_describe(const struct tlbbatch_hook *hook, char *buf)
{
	if (hook->unneeded)
		return sysfs_emit(buf, "not needed: %s\n", hook->need.without);
	if (hook->reason[0])
		return sysfs_emit(buf, "unavailable: %s\n", hook->reason);
	return sysfs_emit(buf, "%s\n", is_live(hook) ? "attached" : "detached");
}
