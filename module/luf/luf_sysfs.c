// SPDX-License-Identifier: GPL-2.0-only
/*
 * LUF's part of /sys/kernel/tlbbatch, see sysfs-docs/ABI/testing/sysfs-kernel-tlbbatch-luf, -luf-stats
 * and -luf-defer.
 */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include "core/feature.h"
#include "core/knob.h"
#include "luf/luf.h"
#include "luf/luf_check.h"
#include "luf/luf_counters.h"
#include "luf/luf_defer.h"
#include "luf/luf_defer_counters.h"
#include "luf/luf_defer_knobs.h"
#include "luf/luf_table.h"

static const char *const modes[] = {
	[TLBBATCH_LUF_MODE_OFF] = "off",
	[TLBBATCH_LUF_MODE_TRACK] = "track",
	[TLBBATCH_LUF_MODE_DEFER] = "defer",
};

static ssize_t mode_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	static const char *const shown[] = {
		[TLBBATCH_LUF_MODE_OFF] = "[off] track defer",
		[TLBBATCH_LUF_MODE_TRACK] = "off [track] defer",
		[TLBBATCH_LUF_MODE_DEFER] = "off track [defer]",
	};

	return sysfs_emit(buf, "%s\n", shown[tlbbatch_luf_mode()]);
}

static ssize_t mode_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t len)
{
	int wanted, err;

	wanted = tlbbatch_knob_choice(modes, ARRAY_SIZE(modes), buf, len);
	if (wanted < 0)
		return wanted;
	err = tlbbatch_luf_set_mode(wanted);
	return err ?: len;
}

static ssize_t generation_show(struct kobject *kobj, struct kobj_attribute *attr,
			       char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n", tlbbatch_luf_youngest());
}

static ssize_t open_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n", tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL));
}

static ssize_t open_as_posted_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n", tlbbatch_luf_nr_open(TLBBATCH_LUF_POSTED));
}

static struct kobj_attribute mode_attr = __ATTR_RW(mode);
static struct kobj_attribute generation_attr = __ATTR_RO_MODE(generation, 0400);
static struct kobj_attribute open_attr = __ATTR_RO_MODE(open, 0400);
static struct kobj_attribute open_as_posted_attr = __ATTR_RO_MODE(open_as_posted, 0400);

static struct attribute *attrs[] = {
	&mode_attr.attr,
	&generation_attr.attr,
	&open_attr.attr,
	&open_as_posted_attr.attr,
	&tlbbatch_defer_batch_attr.attr,
	&tlbbatch_defer_age_attr.attr,
	&tlbbatch_defer_held_attr.attr,
	&tlbbatch_luf_check_attr.attr,
	NULL
};

static const struct attribute_group group = {
	.attrs = attrs,
};

static u64 read_counter(enum tlbbatch_luf_counter counter)
{
	return tlbbatch_counter_read(&tlbbatch_luf_counters, counter);
}

/*
 * How many flushes LUF would have issued, and avoided: an ideal LUF, and LUF as posted.
 */
static ssize_t flushes_luf_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n",
			  read_counter(TLBBATCH_LUF_NEEDED) +
			  read_counter(TLBBATCH_LUF_GIVEN_UP));
}

static ssize_t flushes_avoided_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n",
			  read_counter(TLBBATCH_LUF_SAVED));
}

static ssize_t flushes_luf_as_posted_show(struct kobject *kobj,
					  struct kobj_attribute *attr, char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n",
			  read_counter(TLBBATCH_LUF_POSTED_NEEDED) +
			  read_counter(TLBBATCH_LUF_POSTED_GIVEN_UP));
}

static ssize_t flushes_avoided_as_posted_show(struct kobject *kobj,
					      struct kobj_attribute *attr,
					      char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n",
			  read_counter(TLBBATCH_LUF_POSTED_SAVED));
}

static struct kobj_attribute flushes_luf_attr = __ATTR_RO_MODE(flushes_luf, 0400);
static struct kobj_attribute flushes_avoided_attr = __ATTR_RO_MODE(flushes_avoided, 0400);
static struct kobj_attribute flushes_luf_as_posted_attr =
	__ATTR_RO_MODE(flushes_luf_as_posted, 0400);
static struct kobj_attribute flushes_avoided_as_posted_attr =
	__ATTR_RO_MODE(flushes_avoided_as_posted, 0400);

static struct kobj_attribute *const derived[] = {
	&flushes_luf_attr,
	&flushes_avoided_attr,
	&flushes_luf_as_posted_attr,
	&flushes_avoided_as_posted_attr,
#define X(upper, lower) &tlbbatch_defer_##lower##_attr,
	DEFER_COUNTERS(X)
#undef X
	NULL
};

const struct tlbbatch_files tlbbatch_luf_sysfs_files = {
	.dir = "luf",
	.group = &group,
	.counters = &tlbbatch_luf_counters,
	.derived = derived,
	.settle = tlbbatch_luf_settle,
	/*
	 * For root alone: a read tells of the whole machine, and of tracking it looks at all
	 * generations.
	 */
	.mode = 0400,
};
