// SPDX-License-Identifier: GPL-2.0-only
/*
 * The callback of all hooks that redirect, and the sets of hooks that come and go fast.
 *
 * A function of the kernel has one row, struct tlbbatch_hook, which the features that
 * act in it share (@users). The callback looks at that row alone, whichever ops called
 * it.
 *
 * A set is an ftrace_ops. There is one for all hooks that redirect, and one, with a
 * trampoline of its own, for each kind of hook that only looks (move_hook.c). A set is
 * registered when its first hook is attached, on a dummy function of the module's own,
 * and tested on that before any function of the kernel is touched (hook_selftest.c,
 * move_selftest.c, rule H8). Hooks then enter and leave its filter one by one
 * (hook_engine.c).
 *
 * The dummy stays in the filter, because an empty filter means every function
 * (rule H7). The ops stays registered until unload, because unregistering waits for
 * RCU-tasks, which takes seconds under load (rule H6). The ftrace site of a detached
 * function is a nop again and costs what it costs without the module.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/ftrace.h>
#include <linux/printk.h>
#include "arch/x86.h"
#include "compat/ftrace_compat.h"
#include "debug/debug.h"
#include "hooks/hook.h"
#include "hooks/hook_set.h"
#include "hooks/ip_hash.h"
#include "kernel/kernel_calls.h"
#include "targets.h"

#define BY_IP_BITS	6

static struct tlbbatch_ip_slot by_ip[1 << BY_IP_BITS] __read_mostly;
/* At most half full, the self-test's dummy included, so that a look-up ends soon. */
static_assert(TLBBATCH_TBL_NR_HOOKED + 1 <= 1 << (BY_IP_BITS - 1));
static struct tlbbatch_redirects *known, **known_end = &known;

/*
 * A call of a gate that went unseen would lose data, so it must not go unnoticed. The
 * recursion lock fails only if a hooked function is called from here, and none is:
 * ->passes() may flush all CPUs, which calls functions that others may trace, but none
 * that is hooked. KCSAN leaves this out for the reason at watch_callback().
 */
static void notrace __no_kcsan redirect_callback(unsigned long ip, unsigned long parent_ip,
						 struct ftrace_ops *ops,
						 struct ftrace_regs *fregs)
{
	struct tlbbatch_hook *hook;
	int bit;

	/* This turns preemption off. Rule H13 relies on that: see pass.c. */
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (WARN_ON_ONCE(bit < 0))
		return;
	hook = tlbbatch_ip_find(by_ip, BY_IP_BITS, ip);
	if (hook && hook->acts && hook->acts(parent_ip)) {
		unsigned long to = (unsigned long)hook->target->replacement;

		ftrace_regs_set_instruction_pointer(fregs, to);
	} else if (hook && hook->target->passes) {
		hook->target->passes(fregs);
	}
	ftrace_test_recursion_unlock(bit);
}

/*
 * IPMODIFY: a function can have one such user, others get -EBUSY (rule H4). PERMANENT:
 * kernel.ftrace_enabled=0 is refused, so that it can't switch the hooks off (rule H6).
 */
#define REDIRECT_FLAGS	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT | \
			 COMPAT_FTRACE_OPS_FL)

static struct tlbbatch_hook_set redirecting = {
	.ops = {
		.func = redirect_callback,
		.flags = REDIRECT_FLAGS,
	},
	.dummy = &tlbbatch_selftest_hook,
	.selftest = tlbbatch_selftest_run,
};

#define for_each_set(set)	for (set = &redirecting; set; set = set->next)

/**
 * tlbbatch_set_of() - the set that a hook belongs to
 * @hook: the hook; the result has no meaning for a hook that is registered whole
 *
 * Context: any.
 */
struct tlbbatch_hook_set *tlbbatch_set_of(const struct tlbbatch_hook *hook)
{
	return hook->look ?: &redirecting;
}

/**
 * tlbbatch_redirects_known() - make a feature's hooks known to the engine
 * @redirects: the hooks
 *
 * Context: load.
 */
void tlbbatch_redirects_known(struct tlbbatch_redirects *redirects)
{
	unsigned int i;

	*known_end = redirects;
	known_end = &redirects->next;
	for (i = 0; i < tlbbatch_nr_hooks(redirects); i++) {
		struct tlbbatch_hook_set *set, *mine;

		mine = tlbbatch_set_of(tlbbatch_hook_at(redirects, i));
		for_each_set(set) {
			if (set == mine)
				break;
			if (!set->next)
				set->next = mine;
		}
	}
}

/**
 * tlbbatch_target_at() - what a function of the kernel is hooked for, attached or not
 * @addr: its address
 *
 * A hook that features share isn't looked at.
 *
 * Context: any.
 * Return: the alternative that its row took, NULL if it has none.
 */
const struct tlbbatch_target *tlbbatch_target_at(unsigned long addr)
{
	const struct tlbbatch_redirects *redirects;
	unsigned int i;

	for (redirects = known; redirects; redirects = redirects->next)
		for (i = 0; i < redirects->nr; i++)
			if (redirects->hooks[i].addr == addr &&
			    redirects->hooks[i].target && !redirects->hooks[i].look)
				return redirects->hooks[i].target;
	return NULL;
}

static int set_original(const struct tlbbatch_hook *hook,
			const struct tlbbatch_target *target)
{
	unsigned long entry = tlbbatch_entry_to(tlbbatch_arch_behind_site(hook->ip));

	if (!entry)
		return -ENOSPC;
	tlbbatch_call_set(&target->original, entry);
	return 0;
}

/**
 * tlbbatch_prepare_hook() - make what the callback and the replacement need
 * @hook: the hook; its ftrace site was found
 * @target: the alternative taken
 *
 * A direct call enters the original behind its ftrace site, which may itself lie behind
 * an ENDBR. So no tracer sees the call a second time, and the call doesn't go through
 * the hook again (rule H10).
 *
 * Context: process context; the hook isn't attached. Calls never run in parallel.
 * Return: 0; -EEXIST if another hook has the function; or -ENOSPC if there is no room.
 */
int tlbbatch_prepare_hook(struct tlbbatch_hook *hook,
			  const struct tlbbatch_target *target)
{
	int err;

	if (hook->look)
		return 0;
	if (tlbbatch_ip_find(by_ip, BY_IP_BITS, hook->ip))
		return -EEXIST;
	err = target->replacement ? set_original(hook, target) : 0;
	if (err)
		return err;
	if (!tlbbatch_ip_add(by_ip, BY_IP_BITS, hook->ip, hook))
		return -ENOSPC;
	if (target->write_out)
		tlbbatch_call_set(&target->writer,
				  (unsigned long)target->write_out);
	return 0;
}

/*
 * Clears the filter of a set that isn't registered. ftrace_free_filter() would leave a
 * dangling pointer in the ops, which may be registered again. A reset installs an empty
 * filter.
 */
static void clear_filter(struct tlbbatch_hook_set *set)
{
	ftrace_set_filter(&set->ops, NULL, 0, 1);
}

static int find_dummy(const struct tlbbatch_hook_set *set)
{
	struct tlbbatch_hook *dummy = set->dummy;

	if (dummy->ip)
		return 0;
	dummy->ip = static_call(tlbbatch_ftrace_location)(dummy->addr);
	if (dummy->ip && (set != &redirecting ||
			  !tlbbatch_prepare_hook(dummy, dummy->target)))
		return 0;
	dummy->ip = 0;
	pr_err("the self-test's own function cannot be traced\n");
	return -EOPNOTSUPP;
}

/* Registers a set with nothing but its dummy in the filter. */
static int register_set(struct tlbbatch_hook_set *set)
{
	int err;

	if (set->registered)
		return 0;
	err = find_dummy(set);
	if (err)
		return err;
	err = ftrace_set_filter_ip(&set->ops, set->dummy->ip, 0, 1);
	if (!err)
		err = register_ftrace_function(&set->ops);
	/* If ftrace dies half-way, it refuses the ops, and goes on using it (rule H13). */
	set->registered = !err || set->ops.flags & FTRACE_OPS_FL_ENABLED;
	if (!set->registered)
		clear_filter(set);
	if (err)
		pr_err("ftrace refuses (%d)%s\n", err,
		       err == -EBUSY ? "; is kernel.ftrace_enabled 0?" : "");
	return err;
}

static void forget_attached(const struct tlbbatch_hook_set *set)
{
	const struct tlbbatch_redirects *redirects;
	unsigned int i;

	for (redirects = known; redirects; redirects = redirects->next)
		for (i = 0; i < tlbbatch_nr_hooks(redirects); i++) {
			struct tlbbatch_hook *hook = tlbbatch_hook_at(redirects, i);

			if (tlbbatch_is_parked(redirects, i) &&
			    tlbbatch_set_of(hook) == set)
				WRITE_ONCE(hook->attached, false);
		}
}

static bool has_users(const struct tlbbatch_hook_set *set)
{
	const struct tlbbatch_redirects *redirects;
	unsigned int i;

	for (redirects = known; redirects; redirects = redirects->next)
		for (i = 0; i < tlbbatch_nr_hooks(redirects); i++) {
			const struct tlbbatch_hook *hook;

			hook = tlbbatch_hook_at(redirects, i);
			if (hook->users && tlbbatch_set_of(hook) == set)
				return true;
		}
	return false;
}

/*
 * The ops is unregistered before its filter is cleared (rule H7). On kernels with
 * CONFIG_PREEMPTION ftrace waits for RCU-tasks, so that no task is in the callback when
 * this returns 0.
 */
static int unregister_set(struct tlbbatch_hook_set *set)
{
	/*
	 * Test builds can break the order, but for the set that redirects alone: any
	 * other would look at the arguments of every function of the kernel for a
	 * moment.
	 */
	bool early = set == &redirecting &&
		     tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_UNREGISTER);
	int err;

	if (!set->registered)
		return 0;
	if (early)
		clear_filter(set);
	err = unregister_ftrace_function(&set->ops);
	if (err)
		return err;
	if (!early)
		clear_filter(set);
	set->registered = false;
	set->proven = false;
	forget_attached(set);
	return 0;
}

static bool is_needed(const struct tlbbatch_hook_set *set,
		      const struct tlbbatch_redirects *redirects)
{
	unsigned int i;

	for (i = 0; i < tlbbatch_nr_hooks(redirects); i++) {
		const struct tlbbatch_hook *hook = tlbbatch_hook_at(redirects, i);

		if (tlbbatch_is_parked(redirects, i) && !hook->unneeded &&
		    tlbbatch_set_of(hook) == set)
			return true;
	}
	return false;
}

static void unregister_unused(void)
{
	struct tlbbatch_hook_set *set;

	for_each_set(set)
		if (!has_users(set))
			unregister_set(set);
}

/**
 * tlbbatch_sets_prove() - register the sets that hooks need, and test them
 * @redirects: the hooks
 *
 * Called before any function of the kernel is attached: rule H8.
 *
 * Context: process context, may sleep; hook_mutex (hook_engine.c) held.
 * Return: 0; -EOPNOTSUPP if a dummy can't be traced; -EIO if a self-test failed; or what
 *	ftrace returned. On an error the sets that no hook uses are unregistered.
 */
int tlbbatch_sets_prove(const struct tlbbatch_redirects *redirects)
{
	struct tlbbatch_hook_set *set;
	int err;

	for_each_set(set) {
		if (set->proven || !is_needed(set, redirects))
			continue;
		err = register_set(set) ?: set->selftest();
		if (err) {
			unregister_unused();
			return err;
		}
		set->proven = true;
	}
	return 0;
}

/**
 * tlbbatch_sets_registered() - is any set registered?
 *
 * Context: unload.
 */
bool tlbbatch_sets_registered(void)
{
	const struct tlbbatch_hook_set *set;

	for_each_set(set)
		if (set->registered)
			return true;
	return false;
}

/**
 * tlbbatch_sets_unregister() - unregister each set
 *
 * Context: unload, may sleep long; hook_mutex (hook_engine.c) held; no feature acts.
 * Return: 0, or what unregister_ftrace_function() returns.
 */
int tlbbatch_sets_unregister(void)
{
	struct tlbbatch_hook_set *set;
	int err = 0;

	for_each_set(set) {
		err = unregister_set(set);
		if (err)
			break;
	}
	return err;
}

/**
 * tlbbatch_redirect_ops() - initialise an ops for hooks that are registered whole
 * @ops: the ops; not registered
 *
 * Context: process context.
 */
void tlbbatch_redirect_ops(struct ftrace_ops *ops)
{
	ops->func = redirect_callback;
	ops->flags = REDIRECT_FLAGS;
}
