// SPDX-License-Identifier: GPL-2.0-only
/* 6.2, Mark Rutland's patch to abstract the DYNAMIC_FTRACE_WITH_ARGS accesses, of November 2022. */
#include <linux/ftrace.h>

unsigned long probe(struct ftrace_regs *fregs)
{
	return ftrace_regs_get_argument(fregs, 1);
}
