/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in sysfs. */
#ifndef SIM_SYSFS_TYPES_H
#define SIM_SYSFS_TYPES_H

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
#define __ATTR_RO_MODE(name_, mode_)	{ .attr = { #name_, mode_ }, .show = name_##_show }

#endif /* SIM_SYSFS_TYPES_H */
