// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wider passes. The kernel flushes the TLB once in a pass, but a pass may have few pages:
 * 4 to 32 with the classic LRU. A pass that takes more pages at once has fewer flushes
 * for each page. That holds for clean pages, too, and leaves no stale entry for longer.
 *
 *  wide_policy.c	how many pages
 *  wide_hooks.c	asks for them
 *
 * The price is that reclaim may take more pages than it was asked for: docs/wide.md.
 */
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include "core/feature.h"
#include "core/knob.h"
#include "wide/wide.h"
#include "wide/wide_hooks.h"
#include "wide/wide_policy.h"

/* Serialises writers. Reclaim never takes it. */
static DEFINE_MUTEX(wide_mutex);

/* Rule H3: the hooks do nothing from now on, even if one of them stays. */
static void close(void)
{
	tlbbatch_wide_set(0);
}

struct tlbbatch_feature tlbbatch_wide = {
	.name = "wide",
	.lacks = "wide: unavailable",
	.refuses = "wide: cannot widen passes",
	.redirects = &tlbbatch_wide_redirects,
	.find = tlbbatch_wide_find,
	.close = close,
};

static int set_pass_min(unsigned int pages)
{
	int err;

	if (mutex_lock_killable(&wide_mutex))
		return -EINTR;
	err = tlbbatch_feature_switch(&tlbbatch_wide, pages);
	/*
	 * Not before all hooks are there: an ask counts for the call that was looked at.
	 * Where spinlocks sleep, a task may have been in a hook until now.
	 */
	if (!err && pages && !tlbbatch_wide_pages())
		tlbbatch_wide_forget();
	if (!err)
		tlbbatch_wide_set(pages);
	mutex_unlock(&wide_mutex);
	return err;
}

static ssize_t pass_min_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_wide_pages());
}

static ssize_t pass_min_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t len)
{
	unsigned int pages;
	int err;

	err = tlbbatch_knob_parse(buf, len, 0, TLBBATCH_WIDE_MAX, &pages);
	if (!err)
		err = set_pass_min(pages);
	return err ?: len;
}

static struct kobj_attribute pass_min_attr = __ATTR_RW(pass_min);

static struct attribute *attrs[] = {
	&pass_min_attr.attr,
	NULL
};

static const struct attribute_group group = {
	.attrs = attrs,
};

const struct tlbbatch_files tlbbatch_wide_files = {
	.dir = "wide",
	.group = &group,
	.counters = &tlbbatch_wide_counters,
	.mode = 0444,
	.shows_hooks = true,
};
