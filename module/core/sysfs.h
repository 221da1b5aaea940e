/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's directory under /sys/kernel. */
#ifndef TLBBATCH_SYSFS_H
#define TLBBATCH_SYSFS_H

int tlbbatch_sysfs_init(void);
void tlbbatch_sysfs_exit(void);

#endif /* TLBBATCH_SYSFS_H */
