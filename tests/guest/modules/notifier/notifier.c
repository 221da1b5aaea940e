// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: a process has an MMU notifier, as a virtual machine has. Whoever tells it sleeps
 * there as long as a test wants. EOPNOTSUPP on a kernel without MMU notifiers.
 */
#define pr_fmt(fmt) "notifier: " fmt
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

static int pid;
module_param(pid, int, 0444);
MODULE_PARM_DESC(pid, "the process");

static bool hold;
module_param(hold, bool, 0644);
MODULE_PARM_DESC(hold, "who tells it sleeps there");

static int held;
module_param(held, int, 0444);
MODULE_PARM_DESC(held, "the last thread that slept there");

static unsigned int told;
module_param(told, uint, 0444);
MODULE_PARM_DESC(told, "how often it was told that a range changes; not exact");

#ifdef CONFIG_MMU_NOTIFIER

static int range_start(struct mmu_notifier *subscription, const struct mmu_notifier_range *range)
{
	WRITE_ONCE(told, told + 1);
	if (!mmu_notifier_range_blockable(range))
		return 0;
	while (READ_ONCE(hold)) {
		WRITE_ONCE(held, current->pid);
		schedule_timeout_idle(1);
	}
	return 0;
}

static const struct mmu_notifier_ops ops = {
	.invalidate_range_start = range_start,
};

static struct mmu_notifier subscription = { .ops = &ops };
static struct mm_struct *mm;

static int __init notifier_init(void)
{
	struct pid *found = find_get_pid(pid);
	struct task_struct *task = get_pid_task(found, PIDTYPE_PID);
	int err = -ESRCH;

	put_pid(found);
	if (!task)
		return err;
	mm = get_task_mm(task);
	put_task_struct(task);
	if (!mm)
		return err;
	err = mmu_notifier_register(&subscription, mm);
	mmput(mm);
	return err;
}

static void __exit notifier_exit(void)
{
	mmu_notifier_unregister(&subscription, mm);
}

#else

static int __init notifier_init(void)
{
	return -EOPNOTSUPP;
}

static void __exit notifier_exit(void)
{
}

#endif

module_init(notifier_init);
module_exit(notifier_exit);

MODULE_DESCRIPTION("Gives a process an MMU notifier (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
