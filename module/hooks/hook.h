/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks: a row for each function of the kernel that is redirected or looked at, however
 * many features act in it, and the engine that resolves, arms and unwinds them. What
 * of a row names a part of the kernel is in module/kernel/targets.tbl.
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
 * @function: it
 * @replacement: what runs instead; NULL if the hook has no @acts
 * @original: static call that enters the original behind its ftrace site; unused then
 * @passes: sees the arguments of a call for which the hook doesn't act, in the ftrace
 *	callback; or NULL. As @acts of its hook it may be called when its feature is off
 * @write_out: a function of the feature's that calls @original for it, with what it has; or
 *	NULL
 * @writer: the static call that the feature reaches @write_out by; set when the
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

/* A row of targets.tbl, for a list of alternatives that an empty one ends. */
#define TLBBATCH_TARGET(code, symbol, proto)				\
	{								\
		.function = { symbol, proto },				\
		.replacement = tlbbatch_hook_##code,			\
		.original = TLBBATCH_CALL(tlbbatch_orig_##code),	\
	},

/**
 * struct tlbbatch_need - what in a kernel makes a hook necessary
 * @tag: a struct that BTF must know, or NULL: always necessary
 * @member: a member that it must have, or NULL
 * @without: what it means if it isn't there, for the hook's file
 */
struct tlbbatch_need {
	const char *tag;
	const char *member;
	const char *without;
};

/**
 * struct tlbbatch_hook_set - hooks that share an ftrace_ops, which stays registered
 * @ops: it
 * @dummy: the function of the module's own that stays in its filter
 * @selftest: calls @dummy, and says whether a hook of the set does what it is for
 * @registered: ftrace knows @ops
 * @proven: @selftest has passed since then
 * @next: another set, for the engine
 */
struct tlbbatch_hook_set {
	struct ftrace_ops ops;
	struct tlbbatch_hook *dummy;
	int (*selftest)(void);

	bool registered;
	bool proven;
	struct tlbbatch_hook_set *next;
};

/**
 * struct tlbbatch_hook - a function of the kernel that is hooked
 * @name: what it is called in messages, and its file under hooks/
 * @lost: what a user loses without it; NULL if its feature tells that, by @name
 * @acts: does it act for the running task? Called in the ftrace callback,
 *	preemption off, with the caller's address. It must say no for a feature that is
 *	off, and read nothing that its @stop frees: want of memory can keep a hook
 *	attached (rule H3). NULL: for no task
 * @look: the set of a hook that redirects nobody: it looks at the arguments, and the
 *	function goes on. @acts, and of its targets @replacement and @original, aren't
 *	used. NULL if it redirects; always, of @whole ones
 * @need: when the kernel needs it at all
 * @targets: alternatives, ended by one without a symbol
 * @target: the alternative taken, NULL if there is none
 * @addr: its address
 * @ip: its ftrace site
 * @users: features that have it in the filter of a set; none, of @whole ones
 * @attached: it is in the filter of an ops that is registered
 * @unneeded: the kernel has nothing for it to do
 * @resolved: it was looked for
 * @reason: why it is unavailable; empty if it isn't
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
	bool unneeded;
	bool resolved;
	char reason[TLBBATCH_REASON_LEN];
};

/**
 * struct tlbbatch_redirects - the hooks of a feature: all are armed, or none (rule H2)
 * @hooks: those that no other feature has, in the order in which they are attached
 * @nr: how many
 * @shared: those that other features act in, too; attached last and detached first. A
 *	function has one redirect, however many features act in it: a second one is refused
 *	when hooks are resolved. So the hook, its replacement, and what tells there which
 *	features act now, are none of theirs: they lie in a room below, and each feature
 *	names the hook here. shrink_folio_list() is one (module/pass/pass_hook.c), which
 *	whoever has a part in passes gets by itself, last of all
 * @nr_shared: how many
 * @whole: @hooks get an ftrace_ops of their own, which is registered with all of them
 *	and unregistered with all of them. So their end needs no memory (rule H14), and
 *	a BPF trampoline that was there first is asked to share; but it takes an
 *	RCU-tasks grace period. None of them may be one that looks. Else they enter and
 *	leave a filter that stays registered, one by one: fast, and a BPF trampoline is
 *	refused (rule H5). Nobody waits for who sleeps in a replacement of such a hook,
 *	but for passes: outside of a pass it must not sleep
 * @drain: of @whole ones: wait until nobody sleeps in a replacement, when nobody can
 *	enter one any more (rule H13); or NULL
 * @ops: of @whole ones
 * @registered: ftrace may call @ops
 * @held: @hooks and @shared are counted in their users
 * @unavailable: why none can be armed; empty if they can
 * @next: another feature's, for the engine
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
