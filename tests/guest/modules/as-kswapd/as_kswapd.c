// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: a task reclaims as kswapd would on a node full of dirty files. Only kswapd
 * writes dirty files, and only on such a node (up to 6.15).
 */
#define pr_fmt(fmt) "as_kswapd: " fmt
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/version.h>

static bool on;

static int on_set(const char *text, const struct kernel_param *kp)
{
	int err = param_set_bool(text, kp);
	int __maybe_unused node;

	if (err)
		return err;
	/* Only the task itself may change its flags. */
	if (on)
		current->flags |= PF_KSWAPD;
	else
		current->flags &= ~PF_KSWAPD;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
	for_each_online_node(node)
		assign_bit(PGDAT_DIRTY, &NODE_DATA(node)->flags, on);
#endif
	return 0;
}

static const struct kernel_param_ops on_ops = {
	.set = on_set,
};

module_param_cb(on, &on_ops, &on, 0200);
MODULE_PARM_DESC(on, "1: the task that writes this reclaims as kswapd from now on; 0: no longer");

static int __init as_kswapd_init(void)
{
	return 0;
}

static void __exit as_kswapd_exit(void)
{
}

module_init(as_kswapd_init);
module_exit(as_kswapd_exit);

MODULE_DESCRIPTION("Lets a task reclaim as kswapd (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
