// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lazyfree: huge pages that MADV_FREE gave up are reclaimed whole. Otherwise the kernel splits
 * their mapping into 512, and takes these away one by one.
 *
 *  lazyfree_hooks.c	in place of which functions
 *  lazyfree_discard.c	how a page goes, or stays
 *  lazyfree_policy.c	which page goes
 *  lazyfree_fit.c	on which kernels and machines
 *  lazyfree_symbols.c	what is looked for in the kernel
 */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include "core/feature.h"
#include "core/knob.h"
#include "lazyfree/lazyfree.h"
#include "lazyfree/lazyfree_discard.h"
#include "lazyfree/lazyfree_fit.h"
#include "lazyfree/lazyfree_hooks.h"
#include "lazyfree/lazyfree_symbols.h"

/* Serialises writers. Reclaim never takes it. */
static DEFINE_MUTEX(lazyfree_mutex);

/* Rule H3: nothing is discarded from now on, even if ftrace doesn't let go of a hook. */
static void close(void)
{
	tlbbatch_lazyfree_set(false);
}

struct tlbbatch_feature tlbbatch_lazyfree = {
	.name = "lazyfree",
	.lacks = "lazyfree: unavailable",
	.refuses = "lazyfree: cannot discard huge pages",
	.redirects = &tlbbatch_lazyfree_redirects,
	.find = tlbbatch_lazyfree_find,
	.unfit = tlbbatch_lazyfree_unfit,
	.close = close,
};

static const char *const modes[] = { "off", "pmd" };

/* The mutex is held. */
static int switch_mode(bool on)
{
	int err;

	/*
	 * Rule F9: off at once. Another feature may be switched meanwhile, and wait for a pass that
	 * sleeps. This one's switch waits for that. So nobody comes to it with the mutex held
	 * while pages are discarded: whoever writes off would wait for the mutex.
	 */
	if (on && tlbbatch_lazyfree_acts())
		return 0;
	tlbbatch_lazyfree_set(false);
	err = tlbbatch_feature_switch(&tlbbatch_lazyfree, on);
	if (!err)
		tlbbatch_lazyfree_set(on);
	return err;
}

static int set_mode(bool on)
{
	int err;

	if (mutex_lock_killable(&lazyfree_mutex))
		return -EINTR;
	err = switch_mode(on);
	mutex_unlock(&lazyfree_mutex);
	return err;
}

static ssize_t mode_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", tlbbatch_lazyfree_acts() ? "off [pmd]" : "[off] pmd");
}

static ssize_t mode_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			  size_t len)
{
	int wanted, err;

	wanted = tlbbatch_knob_choice(modes, ARRAY_SIZE(modes), buf, len);
	if (wanted < 0)
		return wanted;
	err = set_mode(wanted);
	return err ?: len;
}

static struct kobj_attribute mode_attr = __ATTR_RW(mode);

static struct attribute *attrs[] = {
	&mode_attr.attr,
	NULL
};

static const struct attribute_group group = {
	.attrs = attrs,
};

const struct tlbbatch_files tlbbatch_lazyfree_files = {
	.dir = "lazyfree",
	.group = &group,
	.counters = &tlbbatch_lazyfree_counters,
	.mode = 0444,
	.shows_hooks = true,
};
