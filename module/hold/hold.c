// SPDX-License-Identifier: GPL-2.0-only
/*
 * One flush for all that a pass frees. From 6.10 on reclaim frees in groups of 31 folios, and
 * flushes for each group. Here groups that are ready to be freed are held, and freed behind one
 * flush: the pass's last one, or one that comes before that for another reason.
 *
 *  hold_policy.c	whether a group is held
 *  hold_pass.c		takes it over, and gives it back
 *
 * The price is that a pass has more memory on its way to be freed: docs/hold.md.
 */
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include "core/feature.h"
#include "core/knob.h"
#include "hold/hold.h"
#include "hold/hold_pass.h"
#include "hold/hold_policy.h"
#include "hooks/hook.h"
#include "pass/pass.h"

/* Serialises writers. Reclaim never takes it. */
static DEFINE_MUTEX(hold_mutex);

static void hold_pass_begin(struct tlbbatch_pass *pass)
{
	tlbbatch_hold_begin(pass);
}

static void hold_pass_end(struct tlbbatch_pass *pass)
{
	tlbbatch_hold_end(pass);
}

struct tlbbatch_feature tlbbatch_hold = {
	.name = "hold",
	.lacks = "hold: unavailable",
	.refuses = "hold: cannot hold what passes free",
	.waits = "hold/max_pages=0",
	.redirects = &tlbbatch_hold_redirects,
	.pass = &tlbbatch_hold_part,
	.pass_begin = hold_pass_begin,
	.pass_end = hold_pass_end,
	.find = tlbbatch_hold_find,
	.unfit = tlbbatch_hold_unfit,
};

static int set_max_pages(unsigned int pages)
{
	int err;

	if (mutex_lock_killable(&hold_mutex))
		return -EINTR;
	/*
	 * Rule G7: passes that begin from now on hold nothing, even if a hook stays, or if the task
	 * is killed while it waits for open ones. These keep their value.
	 */
	if (!pages)
		tlbbatch_hold_set(0);
	err = tlbbatch_feature_switch(&tlbbatch_hold, pages);
	if (!err)
		tlbbatch_hold_set(pages);
	mutex_unlock(&hold_mutex);
	return err;
}

static ssize_t max_pages_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_hold_pages());
}

static ssize_t max_pages_store(struct kobject *kobj, struct kobj_attribute *attr,
			       const char *buf, size_t len)
{
	unsigned int pages;
	int err;

	err = tlbbatch_knob_parse(buf, len, 0, TLBBATCH_HOLD_MAX, &pages);
	/* Less than a group would hold nothing, without a word. */
	if (!err && pages && pages < TLBBATCH_HOLD_MIN)
		err = -ERANGE;
	if (!err)
		err = set_max_pages(pages);
	return err ?: len;
}

static struct kobj_attribute max_pages_attr = __ATTR_RW(max_pages);

static ssize_t held_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tlbbatch_hold_held());
}

static struct kobj_attribute held_attr = __ATTR_RO(held);

static struct attribute *attrs[] = {
	&max_pages_attr.attr,
	&held_attr.attr,
	NULL
};

static const struct attribute_group group = {
	.attrs = attrs,
};

const struct tlbbatch_files tlbbatch_hold_files = {
	.dir = "hold",
	.group = &group,
	.counters = &tlbbatch_hold_counters,
	.mode = 0444,
	.shows_hooks = true,
};
