/* SPDX-License-Identifier: GPL-2.0-only */
/* What luf_sysfs.c needs of the kernel. */
#ifndef SIM_LUF_SYSFS_KERNEL_H
#define SIM_LUF_SYSFS_KERNEL_H

#include "luf_kernel.h"
#include "sysfs_types.h"

#define sysfs_emit(buf, ...)	sprintf(buf, __VA_ARGS__)

#endif /* SIM_LUF_SYSFS_KERNEL_H */
