// SPDX-License-Identifier: GPL-2.0-only
/* What deferral counts. */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/percpu.h>
#include <linux/sysfs.h>
#include "luf/luf_defer_counters.h"

DEFINE_PER_CPU(struct tlbbatch_defer_counts, tlbbatch_defer_counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	DEFER_COUNTERS(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_defer_counters = {
	.value = tlbbatch_defer_counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};

static ssize_t counter_show(enum tlbbatch_defer_counter counter, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tlbbatch_counter_read(&tlbbatch_defer_counters, counter));
}

#define X(upper, lower)								\
	static ssize_t lower##_show(struct kobject *kobj,			\
				    struct kobj_attribute *attr, char *buf)	\
	{									\
		return counter_show(upper, buf);				\
	}									\
	struct kobj_attribute tlbbatch_defer_##lower##_attr = __ATTR_RO_MODE(lower, 0400);
DEFER_COUNTERS(X)
#undef X
