// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a CPU stay among those of an mm that it has left?
 *
 * Up to 6.13 switch_mm_irqs_off() took the CPU out of mm_cpumask(). From 6.14 on
 * (209954cbc7d0) it leaves it there, and flush_tlb_mm_range() takes it out some time later,
 * which a batched flush doesn't. Stable updates brought the members that came with that
 * commit to kernels that behave as before. So the kernel is tried, not its looks: a worker
 * uses one mm and then another, of which nobody else knows, and looks at the mask of the
 * first. Rule S6.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include <linux/workqueue.h>
#include "shootdown/mask_trial.h"
#include "shootdown/shootdown_symbols.h"

struct trial {
	struct mm_struct *first;
	struct mm_struct *second;
	bool stays;
};

/* The worker is bound to its CPU, which can't go offline now. */
static long leave_first(void *data)
{
	struct trial *trial = data;

	kthread_use_mm(trial->first);
	kthread_unuse_mm(trial->first);
	/* Until now the CPU was lazy, and had the first mm loaded. */
	kthread_use_mm(trial->second);
	trial->stays = cpumask_test_cpu(raw_smp_processor_id(), mm_cpumask(trial->first));
	kthread_unuse_mm(trial->second);
	return 0;
}

/**
 * tlbbatch_mask_trial() - does a CPU stay among those of an mm that it has left?
 *
 * Context: process context, may sleep; after tlbbatch_shootdown_find().
 * Return: 1 if so; 0 if the masks are exact; -ENOMEM.
 */
int tlbbatch_mask_trial(void)
{
	struct trial trial = {
		.first = static_call(tlbbatch_mm_alloc)(),
		.second = static_call(tlbbatch_mm_alloc)(),
	};
	int ret = -ENOMEM;

	if (trial.first && trial.second) {
		cpus_read_lock();
		work_on_cpu(raw_smp_processor_id(), leave_first, &trial);
		cpus_read_unlock();
		ret = trial.stays;
	}
	/* Nothing was ever mapped there. The CPU may keep the second one for a while. */
	if (trial.first)
		mmput(trial.first);
	if (trial.second)
		mmput(trial.second);
	return ret;
}
