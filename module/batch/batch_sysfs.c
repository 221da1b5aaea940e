// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batching's part of /sys/kernel/tlbbatch, see
 * sysfs-docs/ABI/testing/sysfs-kernel-tlbbatch.
 */
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include "batch/batch_counters.h"
#include "batch/batch_policy.h"
#include "batch/knobs.h"
#include "batch/reclaim_context.h"
#include "core/feature.h"
#include "core/knob.h"

static ssize_t knob_store(const char *buf, size_t len, unsigned int min,
			  unsigned int max, int (*set)(unsigned int value))
{
	unsigned int value;
	int err;

	err = tlbbatch_knob_parse(buf, len, min, max, &value);
	if (!err)
		err = set(value);
	return err ?: len;
}

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_knob_enabled());
}

static ssize_t enabled_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t len)
{
	return knob_store(buf, len, 0, 1, tlbbatch_knob_set_enabled);
}

static ssize_t batch_size_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_knob_batch_size());
}

static ssize_t batch_size_store(struct kobject *kobj,
				struct kobj_attribute *attr, const char *buf,
				size_t len)
{
	return knob_store(buf, len, TLBBATCH_BATCH_MIN, TLBBATCH_BATCH_MAX,
			  tlbbatch_knob_set_batch_size);
}

static struct kobj_attribute enabled_attr = __ATTR_RW(enabled);
static struct kobj_attribute batch_size_attr = __ATTR_RW(batch_size);

static struct attribute *knob_attrs[] = {
	&enabled_attr.attr,
	&batch_size_attr.attr,
	NULL
};

static const struct attribute_group knob_group = {
	.attrs = knob_attrs,
};

static ssize_t folios_waiting_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tlbbatch_contexts_waiting_folios());
}

static struct kobj_attribute folios_waiting_attr = __ATTR_RO(folios_waiting);

static struct kobj_attribute *const derived[] = {
	&folios_waiting_attr,
	NULL
};

const struct tlbbatch_files tlbbatch_batch_files = {
	.group = &knob_group,
	.counters = &tlbbatch_batch_counters,
	.derived = derived,
	.mode = 0444,
	.shows_hooks = true,
};
