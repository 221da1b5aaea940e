/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads run no program of user space. */
#ifndef TLBBATCH_COMPAT_TASK_H
#define TLBBATCH_COMPAT_TASK_H

#include <linux/sched.h>

/*
 * The kernel's own threads, and workers of io_uring and of vhost. A worker has a copy of the
 * registers of the task that made it, so that the number of a system call in them isn't its own.
 * From 6.4 on all workers have PF_USER_WORKER. Before, vhost's were threads of the kernel.
 */
#ifdef PF_USER_WORKER
#define COMPAT_PF_THREAD	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define COMPAT_PF_THREAD	(PF_KTHREAD | PF_IO_WORKER)
#endif

#endif /* TLBBATCH_COMPAT_TASK_H */
