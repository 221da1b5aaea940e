/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks inside a replacement that may sleep. A hook that is registered whole has no pass to wait
 * for: so each task is counted in the ftrace callback, with preemption off, before it can
 * sleep, and at the replacement's end (rule H13).
 */
#ifndef TLBBATCH_HOOK_INSIDE_H
#define TLBBATCH_HOOK_INSIDE_H

#include <linux/percpu.h>
#include <linux/types.h>

/* The sum over all CPUs counts: a task may leave on another CPU than it came on. */
#define tlbbatch_enters(inside)	this_cpu_inc(inside)
#define tlbbatch_leaves(inside)	this_cpu_dec(inside)

void tlbbatch_inside_wait(const u32 __percpu *inside, const char *what);

#endif /* TLBBATCH_HOOK_INSIDE_H */
