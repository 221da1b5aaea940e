/* SPDX-License-Identifier: GPL-2.0-only */
/* What sysfs.c needs of the kernel: directories and files that are there or not. */
#ifndef SIM_SYSFS_KERNEL_H
#define SIM_SYSFS_KERNEL_H

#include "ftrace.h"

struct kobject;

struct attribute {
	const char *name;
	umode_t mode;
};

struct attribute_group {
	const char *name;
	struct attribute **attrs;
};

struct kobj_attribute {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr, char *buf);
	ssize_t (*store)(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			 size_t len);
};

#define __ATTR_RO(name_)	{ .attr = { #name_, 0444 }, .show = name_##_show }
#define __ATTR_RW(name_)							\
	{ .attr = { #name_, 0644 }, .show = name_##_show, .store = name_##_store }
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
