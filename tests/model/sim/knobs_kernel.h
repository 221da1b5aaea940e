/* SPDX-License-Identifier: GPL-2.0-only */
/* What knobs.c needs of the kernel and of batching. */
#ifndef SIM_KNOBS_KERNEL_H
#define SIM_KNOBS_KERNEL_H

#include "ftrace.h"

/* Instead of headers of batching, which need all of mm. */
#define TLBBATCH_RECLAIM_HOOKS_H
#define TLBBATCH_RECLAIM_CONTEXT_H
#define TLBBATCH_BATCH_SYMBOLS_H

struct kernel_param {
	void *arg;
};

struct kernel_param_ops {
	int (*set)(const char *text, const struct kernel_param *kp);
};

#define module_param_cb(name, ops, arg_, mode)					\
	const struct kernel_param sim_param_##name = { arg_ };			\
	const struct kernel_param_ops *const sim_ops_##name = ops
#define __MODULE_PARM_TYPE(name, type)	struct sim_module
#define MODULE_PARM_DESC(name, text)	const char sim_says_of_##name[] = text
#define cancel_work_sync(work)		((void)(work), sim_note("cancel_work"))

/* Of the module's parameters. */
extern const struct kernel_param sim_param_enabled, sim_param_batch_size;
extern const struct kernel_param_ops *const sim_ops_enabled, *const sim_ops_batch_size;
extern const char sim_says_of_enabled[], sim_says_of_batch_size[];

struct tlbbatch_pass;
extern struct tlbbatch_pass_part tlbbatch_batch_part;
extern struct tlbbatch_redirects tlbbatch_batch_redirects;
extern struct tlbbatch_watches tlbbatch_batch_watches;
const char *tlbbatch_batch_find(void);
void tlbbatch_batch_begin(struct tlbbatch_pass *pass, unsigned int batch_size);
bool tlbbatch_batch_end(struct tlbbatch_pass *pass);
void tlbbatch_batch_flush(struct tlbbatch_pass *pass);
bool tlbbatch_batch_tripped(void);
void tlbbatch_batch_rearm(void);

#endif /* SIM_KNOBS_KERNEL_H */
