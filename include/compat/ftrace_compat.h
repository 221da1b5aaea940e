/* SPDX-License-Identifier: GPL-2.0-only */
/* How an ftrace callback gets at the instruction pointer. */
#ifndef TLBBATCH_COMPAT_FTRACE_H
#define TLBBATCH_COMPAT_FTRACE_H

#include <linux/ftrace.h>

#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* Only a full set of registers carries the instruction pointer back then. */
#define COMPAT_FTRACE_OPS_FL	FTRACE_OPS_FL_SAVE_REGS
#else
#define COMPAT_FTRACE_OPS_FL	0
#endif

/* Renamed by 6.13's rework of ftrace_regs. */
#define compat_ftrace_set_ip(fregs, ip) \
	ftrace_instruction_pointer_set(fregs, ip)

#endif /* TLBBATCH_COMPAT_FTRACE_H */
