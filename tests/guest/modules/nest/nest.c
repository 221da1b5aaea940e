// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: a task that is in a reclaim pass begins another one in it, where the first
 * is about to give a folio its place in swap. The kernel's reclaim doesn't do that:
 * PF_MEMALLOC keeps it from reclaiming for what it allocates itself.
 *
 * The inner pass pages a range of the task's own memory out. Before it returns, the
 * kernel has begun to write each page of it: these write-outs are counted.
 */
#define pr_fmt(fmt) "nest: " fmt
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched.h>

/* Whose pass is to be interrupted, and at which folio of it. */
static struct task_struct *task;
static unsigned long start, bytes, nth;
/* Who is in its inner pass. */
static struct task_struct *inside;

static int result = -EAGAIN;
module_param(result, int, 0444);
MODULE_PARM_DESC(result, "what the inner pass returned");

static ulong written;
module_param(written, ulong, 0444);
MODULE_PARM_DESC(written, "write-outs that began in it");

static int (*do_madvise_here)(struct mm_struct *mm, unsigned long start, size_t length,
			      int behavior);

/* One of two functions: whether it returns a bool or an int, this hands it on. */
static unsigned long (*get_swap)(struct folio *folio, gfp_t gfp);

static unsigned long get_swap_after_a_pass(struct folio *folio, gfp_t gfp)
{
	WRITE_ONCE(inside, current);
	/* This task has mmap_lock already. No writer waits for it, which lockdep can't know. */
	lockdep_off();
	WRITE_ONCE(result, do_madvise_here(current->mm, start, bytes, MADV_PAGEOUT));
	lockdep_on();
	WRITE_ONCE(inside, NULL);
	return get_swap(folio, gfp);
}

static int get_swap_entered(struct kprobe *probe, struct pt_regs *regs)
{
	if (READ_ONCE(task) != current || --nth)
		return 0;
	WRITE_ONCE(task, NULL);
	regs->ip = (unsigned long)get_swap_after_a_pass;
	return 1;
}

/* A probe that has one may change where the task goes on. */
static void get_swap_left(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static int write_entered(struct kprobe *probe, struct pt_regs *regs)
{
	if (READ_ONCE(inside) == current)
		WRITE_ONCE(written, written + 1);
	return 0;
}

static struct kprobe get_swap_probe = {
	.symbol_name = "add_to_swap",
	.pre_handler = get_swap_entered,
	.post_handler = get_swap_left,
};

static struct kprobe write_probe = {
	.symbol_name = "__swap_writepage",
	.pre_handler = write_entered,
};

static int nest_set(const char *text, const struct kernel_param *kp)
{
	if (sscanf(text, "%lx %lu %lu", &start, &bytes, &nth) != 3 || !nth)
		return -EINVAL;
	written = 0;
	result = -EAGAIN;
	WRITE_ONCE(task, current);
	return 0;
}

static const struct kernel_param_ops nest_ops = {
	.set = nest_set,
};

module_param_cb(nest, &nest_ops, NULL, 0200);
MODULE_PARM_DESC(nest, "START BYTES N: at the Nth folio from now on that the writer of this reclaims, page that range out");

static int find_do_madvise(void)
{
	struct kprobe probe = {
		.symbol_name = "do_madvise",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&probe);

	if (err)
		return err;
	do_madvise_here = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int __init nest_init(void)
{
	int err = find_do_madvise();

	if (err)
		return err;
	err = register_kprobe(&get_swap_probe);
	if (err == -ENOENT) {
		/* Newer kernels call it so. */
		get_swap_probe.symbol_name = "folio_alloc_swap";
		get_swap_probe.addr = NULL;
		err = register_kprobe(&get_swap_probe);
	}
	if (err)
		return err;
	get_swap = (void *)get_swap_probe.addr;
	err = register_kprobe(&write_probe);
	if (err)
		unregister_kprobe(&get_swap_probe);
	return err;
}

static void __exit nest_exit(void)
{
	unregister_kprobe(&write_probe);
	unregister_kprobe(&get_swap_probe);
}

module_init(nest_init);
module_exit(nest_exit);

MODULE_DESCRIPTION("Begins a reclaim pass in another one (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
