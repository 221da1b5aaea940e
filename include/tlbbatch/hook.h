/* SPDX-License-Identifier: GPL-2.0-only */
/* The hook table's rows, and the engine that resolves, arms and unwinds them. */
#ifndef TLBBATCH_HOOK_H
#define TLBBATCH_HOOK_H

#include <linux/sysfs.h>
#include <linux/types.h>
#include <tlbbatch/kernel_calls.h>

#define TLBBATCH_REASON_LEN	96
#define TLBBATCH_TARGETS_MAX	2

/**
 * struct tlbbatch_target - one function of the kernel that a hook can sit on
 * @symbol: its name; NULL ends the list
 * @proto: its prototype as BTF tells it, see btf.h
 * @replacement: what runs instead
 * @original: static call that enters the original behind its ftrace site
 */
struct tlbbatch_target {
	const char *symbol;
	const char *proto;
	void *replacement;
	struct tlbbatch_call original;
};

/**
 * struct tlbbatch_hook - a row of the hook table
 * @name: its file under hooks/
 * @lost: what a user loses without it
 * @acts: does it act for the running task? Called in the ftrace callback,
 *	preemption off, with the caller's address
 * @targets: alternatives, the first that the kernel has is taken
 * @target: the alternative taken, NULL if there is none
 * @addr: its address
 * @ip: its ftrace site
 * @attached: it is in the ops' filter now
 * @reason: why it is unavailable; empty if it isn't
 */
struct tlbbatch_hook {
	const char *name;
	const char *lost;
	bool (*acts)(unsigned long parent_ip);
	struct tlbbatch_target targets[TLBBATCH_TARGETS_MAX + 1];

	const struct tlbbatch_target *target;
	unsigned long addr;
	unsigned long ip;
	bool attached;
	char reason[TLBBATCH_REASON_LEN];
};

/* hook_table.c: every row is required: the feature is armed whole or not. */
extern struct tlbbatch_hook tlbbatch_hooks[];
extern const unsigned int tlbbatch_nr_hooks;

#define for_each_tlbbatch_hook(hook)					\
	for (hook = tlbbatch_hooks; hook < tlbbatch_hooks + tlbbatch_nr_hooks; \
	     hook++)

/* hook_engine.c */
void tlbbatch_hooks_resolve(void);
int tlbbatch_hooks_attach(void);
void tlbbatch_hooks_detach(void);
bool tlbbatch_hooks_registered(void);
int tlbbatch_hooks_unregister(void);
ssize_t tlbbatch_hook_describe(const struct tlbbatch_hook *hook, char *buf);

/* hook_drain.c */
void tlbbatch_hooks_retire(void);

/* hook_selftest.c */
extern struct tlbbatch_hook tlbbatch_selftest_hook;
int tlbbatch_selftest_run(void);

#endif /* TLBBATCH_HOOK_H */
