/* SPDX-License-Identifier: GPL-2.0-only */
/* What sysfs.c needs of the kernel: directories and files that are there or not. */
#ifndef SIM_SYSFS_KERNEL_H
#define SIM_SYSFS_KERNEL_H

#include "ftrace.h"
#include "sysfs_types.h"

#define container_of(ptr, type, member)						\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define sysfs_attr_init(attr)	((void)(attr))

extern struct kobject *kernel_kobj;
struct kobject *kobject_create_and_add(const char *name, struct kobject *parent);
void kobject_put(struct kobject *kobj);
int sysfs_create_group(struct kobject *kobj, const struct attribute_group *group);
void sysfs_remove_group(struct kobject *kobj, const struct attribute_group *group);
int sysfs_create_file(struct kobject *kobj, const struct attribute *attr);
void sysfs_remove_file(struct kobject *kobj, const struct attribute *attr);

struct sim_versioned {
	const char *version;
};

#undef THIS_MODULE
#define THIS_MODULE		(&(const struct sim_versioned){ "sim" })
#define kcalloc(n, size, flags)	sim_alloc(n, size)
#define kfree(memory)		sim_kfree(memory)
void sim_kfree(const void *memory);

#endif /* SIM_SYSFS_KERNEL_H */
