// SPDX-License-Identifier: GPL-2.0-only
/* Test module: a livepatch that has nothing to do with reclaim. */
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/seq_file.h>

static int patched_cmdline_proc_show(struct seq_file *m, void *v)
{
	seq_puts(m, "this has been live patched\n");
	return 0;
}

static struct klp_func funcs[] = {
	{
		.old_name = "cmdline_proc_show",
		.new_func = patched_cmdline_proc_show,
	},
	{ }
};

static struct klp_object objs[] = {
	{ .funcs = funcs },	/* no name: vmlinux */
	{ }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

static int __init sample_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit sample_exit(void)
{
}

module_init(sample_init);
module_exit(sample_exit);

MODULE_DESCRIPTION("A livepatch of /proc/cmdline (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
