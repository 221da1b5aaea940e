// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: hold a function, and change nothing. It does so as an IPMODIFY user of
 * ftrace, like a livepatch, or by a direct call, like a BPF trampoline.
 */
#define pr_fmt(fmt) "holder: " fmt
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/version.h>
#include <asm/linkage.h>

static char *function = "";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "the kernel's function to hold");

static bool direct;
module_param(direct, bool, 0444);
MODULE_PARM_DESC(direct, "by a direct call instead of IPMODIFY");

/* Called from a function's ftrace site, returns into the function. */
void holder_trampoline(void);
asm("	.pushsection .text, \"ax\", @progbits\n"
    "	.type holder_trampoline, @function\n"
    "	.globl holder_trampoline\n"
    "holder_trampoline:\n"
    ASM_ENDBR
    ASM_RET
    "	.size holder_trampoline, . - holder_trampoline\n"
    "	.popsection\n");

static void notrace callback(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

static struct ftrace_ops ops = {
	.func = callback,
	.flags = FTRACE_OPS_FL_IPMODIFY,
};

static struct ftrace_ops direct_ops;

/* Renamed in 6.4, when the interface for a single function was removed. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define direct_register(ops, addr)	register_ftrace_direct(ops, addr)
#define direct_unregister(ops, addr)	unregister_ftrace_direct(ops, addr, false)
#else
#define direct_register(ops, addr)	register_ftrace_direct_multi(ops, addr)
#define direct_unregister(ops, addr)	unregister_ftrace_direct_multi(ops, addr)
#endif

static struct ftrace_ops *chosen_ops(void)
{
	return direct ? &direct_ops : &ops;
}

static int __init holder_init(void)
{
	int err;

	/* An empty filter would mean every function. */
	if (!*function)
		return -EINVAL;
	err = ftrace_set_filter(chosen_ops(), function, strlen(function), 1);
	if (err)
		return err;
	if (direct)
		err = direct_register(&direct_ops,
				      (unsigned long)holder_trampoline);
	else
		err = register_ftrace_function(&ops);
	if (err)
		ftrace_free_filter(chosen_ops());
	return err;
}

static void __exit holder_exit(void)
{
	if (direct)
		direct_unregister(&direct_ops, (unsigned long)holder_trampoline);
	else
		unregister_ftrace_function(&ops);
	ftrace_free_filter(chosen_ops());
}

module_init(holder_init);
module_exit(holder_exit);

MODULE_DESCRIPTION("Holds a function through ftrace (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
