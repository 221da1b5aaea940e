/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hook table's rows, and the engine that resolves, arms and unwinds them. What
 * of a row names a part of the kernel is in module/targets.tbl.
 */
#ifndef TLBBATCH_HOOK_H
#define TLBBATCH_HOOK_H

#include <linux/mm_types.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include <tlbbatch/kernel_calls.h>
#include <tlbbatch/symbols.h>

struct ftrace_regs;

#define TLBBATCH_REASON_LEN	96

/**
 * struct tlbbatch_target - one function of the kernel that a hook can sit on
 * @function: it
 * @replacement: what runs instead; NULL if the hook never acts
 * @original: static call that enters the original behind its ftrace site; unused then
 * @passes: sees the arguments of a call for which the hook doesn't act, in the ftrace
 *	callback; or NULL
 * @write_out: of a gate: writes a folio out through @original, or NULL
 * @writer: the static call that the core reaches @write_out by
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
 * struct tlbbatch_hook - a row of the hook table
 * @name: its file under hooks/
 * @lost: what a user loses without it
 * @acts: does it act for the running task? Called in the ftrace callback,
 *	preemption off, with the caller's address. NULL: for no task
 * @looks: it redirects nobody: it looks at the arguments, and the function goes on.
 *	@acts, and of its targets @replacement and @original, aren't used
 * @need: when the kernel needs it at all
 * @targets: alternatives, ended by one without a symbol
 * @target: the alternative taken, NULL if there is none
 * @addr: its address
 * @ip: its ftrace site
 * @attached: it is in the ops' filter now
 * @unneeded: the kernel has nothing for it to do
 * @reason: why it is unavailable; empty if it isn't
 */
struct tlbbatch_hook {
	const char *name;
	const char *lost;
	bool (*acts)(unsigned long parent_ip);
	bool looks;
	struct tlbbatch_need need;
	const struct tlbbatch_target *targets;

	const struct tlbbatch_target *target;
	unsigned long addr;
	unsigned long ip;
	bool attached;
	bool unneeded;
	char reason[TLBBATCH_REASON_LEN];
};

/* hook_table.c: every row that is needed is required: all are armed, or none. */
extern struct tlbbatch_hook tlbbatch_hooks[];
extern const unsigned int tlbbatch_nr_hooks;

#define for_each_tlbbatch_hook(hook)					\
	for (hook = tlbbatch_hooks; hook < tlbbatch_hooks + tlbbatch_nr_hooks; \
	     hook++)

/* hook_engine.c */
void tlbbatch_hooks_resolve(void);
int tlbbatch_hooks_attach(void);
int tlbbatch_hooks_detach(void);
bool tlbbatch_hooks_registered(void);
int tlbbatch_hooks_unregister(void);
ssize_t tlbbatch_hook_describe(const struct tlbbatch_hook *hook, char *buf);

/* hook_entry.c */
unsigned long tlbbatch_entry_to(unsigned long addr);

/* hook_drain.c */
void tlbbatch_hooks_retire(void);

/* hook_selftest.c */
extern struct tlbbatch_hook tlbbatch_selftest_hook, tlbbatch_selftest_look;
int tlbbatch_selftest_run(void);
int tlbbatch_selftest_run_look(void);
bool tlbbatch_selftest_saw(const struct folio *folio);

#endif /* TLBBATCH_HOOK_H */
