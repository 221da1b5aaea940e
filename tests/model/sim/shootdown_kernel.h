/* SPDX-License-Identifier: GPL-2.0-only */
/* What shootdown/ needs of the kernel: mms, and a worker that uses them. */
#ifndef SIM_SHOOTDOWN_KERNEL_H
#define SIM_SHOOTDOWN_KERNEL_H

#include "ftrace.h"
#include "sysfs_types.h"

extern unsigned int sim_hotplug_off;

#define cpus_read_lock()	((void)sim_hotplug_off++)
#define cpus_read_unlock()	((void)sim_hotplug_off--)

void kthread_use_mm(struct mm_struct *mm);
void kthread_unuse_mm(struct mm_struct *mm);
long work_on_cpu(int cpu, long (*does)(void *data), void *data);
void mmput(struct mm_struct *mm);

#endif /* SIM_SHOOTDOWN_KERNEL_H */
