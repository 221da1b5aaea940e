// SPDX-License-Identifier: GPL-2.0-only
/* Renamed in 6.2, from ftrace_instruction_pointer_set(). */
#include <linux/ftrace.h>

void probe(struct ftrace_regs *fregs, unsigned long ip)
{
	ftrace_regs_set_instruction_pointer(fregs, ip);
}
