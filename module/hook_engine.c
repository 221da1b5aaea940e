// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks: resolve, verify, attach, detach, unregister.
 *
 * Two ftrace_ops serve them: one for the hooks that redirect, and one, with a
 * trampoline of its own, for the hook that only looks (move_hook.c). Each is
 * registered at the first attach, on a dummy function of the module's own
 * (hook_selftest.c), and is proven there before anything real is touched (rule H8).
 * Hooks then enter and leave its filter one by one. The dummy stays in the
 * filter, because an empty filter would mean "trace every function" (rule H7); so does
 * the registration, until unload, because to unregister waits for RCU-tasks, which
 * takes seconds under load (rule H6). A detached function's ftrace site is a nop again:
 * it costs what it costs without the module.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sysfs.h>
#include <asm/text-patching.h>
#include <compat/ftrace_compat.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/ip_hash.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/reclaim_hooks.h>
#include <tlbbatch/symbols.h>

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_try_to_unmap_flush,
			tlbbatch_type_try_to_unmap_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_try_to_unmap_flush_dirty,
			tlbbatch_type_try_to_unmap_flush_dirty);

/* What a change of the filter may wait for memory. */
#define DETACH_TRIES	5
#define DETACH_PAUSE_MS	20
/* What a change of the kernel's text by somebody else may take. */
#define POKE_TRIES	200
#define POKE_PAUSE_MS	5

#define BY_IP_BITS	5

static struct tlbbatch_ip_slot by_ip[1 << BY_IP_BITS] __read_mostly;
static char unavailable[TLBBATCH_REASON_LEN];

/*
 * A gate that is missed silently would lose data: be loud. Only a hooked function
 * that is called from here could be missed for recursion, and none is: ->passes() may
 * flush all CPUs, where other tracers' functions are called, but no hook's.
 */
static void notrace callback(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct tlbbatch_hook *hook;
	int bit;

	/* Preemption is off from here on: the RCU-tasks waits rely on it. */
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

/**
 * struct hook_set - hooks that share an ftrace_ops
 * @ops: it
 * @dummy: the function of the module's own that stays in its filter
 * @selftest: calls @dummy, and says whether the hook does what it is for
 * @registered: ftrace knows @ops
 * @proven: @selftest has passed since then
 */
struct hook_set {
	struct ftrace_ops ops;
	struct tlbbatch_hook *dummy;
	int (*selftest)(void);
	bool registered;
	bool proven;
};

static struct hook_set redirecting = {
	.ops = {
		.func = callback,
		/*
		 * IPMODIFY: one such user a function, others get -EBUSY (rule H4). PERMANENT:
		 * kernel.ftrace_enabled=0 is refused instead of cutting the hooks off (rule H6).
		 */
		.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT |
			 COMPAT_FTRACE_OPS_FL,
	},
	.dummy = &tlbbatch_selftest_hook,
	.selftest = tlbbatch_selftest_run,
};

/* Changes no path: it shares a function with livepatches and BPF trampolines. */
static struct hook_set looking = {
	.ops = {
		.func = tlbbatch_move_callback,
		.trampoline = (unsigned long)tlbbatch_move_trampoline,
		.flags = FTRACE_OPS_FL_PERMANENT,
	},
	.dummy = &tlbbatch_selftest_look,
	.selftest = tlbbatch_selftest_run_look,
};

static struct hook_set *const hook_sets[] = { &redirecting, &looking };

static struct hook_set *set_of(const struct tlbbatch_hook *hook)
{
	return hook->looks ? &looking : &redirecting;
}

static void make_unavailable(const char *what, const char *reason)
{
	if (!unavailable[0])
		snprintf(unavailable, sizeof(unavailable), "%s: %s", what, reason);
}

static void refuse(struct tlbbatch_hook *hook, const char *reason)
{
	strscpy(hook->reason, reason, sizeof(hook->reason));
	make_unavailable(hook->name, reason);
	pr_warn("hook %s is unavailable: %s; lost: %s\n", hook->name, reason,
		hook->lost);
}

/*
 * Behind the ftrace site, which an ENDBR may precede: an original is entered by a
 * direct call, once for all tracers, and never through its own hook (rule H10).
 */
static bool prepare(struct tlbbatch_hook *hook,
		    const struct tlbbatch_target *target)
{
	unsigned long entry;

	if (hook->looks)
		return true;
	entry = tlbbatch_entry_to(hook->ip + MCOUNT_INSN_SIZE);
	if (!entry || !tlbbatch_ip_add(by_ip, BY_IP_BITS, hook->ip, hook))
		return false;
	if (target->replacement)
		tlbbatch_call_set(&target->original, entry);
	if (target->write_out)
		tlbbatch_call_set(&target->writer,
				  (unsigned long)target->write_out);
	return true;
}

static void resolve(struct tlbbatch_hook *hook)
{
	const struct tlbbatch_function *near;
	const struct tlbbatch_target *target;
	char reason[TLBBATCH_REASON_LEN] = "no target for this kernel";

	if (hook->need.tag &&
	    !tlbbatch_kernel_has(hook->need.tag, hook->need.member)) {
		hook->unneeded = true;
		return;
	}
	target = tlbbatch_first_fit(hook->targets, hook->name, &near);
	if (!target) {
		if (near)
			tlbbatch_symbol_check(near->symbol,
					      tlbbatch_debug_proto(hook->name,
								   near->proto),
					      reason, sizeof(reason));
		else if (hook->targets->function.symbol)
			snprintf(reason, sizeof(reason), "%s not found (inlined?)",
				 hook->targets->function.symbol);
		refuse(hook, reason);
		return;
	}
	hook->addr = tlbbatch_symbol_address(target->function.symbol);
	hook->ip = static_call(tlbbatch_ftrace_location)(hook->addr);
	if (!hook->ip) {
		snprintf(reason, sizeof(reason), "%s cannot be traced",
			 target->function.symbol);
		refuse(hook, reason);
		return;
	}
	if (!prepare(hook, target)) {
		refuse(hook, "no room in the module's own tables");
		return;
	}
	hook->target = target;
}

/**
 * tlbbatch_hooks_resolve() - find and verify every target
 *
 * Each hook that can't be armed keeps the reason, for its file under hooks/ (rule H2).
 *
 * Context: process context, once at load, symbols found and BTF open.
 */
void tlbbatch_hooks_resolve(void)
{
	const char *missing = tlbbatch_symbols_missing();
	const char *blind = missing ? NULL : tlbbatch_witness_resolve();
	struct tlbbatch_hook *hook;

	if (blind) {
		make_unavailable("the tripwire", blind);
		pr_warn("%s; lost: a write-out that goes by its hooks is not noticed\n",
			unavailable);
	}
	for_each_tlbbatch_hook(hook)
		if (missing)
			refuse(hook, missing);
		else
			resolve(hook);
}

/*
 * What the text says, not what we remember: a call sits at the ftrace site. While
 * somebody else changes what is called there (a tracer comes or goes) an int3 does,
 * for as long as all CPUs take to notice; one that stays is no hook.
 */
static bool is_live(const struct tlbbatch_hook *hook)
{
	unsigned int tries = POKE_TRIES;
	u8 opcode;

	if (!hook->attached)
		return false;
	while ((opcode = READ_ONCE(*(const u8 *)hook->ip)) == INT3_INSN_OPCODE &&
	       tries--)
		msleep(POKE_PAUSE_MS);
	return opcode == CALL_INSN_OPCODE;
}

/*
 * Never leave the filter empty: the dummy stays in it (rule H7). Only memory for the new
 * filter can be missing; if it stays so, the hook stays, and does nothing (rule H3).
 */
static int detach(struct tlbbatch_hook *hook)
{
	unsigned int tries = DETACH_TRIES;
	int err = 0;

	if (!hook->attached)
		return 0;
	while (tries--) {
		err = tlbbatch_debug_fail_detach() ?:
		      ftrace_set_filter_ip(&set_of(hook)->ops, hook->ip, 1, 0);
		if (err != -ENOMEM)
			break;
		msleep(DETACH_PAUSE_MS);
	}
	if (err)
		pr_err("%s stays attached (%d); it does nothing\n", hook->name,
		       err);
	else
		hook->attached = false;
	return err;
}

/*
 * Rule H5: a BPF trampoline that was there first may call the original by itself, without
 * a look at where we sent it: ftrace tells such users only of an ops that is
 * registered whole. One that comes later learns of us, and shares. So look after
 * the hook is in, and before any pass is admitted.
 */
static bool has_direct_call(unsigned long ip)
{
	bool direct;

	preempt_disable();
	direct = static_call(tlbbatch_ftrace_find_rec_direct)(ip);
	preempt_enable();
	return direct;
}

static int attach(struct tlbbatch_hook *hook)
{
	const char *symbol = hook->target->function.symbol;
	int err = 0;

	if (!hook->attached)
		err = ftrace_set_filter_ip(&set_of(hook)->ops, hook->ip, 0, 0);
	if (err == -EBUSY) {
		pr_err("%s is held by another user that changes its path (a livepatch?)\n",
		       symbol);
		return err;
	}
	if (err) {
		pr_err("%s cannot be attached (%d)\n", symbol, err);
		return err;
	}
	hook->attached = true;
	if (!hook->looks && has_direct_call(hook->ip)) {
		pr_err("%s is held by a BPF trampoline (fentry, fexit)\n", symbol);
		return -EBUSY;
	}
	/* ftrace reports no failure to patch text. */
	if (!is_live(hook)) {
		pr_err("%s was not patched by ftrace\n", symbol);
		return -EIO;
	}
	return 0;
}

/*
 * ftrace_free_filter() would leave a dangling pointer in an ops that may be
 * registered again; a reset installs the empty filter. Never while registered.
 */
static void clear_filter(struct hook_set *set)
{
	ftrace_set_filter(&set->ops, NULL, 0, 1);
}

static int find_dummy(struct tlbbatch_hook *dummy)
{
	if (dummy->ip)
		return 0;
	dummy->ip = static_call(tlbbatch_ftrace_location)(dummy->addr);
	if (dummy->ip && prepare(dummy, dummy->target))
		return 0;
	dummy->ip = 0;
	pr_err("the self-test's own function cannot be traced\n");
	return -EOPNOTSUPP;
}

/* On the dummy alone. */
static int register_set(struct hook_set *set)
{
	int err;

	if (set->registered)
		return 0;
	err = find_dummy(set->dummy);
	if (err)
		return err;
	err = ftrace_set_filter_ip(&set->ops, set->dummy->ip, 0, 1);
	if (!err)
		err = register_ftrace_function(&set->ops);
	if (err) {
		clear_filter(set);
		pr_err("ftrace refuses (%d)%s\n", err,
		       err == -EBUSY ? "; is kernel.ftrace_enabled 0?" : "");
		return err;
	}
	set->registered = true;
	return 0;
}

static bool is_needed(const struct hook_set *set)
{
	const struct tlbbatch_hook *hook;

	for_each_tlbbatch_hook(hook)
		if (!hook->unneeded && set_of(hook) == set)
			return true;
	return false;
}

/* Registered, and proven before anything real is attached. */
static int prove_sets(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hook_sets); i++) {
		struct hook_set *set = hook_sets[i];

		if (set->proven || !is_needed(set))
			continue;
		err = register_set(set) ?: set->selftest();
		if (err) {
			tlbbatch_hooks_unregister();
			return err;
		}
		set->proven = true;
	}
	return 0;
}

/**
 * tlbbatch_hooks_attach() - arm every hook, or none (rule H2)
 *
 * Context: process context, may sleep; knob mutex held, no pass admitted.
 * Return: 0; -EOPNOTSUPP if a hook is unavailable; -EBUSY if another IPMODIFY
 *	user or a BPF trampoline holds a function (named in the log) or ftrace is
 *	off; -EIO if the self-test or patching failed; -ENOMEM.
 */
int tlbbatch_hooks_attach(void)
{
	struct tlbbatch_hook *hook;
	int err;

	if (unavailable[0]) {
		pr_err("cannot be enabled: %s\n", unavailable);
		return -EOPNOTSUPP;
	}
	err = prove_sets();
	if (err)
		return err;
	err = tlbbatch_witness_attach();
	for_each_tlbbatch_hook(hook) {
		if (!err && !hook->unneeded)
			err = attach(hook);
	}
	if (err)
		tlbbatch_hooks_detach();
	return err;
}

/**
 * tlbbatch_hooks_detach() - disarm every hook
 *
 * Context: process context, may sleep; knob mutex held, no pass admitted and
 *	none open: a gate must not go while a flush is put off.
 * Return: 0, or -ENOMEM if a hook stays attached. It does nothing then; a later
 *	call, or unload, removes it.
 */
int tlbbatch_hooks_detach(void)
{
	struct tlbbatch_hook *hook = tlbbatch_hooks + tlbbatch_nr_hooks;
	int err = 0;

	while (hook-- > tlbbatch_hooks)
		err = detach(hook) ?: err;
	tlbbatch_witness_detach();
	return err;
}

/**
 * tlbbatch_hooks_registered() - is there anything to unregister?
 *
 * Context: knob mutex held, or unload.
 */
bool tlbbatch_hooks_registered(void)
{
	return redirecting.registered || looking.registered;
}

/**
 * tlbbatch_hooks_unregister() - take each ops out of ftrace
 *
 * First unregister, then clear the filter (rule H7). Returns after an RCU-tasks grace
 * period (kernels with CONFIG_PREEMPTION): no task is in a callback then.
 *
 * Context: process context, may sleep long.
 * Return: 0, or what unregister_ftrace_function() returns.
 */
int tlbbatch_hooks_unregister(void)
{
	struct tlbbatch_hook *hook;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hook_sets); i++) {
		struct hook_set *set = hook_sets[i];
		/* The other set would look at every function of the kernel for a moment. */
		bool early = set == &redirecting &&
			     tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_UNREGISTER);

		if (!set->registered)
			continue;
		if (early)
			clear_filter(set);
		err = unregister_ftrace_function(&set->ops);
		if (err)
			return err;
		if (!early)
			clear_filter(set);
		set->registered = false;
		set->proven = false;
	}
	for_each_tlbbatch_hook(hook)
		hook->attached = false;
	return 0;
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
