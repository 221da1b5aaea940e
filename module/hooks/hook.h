/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks. Each function of the kernel that is redirected or looked at has one row,
 * however many features act in it. The engine resolves, attaches and detaches them. The
 * names and prototypes of these functions are in module/kernel/targets.tbl.
 */
#ifndef TLBBATCH_HOOK_H
#define TLBBATCH_HOOK_H

#include <linux/ftrace.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"

/* A feature can act in so many shared hooks, besides that of passes. */
#define TLBBATCH_SHARED_MAX	4

/**
 * struct tlbbatch_target - one function of the kernel that a hook can sit on
 * @function: the function
 * @replacement: runs instead of it; NULL if the hook has no @acts
 * @original: static call that enters the function behind its ftrace site; unused without
 *	@replacement
 * @passes: called by the ftrace callback for a call for which the hook doesn't act; sees
 *	the arguments; or NULL. As @acts of its hook it may be called when its feature is
 *	off
 * @write_out: a function of the feature's that calls @original for it, with the
 *	arguments that it has; or NULL
 * @writer: the static call by which the feature reaches @write_out; set when the
 *	alternative is taken
 */
struct tlbbatch_target {
	struct tlbbatch_function function;
	void *replacement;
	struct tlbbatch_call original;
	void (*passes)(struct ftrace_regs *fregs);
	void *write_out;
	struct tlbbatch_call writer;
};

/* Makes a target of a row of targets.tbl; an empty one ends the alternatives. */
#define TLBBATCH_TARGET(code, symbol, proto)				\
	{								\
		.function = { symbol, proto },				\
		.replacement = tlbbatch_hook_##code,			\
		.original = TLBBATCH_CALL(tlbbatch_orig_##code),	\
	},

/**
 * struct tlbbatch_need - what tells whether a kernel needs a hook
 * @tag: the tag of a struct that a kernel which needs the hook has, for BTF; or NULL
 * @member: a member of it that such a kernel has; NULL if the struct alone decides
 * @without: why the other kernels don't need the hook; the hook's file shows that
 * @harmless: a kernel whose function has this prototype doesn't need the hook; or empty
 */
struct tlbbatch_need {
	const char *tag;
	const char *member;
	const char *without;
	struct tlbbatch_function harmless;
};

/**
 * struct tlbbatch_hook_set - hooks that share an ftrace_ops, which stays registered
 * @ops: the ops
 * @dummy: the function of the module's own that stays in the filter of @ops
 * @selftest: calls @dummy, and returns 0 if a hook of the set works
 * @users: how many features have hooks of it, counted for each hook. A hook that looks
 *	does nothing while there is none: it may stay attached for want of memory (rule H3)
 * @registered: @ops is registered
 * @proven: @selftest has passed since @ops was registered
 * @next: the engine's next set
 */
struct tlbbatch_hook_set {
	struct ftrace_ops ops;
	struct tlbbatch_hook *dummy;
	int (*selftest)(void);

	unsigned int users;
	bool registered;
	bool proven;
	struct tlbbatch_hook_set *next;
};

/**
 * struct tlbbatch_hook - a function of the kernel that is hooked
 * @name: its name in messages, and that of its file under hooks/
 * @lost: what a user loses without it; NULL if the message of its feature says so
 * @acts: does it act for the running task? Called in the ftrace callback, preemption
 *	off, with the caller's address. It must say no for a feature that is off, and
 *	must read nothing that the feature's @stop frees, because a hook may stay
 *	attached for want of memory (rule H3). NULL if it acts for no task
 * @look: the set of a hook that looks at the arguments and redirects no call; NULL if
 *	the hook redirects, as each of @whole ones does. A hook that looks doesn't use
 *	@acts, nor @replacement and @original of its targets
 * @need: whether a kernel needs it at all
 * @targets: alternatives, ended by one without a symbol
 * @target: the alternative taken; NULL if none fits
 * @addr: the address of the function
 * @ip: the function's ftrace site
 * @users: how many features have it in the filter of a set; none, of @whole ones
 * @attached: it is in the filter of an ops that is registered
 * @first: it has been attached since before any BPF trampoline was on the function
 * @unneeded: this kernel doesn't need it
 * @resolved: it was looked for
 * @reason: why it is unavailable; empty if it is available
 */
struct tlbbatch_hook {
	const char *name;
	const char *lost;
	bool (*acts)(unsigned long parent_ip);
	struct tlbbatch_hook_set *look;
	struct tlbbatch_need need;
	const struct tlbbatch_target *targets;

	const struct tlbbatch_target *target;
	unsigned long addr;
	unsigned long ip;
	unsigned int users;
	bool attached;
	bool first;
	bool unneeded;
	bool resolved;
	char reason[TLBBATCH_REASON_LEN];
};

/**
 * struct tlbbatch_redirects - a feature's hooks: all are attached, or none (rule H2)
 * @hooks: the hooks that no other feature has, in the order in which they are attached
 * @nr: how many of these there are
 * @shared: the hooks that other features act in, too; attached last and detached first.
 *	A function has one redirect, however many features act in it: a second one is
 *	refused when hooks are resolved. So no feature owns such a hook, its
 *	replacement, or what says there which features act now. They lie in a room below
 *	the features, and each feature names the hook here. shrink_folio_list() is one
 *	(module/pass/pass_hook.c); a feature that has a part in passes gets it by
 *	itself, last of all
 * @nr_shared: how many of these there are
 * @whole: @hooks are registered whole, in an ftrace_ops of their own. So their end needs
 *	no memory (rule H14), and a BPF trampoline that came first is asked to share; but
 *	it waits for an RCU-tasks grace period. None of them may be one that looks.
 *	Otherwise they enter and leave the filter of a set one by one, which is fast; a
 *	BPF trampoline that came first is a reason to refuse then (rule H5). Nobody waits
 *	for a task that sleeps in a replacement of such a hook, but for passes: outside
 *	of a pass the replacement must not sleep
 * @drain: if @whole: waits until no task sleeps in a replacement; called when none can
 *	enter one any more (rule H13); or NULL
 * @ops: if @whole: the ops of @hooks
 * @registered: if @whole: ftrace may call @ops
 * @held: this feature is counted in @users of its hooks that are in a set
 * @unavailable: why they can't be attached; empty if they can
 * @next: the next feature's, for the engine
 */
struct tlbbatch_redirects {
	struct tlbbatch_hook *hooks;
	unsigned int nr;
	struct tlbbatch_hook *shared[TLBBATCH_SHARED_MAX + 1];
	unsigned int nr_shared;
	bool whole;
	void (*drain)(void);

	struct ftrace_ops ops;
	bool registered;
	bool held;
	char unavailable[TLBBATCH_REASON_LEN];
	struct tlbbatch_redirects *next;
};

static inline unsigned int
tlbbatch_nr_hooks(const struct tlbbatch_redirects *redirects)
{
	return redirects->nr + redirects->nr_shared;
}

static inline struct tlbbatch_hook *
tlbbatch_hook_at(const struct tlbbatch_redirects *redirects, unsigned int index)
{
	return index < redirects->nr ? &redirects->hooks[index] :
				       redirects->shared[index - redirects->nr];
}

/* hook_resolve.c */
void tlbbatch_redirects_resolve(struct tlbbatch_redirects *redirects,
				const char *missing, const char *own);

/* hook_set.c */
void tlbbatch_redirects_known(struct tlbbatch_redirects *redirects);
const struct tlbbatch_target *tlbbatch_target_at(unsigned long addr);
int tlbbatch_prepare_hook(struct tlbbatch_hook *hook,
			  const struct tlbbatch_target *target);

/* hook_engine.c */
int tlbbatch_redirects_attach(struct tlbbatch_redirects *redirects);
int tlbbatch_redirects_detach(struct tlbbatch_redirects *redirects);
int tlbbatch_hooks_unregister(void);
ssize_t tlbbatch_hook_describe(const struct tlbbatch_hook *hook, char *buf);

/* hook_ops.c */
int tlbbatch_ops_register(struct ftrace_ops *ops, int err, bool *attached);
int tlbbatch_ops_unregister(struct ftrace_ops *ops, bool *attached);

/* hook_entry.c */
unsigned long tlbbatch_entry_to(unsigned long addr);

/* hook_drain.c */
void tlbbatch_hooks_retire(void (*leave)(void));

/* hook_selftest.c */
extern struct tlbbatch_hook tlbbatch_selftest_hook;
int tlbbatch_selftest_run(void);

#endif /* TLBBATCH_HOOK_H */
