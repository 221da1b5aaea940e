/* SPDX-License-Identifier: GPL-2.0-only */
/* How an ftrace callback sets the instruction pointer and reads arguments. */
#ifndef TLBBATCH_COMPAT_FTRACE_H
#define TLBBATCH_COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include "probed.h"

#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* Without it the instruction pointer can only be changed in a full set of registers. */
#define COMPAT_FTRACE_OPS_FL	FTRACE_OPS_FL_SAVE_REGS
#else
#define COMPAT_FTRACE_OPS_FL	0
#endif

#ifndef TLBBATCH_HAVE_FTRACE_REGS_SET_INSTRUCTION_POINTER
#define ftrace_regs_set_instruction_pointer(fregs, ip) \
	ftrace_instruction_pointer_set(fregs, ip)
#endif

/*
 * Argument @n, 0 to 5, of the function that is entered: the six that are in registers.
 */
static __always_inline unsigned long
compat_ftrace_argument(struct ftrace_regs *fregs, unsigned int n)
{
#ifdef TLBBATCH_HAVE_FTRACE_REGS_GET_ARGUMENT
	return ftrace_regs_get_argument(fregs, n);
#else
	return regs_get_kernel_argument(&fregs->regs, n);
#endif
}

#endif /* TLBBATCH_COMPAT_FTRACE_H */
