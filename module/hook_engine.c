// SPDX-License-Identifier: GPL-2.0-only
/*
 * One ftrace_ops for all hooks: resolve, verify, attach, detach, unregister.
 *
 * The ops is registered at the first attach, on a dummy function of the module's
 * own (hook_selftest.c), and is proven there before anything real is touched.
 * Hooks then enter and leave its filter one by one. The dummy stays in the
 * filter, because an empty filter would mean "trace every function"; so does the
 * registration, until unload, because to unregister waits for RCU-tasks, which
 * takes seconds under load. A detached function's ftrace site is a nop again:
 * it costs what it costs without the module.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/ftrace.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sysfs.h>
#include <asm/text-patching.h>
#include <compat/ftrace_compat.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/reclaim_hooks.h>
#include <tlbbatch/symbols.h>

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_try_to_unmap_flush,
			tlbbatch_type_try_to_unmap_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_try_to_unmap_flush_dirty,
			tlbbatch_type_try_to_unmap_flush_dirty);

static bool registered;
static char unavailable[TLBBATCH_REASON_LEN];

static __always_inline struct tlbbatch_hook *hook_at(unsigned long ip)
{
	struct tlbbatch_hook *hook;

	for_each_tlbbatch_hook(hook)
		if (hook->ip == ip)
			return hook;
	if (tlbbatch_selftest_hook.ip == ip)
		return &tlbbatch_selftest_hook;
	return NULL;
}

/*
 * Recursion can only come from an instrumented function called here; there is
 * none, but a gate that is missed silently would lose data: be loud.
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
	hook = hook_at(ip);
	if (hook && hook->acts(parent_ip)) {
		unsigned long to = (unsigned long)hook->target->replacement;

		ftrace_regs_set_instruction_pointer(fregs, to);
	}
	ftrace_test_recursion_unlock(bit);
}

static struct ftrace_ops ops = {
	.func = callback,
	/*
	 * IPMODIFY: one such user a function, others get -EBUSY. PERMANENT:
	 * kernel.ftrace_enabled=0 is refused instead of cutting the hooks off.
	 */
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT |
		 COMPAT_FTRACE_OPS_FL,
};

static void refuse(struct tlbbatch_hook *hook, const char *reason)
{
	strscpy(hook->reason, reason, sizeof(hook->reason));
	if (!unavailable[0])
		snprintf(unavailable, sizeof(unavailable), "%s: %s", hook->name,
			 reason);
	pr_warn("hook %s is unavailable: %s; lost: %s\n", hook->name, reason,
		hook->lost);
}

/* The first target that this kernel has; if none fits, @near is one by name. */
static const struct tlbbatch_target *choose(const struct tlbbatch_hook *hook,
					    const struct tlbbatch_target **near)
{
	const struct tlbbatch_target *target;

	*near = NULL;
	for (target = hook->targets; target->symbol; target++) {
		unsigned long addr = tlbbatch_symbol_address(target->symbol);

		if (!tlbbatch_is_kernel_text(addr))
			continue;
		if (tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_PROTO) ||
		    tlbbatch_symbol_matches(target->symbol,
					    tlbbatch_debug_proto(hook->name,
								 target->proto)))
			return target;
		if (!*near)
			*near = target;
	}
	return NULL;
}

static void resolve(struct tlbbatch_hook *hook)
{
	const struct tlbbatch_target *target, *near;
	char reason[TLBBATCH_REASON_LEN] = "no target for this kernel";

	if (hook->need.tag &&
	    !tlbbatch_kernel_has(hook->need.tag, hook->need.member)) {
		hook->unneeded = true;
		return;
	}
	target = choose(hook, &near);
	if (!target) {
		if (near)
			tlbbatch_symbol_check(near->symbol,
					      tlbbatch_debug_proto(hook->name,
								   near->proto),
					      reason, sizeof(reason));
		else if (hook->targets->symbol)
			snprintf(reason, sizeof(reason), "%s not found (inlined?)",
				 hook->targets->symbol);
		refuse(hook, reason);
		return;
	}
	hook->addr = tlbbatch_symbol_address(target->symbol);
	hook->ip = static_call(tlbbatch_ftrace_location)(hook->addr);
	if (!hook->ip) {
		snprintf(reason, sizeof(reason), "%s cannot be traced",
			 target->symbol);
		refuse(hook, reason);
		return;
	}
	hook->target = target;
	/*
	 * Behind the ftrace site, which an ENDBR may precede: an original is
	 * entered by a direct call, once for all tracers, and never through its
	 * own hook.
	 */
	tlbbatch_call_set(&target->original, hook->ip + MCOUNT_INSN_SIZE);
	if (target->write_out)
		tlbbatch_call_set(&target->writer,
				  (unsigned long)target->write_out);
}

/**
 * tlbbatch_hooks_resolve() - find and verify every target
 *
 * Each hook that can't be armed keeps the reason, for its file under hooks/.
 *
 * Context: process context, once at load, symbols found and BTF open.
 */
void tlbbatch_hooks_resolve(void)
{
	const char *missing = tlbbatch_symbols_missing();
	struct tlbbatch_hook *hook;

	for_each_tlbbatch_hook(hook)
		if (missing)
			refuse(hook, missing);
		else
			resolve(hook);
}

/* What the text says, not what we remember: a call sits at the ftrace site. */
static bool is_live(const struct tlbbatch_hook *hook)
{
	return hook->attached &&
	       READ_ONCE(*(const u8 *)hook->ip) == CALL_INSN_OPCODE;
}

/* Remove first, and never leave the filter empty: the dummy stays in it. */
static void detach(struct tlbbatch_hook *hook)
{
	int err;

	if (!hook->attached)
		return;
	err = ftrace_set_filter_ip(&ops, hook->ip, 1, 0);
	/* Only memory for the new filter can be missing; unload will do it. */
	if (err) {
		pr_err("%s stays attached (%d); it does nothing\n", hook->name,
		       err);
		return;
	}
	hook->attached = false;
}

/*
 * A BPF trampoline that was there first may call the original by itself, without
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
	const char *symbol = hook->target->symbol;
	int err = 0;

	if (!hook->attached)
		err = ftrace_set_filter_ip(&ops, hook->ip, 0, 0);
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
	if (has_direct_call(hook->ip)) {
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
static void clear_filter(void)
{
	ftrace_set_filter(&ops, NULL, 0, 1);
}

/* On the dummy alone, and proven there. */
static int register_ops(void)
{
	struct tlbbatch_hook *dummy = &tlbbatch_selftest_hook;
	int err;

	if (registered)
		return 0;
	dummy->ip = static_call(tlbbatch_ftrace_location)(dummy->addr);
	if (!dummy->ip) {
		pr_err("the self-test's own function cannot be traced\n");
		return -EOPNOTSUPP;
	}
	tlbbatch_call_set(&dummy->target->original,
			  dummy->ip + MCOUNT_INSN_SIZE);
	err = ftrace_set_filter_ip(&ops, dummy->ip, 0, 1);
	if (!err)
		err = register_ftrace_function(&ops);
	if (err) {
		clear_filter();
		pr_err("ftrace refuses (%d)%s\n", err,
		       err == -EBUSY ? "; is kernel.ftrace_enabled 0?" : "");
		return err;
	}
	registered = true;
	err = tlbbatch_selftest_run();
	if (err)
		tlbbatch_hooks_unregister();
	return err;
}

/**
 * tlbbatch_hooks_attach() - arm every hook, or none
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
	err = register_ops();
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
 */
void tlbbatch_hooks_detach(void)
{
	struct tlbbatch_hook *hook = tlbbatch_hooks + tlbbatch_nr_hooks;

	while (hook-- > tlbbatch_hooks)
		detach(hook);
	tlbbatch_witness_detach();
}

/**
 * tlbbatch_hooks_registered() - is there anything to unregister?
 *
 * Context: knob mutex held, or unload.
 */
bool tlbbatch_hooks_registered(void)
{
	return registered;
}

/**
 * tlbbatch_hooks_unregister() - take the ops out of ftrace
 *
 * First unregister, then clear the filter. Returns after an RCU-tasks grace
 * period (kernels with CONFIG_PREEMPTION): no task is in a callback then.
 *
 * Context: process context, may sleep long.
 * Return: 0, or what unregister_ftrace_function() returns.
 */
int tlbbatch_hooks_unregister(void)
{
	struct tlbbatch_hook *hook;
	int err;

	if (!registered)
		return 0;
	if (tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_UNREGISTER))
		clear_filter();
	err = unregister_ftrace_function(&ops);
	if (err)
		return err;
	if (!tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_UNREGISTER))
		clear_filter();
	registered = false;
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
