/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of the kernel's header as the module's lists of counters need to be compiled here. */
#ifndef TEST_LINUX_PERCPU_H
#define TEST_LINUX_PERCPU_H

#define __percpu
#define DECLARE_PER_CPU(type, name)	extern type name
#define this_cpu_add(where, n)		((where) += (n))

#endif
