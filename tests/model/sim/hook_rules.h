/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel with a few functions, and three features that hook them: see hook_world.c. */
#ifndef HOOK_RULES_H
#define HOOK_RULES_H

#include "ftrace.h"
#include "core/feature.h"
#include "hooks/hook.h"
#include "hooks/hook_set.h"
#include "hooks/watch.h"
#include "pass/pass.h"
#include "tap.h"

/* Functions of the kernel; each returns its argument and counts its calls. */
int fn_a(int x);
int fn_b(int x);
int fn_looked(int x);
int fn_pass(int x);
int fn_whole(int x);
int fn_other(int x);
int fn_entry(int x);
int fn_entry2(int x);

/* What a replacement adds to what its original returns. */
#define ADDS	1000

enum fn { A, B, LOOKED, PASS, WHOLE, OTHER, ENTRY, ENTRY2, NR_FN };

struct world {
	unsigned int ran[NR_FN];	/* the function itself */
	unsigned int saw[NR_FN];	/* a callback that only looks */
	bool acts;			/* the hooks of alpha act for the running task */
	bool acts_raced;		/* ... were asked with preemption on */
	int passed;			/* arguments of calls that the hook of fn_b lets go by */
	unsigned int begun, ended;	/* passes of alpha */
	unsigned int inside;		/* tasks that sleep in a replacement of luf's */
	bool stopped;			/* what luf needs is freed */
	int fails_to_start;
	const char *unfit;
	bool no_btf;
	const char *clone;		/* a symbol besides the functions */
	const void *clone_at;
	int btf_fails, kprobe_fails;	/* with this error */
	void (*found)(void);		/* called when BTF is open */
};

extern struct world world;

/* Three features, as three of the module's are made: alpha redirects two functions and looks at
 * one, in passes; beta only acts in passes; luf is registered whole, watches, and frees. */
#define alpha	tlbbatch_batch
#define beta	tlbbatch_wide
#define luf	tlbbatch_luf
extern struct tlbbatch_feature tlbbatch_batch, tlbbatch_wide, tlbbatch_luf;
extern struct tlbbatch_hook alpha_hooks[], luf_hooks[];
extern struct tlbbatch_hook tlbbatch_pass_hook;
extern struct tlbbatch_hook_set look_set;

/* A callback that counts in world.saw[OTHER]. */
void see_other(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
	       struct ftrace_regs *fregs);

void hook_world_init(void);
/* The alternative that was taken has its writer, and another one of its function has none. */
bool hook_world_writes(void);
/* The kernel has another function. */
void hook_world_has(const char *name, void *addr, const char *proto);
/* A function of the kernel has another prototype. */
void hook_world_proto(const char *name, const char *proto);
/* Where BTF says that a member lies. A program may have its own. */
u32 sim_member_offset(const char *member);
#define SIM_NO_MEMBER	UINT_MAX
int sim_load(void);
void sim_unload(void);

/* Tasks. */
extern struct task_struct admin, reclaimer, other_reclaimer;

static inline int on(struct tlbbatch_feature *feature)
{
	sim_forget();
	return tlbbatch_feature_on(feature);
}

static inline int off(struct tlbbatch_feature *feature)
{
	sim_forget();
	return tlbbatch_feature_off(feature, false);
}

/* Prints what was done if it isn't right. */
#define right(good, ...) ({							\
	bool _good = ok(good, __VA_ARGS__);					\
	if (!_good)								\
		printf("#%s\n", sim_noted());					\
	_good; })

bool nothing_attached(void);
/* The module is unloaded. What main() returns. */
int hook_world_done(void);

/* A task begins a pass, or one nested in its pass; NULL if none was opened. It ends it. */
struct tlbbatch_pass *open_pass(struct task_struct *task);
void close_pass(struct task_struct *task);

#endif /* HOOK_RULES_H */
