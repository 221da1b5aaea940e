// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: the nth allocation of a thread fails, as with /proc/self/fail-nth, on a
 * kernel that was built without fault injection. Up to 6.10 or so such a kernel still calls
 * should_failslab() and should_fail_alloc_page(), which always say no. This module makes
 * them say yes. It doesn't load on a kernel without them.
 *
 * On a kernel with fault injection it only sets the thread's fail-nth when it may begin to
 * count in the load of a module.
 */
#define pr_fmt(fmt) "failalloc: " fmt
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/gfp.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#ifndef ftrace_regs_set_instruction_pointer
#define ftrace_regs_set_instruction_pointer(fregs, ip) \
	ftrace_instruction_pointer_set(fregs, ip)
#endif

struct kmem_cache;

static int pid;
module_param(pid, int, 0644);
MODULE_PARM_DESC(pid, "the thread whose allocation fails");

static int nth;
module_param(nth, int, 0644);
MODULE_PARM_DESC(nth, "which one, from 1; counts down, and is 0 when it has failed");

static bool wait;
module_param(wait, bool, 0644);
MODULE_PARM_DESC(wait, "count from a module's own init on: jump_label warns of what fails before it");

static int coming(struct notifier_block *block, unsigned long action, void *data)
{
	if (action != MODULE_STATE_COMING)
		return NOTIFY_OK;
	WRITE_ONCE(wait, false);
#ifdef CONFIG_FAULT_INJECTION
	if (READ_ONCE(pid) == current->pid) {
		WRITE_ONCE(current->fail_nth, READ_ONCE(nth));
		WRITE_ONCE(nth, 0);
	}
#endif
	return NOTIFY_OK;
}

/* Called after all other notifiers, the kernel's own included. */
static struct notifier_block block = {
	.notifier_call = coming,
	.priority = INT_MIN,
};

#ifndef CONFIG_FAULT_INJECTION
/* Only that thread changes nth while pid is its own. */
static bool fails(gfp_t gfp)
{
	if (READ_ONCE(pid) != current->pid || !in_task() || gfp & __GFP_NOFAIL ||
	    READ_ONCE(wait) || READ_ONCE(nth) <= 0)
		return false;
	WRITE_ONCE(nth, READ_ONCE(nth) - 1);
	return !READ_ONCE(nth);
}

static int fail_slab(struct kmem_cache *cache, gfp_t gfp)
{
	return fails(gfp) ? -ENOMEM : 0;
}

static bool fail_page(gfp_t gfp, unsigned int order)
{
	return fails(gfp);
}

static void notrace slab_callback(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops,
				  struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)fail_slab);
}

static void notrace page_callback(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops,
				  struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)fail_page);
}

static struct redirect {
	const char *function;
	struct ftrace_ops ops;
} redirects[] = {
	{ "should_failslab",
	  { .func = slab_callback, .flags = FTRACE_OPS_FL_IPMODIFY } },
	{ "should_fail_alloc_page",
	  { .func = page_callback, .flags = FTRACE_OPS_FL_IPMODIFY } },
};

static void remove(unsigned int nr)
{
	while (nr--) {
		unregister_ftrace_function(&redirects[nr].ops);
		ftrace_free_filter(&redirects[nr].ops);
	}
}

static int add(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(redirects); i++) {
		struct redirect *redirect = &redirects[i];

		err = ftrace_set_filter(&redirect->ops,
					(char *)redirect->function,
					strlen(redirect->function), 1);
		if (!err)
			err = register_ftrace_function(&redirect->ops);
		if (err) {
			ftrace_free_filter(&redirect->ops);
			remove(i);
			return err;
		}
	}
	return 0;
}

static void remove_all(void)
{
	remove(ARRAY_SIZE(redirects));
}
#else
static int add(void)
{
	return 0;
}

static void remove_all(void)
{
}
#endif

static int __init failalloc_init(void)
{
	int err = add();

	if (err)
		return err;
	err = register_module_notifier(&block);
	if (err)
		remove_all();
	return err;
}

static void __exit failalloc_exit(void)
{
	unregister_module_notifier(&block);
	remove_all();
}

module_init(failalloc_init);
module_exit(failalloc_exit);

MODULE_DESCRIPTION("Makes a thread's nth allocation fail (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
