// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: makes the fault that its parameter names, once, when it is loaded. A kernel
 * with the right checks must report it, and the test run must then fail. Never to be loaded
 * where a fault matters.
 */
#define pr_fmt(fmt) "faults: " fmt
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

#define STALL_S	12
#define RACE_MS	3000

static char *fault = "none";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "which fault to make");

/* The compiler must not see through it. */
static void *volatile lost;

static void use_after_free(void)
{
	int *victim = kmalloc(64, GFP_KERNEL);

	if (!victim)
		return;
	lost = victim;
	kfree(victim);
	pr_info("read %d\n", *(volatile int *)lost);
	lost = NULL;
}

static void beyond_vmalloc(void)
{
	volatile char *area = vmalloc(PAGE_SIZE - 16);

	if (!area)
		return;
	area[PAGE_SIZE - 8] = 1;
	vfree((void *)area);
}

static void inversion(void)
{
	static DEFINE_MUTEX(a);
	static DEFINE_MUTEX(b);

	mutex_lock(&a);
	mutex_lock(&b);
	mutex_unlock(&b);
	mutex_unlock(&a);
	mutex_lock(&b);
	mutex_lock(&a);
	mutex_unlock(&a);
	mutex_unlock(&b);
}

static void sleep_in_atomic(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void leak(void)
{
	unsigned int i;

	/* A stale register or stack slot may still point to the last one. */
	for (i = 0; i < 8; i++)
		lost = kmalloc(200, GFP_KERNEL);
	lost = NULL;
}

static void expire(struct timer_list *timer)
{
}

static void free_active(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, expire, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static void unprotected(void)
{
	static int value;
	static int __rcu *pointer = (int __rcu __force *)&value;

	lost = rcu_dereference(pointer);
}

static void which_cpu(void)
{
	pr_info("on CPU %u\n", smp_processor_id());
}

static void stall(void)
{
	unsigned long end = jiffies + STALL_S * HZ;

	/* Only a grace period that somebody waits for can stall. */
	start_poll_synchronize_rcu();
	preempt_disable();
	while (time_before(jiffies, end))
		cpu_relax();
	preempt_enable();
}

static unsigned long shared;

static int count(void *unused)
{
	unsigned long end = jiffies + msecs_to_jiffies(RACE_MS);

	while (time_before(jiffies, end)) {
		shared++;
		barrier();
		cond_resched();
	}
	return 0;
}

static int count_and_stay(void *unused)
{
	count(unused);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static void race(void)
{
	struct task_struct *other = kthread_run(count_and_stay, NULL, "faults");

	if (IS_ERR(other))
		return;
	count(NULL);
	kthread_stop(other);
}

/* The last one: it kills the task that loads. */
static void unlock_unlocked(void)
{
	struct page *page = alloc_page(GFP_KERNEL);

	if (page)
		unlock_page(page);
}

static void none(void)
{
}

static const struct {
	const char *name;
	void (*make)(void);
} faults[] = {
	{ "none",		none },
	{ "use-after-free",	use_after_free },
	{ "beyond-vmalloc",	beyond_vmalloc },
	{ "inversion",		inversion },
	{ "sleep-in-atomic",	sleep_in_atomic },
	{ "leak",		leak },
	{ "free-active",	free_active },
	{ "unprotected",	unprotected },
	{ "preemptible",	which_cpu },
	{ "stall",		stall },
	{ "race",		race },
	{ "unlock-unlocked",	unlock_unlocked },
};

static int __init faults_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(fault, faults[i].name))
			continue;
		faults[i].make();
		return 0;
	}
	return -EINVAL;
}

static void __exit faults_exit(void)
{
}

module_init(faults_init);
module_exit(faults_exit);

MODULE_DESCRIPTION("Makes a fault that a debug kernel must report (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
