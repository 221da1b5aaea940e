// SPDX-License-Identifier: GPL-2.0-only
/* Required: an ftrace_ops that redirects functions and can't be switched off (5.5). */
#include <linux/ftrace.h>
#include <linux/trace_recursion.h>

int probe(struct ftrace_ops *ops, unsigned long ip)
{
	ops->flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT;
	ftrace_test_recursion_unlock(ftrace_test_recursion_trylock(ip, ip));
	return ftrace_set_filter_ip(ops, ip, 0, 0);
}
