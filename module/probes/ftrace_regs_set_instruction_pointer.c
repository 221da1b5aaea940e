// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.2, "ftrace: rename ftrace_instruction_pointer_set() ->
 * ftrace_regs_set_instruction_pointer()".
 */
#include <linux/ftrace.h>

void probe(struct ftrace_regs *fregs, unsigned long ip)
{
	ftrace_regs_set_instruction_pointer(fregs, ip);
}
