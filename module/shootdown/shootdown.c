// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fewer receivers of flushes: docs/shootdown.md.
 *
 *  prune		a flush of a batched pass leaves out CPUs that have nothing to flush
 *  defer_min_cpus	a folio waits only if its flush would interrupt so many other CPUs
 *
 *  shootdown_symbols.c	what it needs, and where it has nothing to do
 *  mask_trial.c	whether this kernel's masks have CPUs to leave out
 *
 * What is here only says what is wanted. module/receivers/ looks at CPUs, and
 * module/batch/ acts: flush.c leaves out, writeout_gate.c lets wait. So batching stays
 * the only one that puts flushes off, and that issues them.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kobject.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sysfs.h>
#include "core/feature.h"
#include "core/knob.h"
#include "debug/debug.h"
#include "pass/pass.h"
#include "receivers/receivers.h"
#include "shootdown/mask_trial.h"
#include "shootdown/shootdown.h"
#include "shootdown/shootdown_symbols.h"

/* Serialises writers of prune. Reclaim never takes it. */
static DEFINE_MUTEX(shootdown_mutex);

/* Rule S6: are there CPUs to leave out? */
static int start(void)
{
	int stays;

	if (tlbbatch_shootdown_break(TLBBATCH_SHOOTDOWN_BREAK_EXACT))
		return 0;
	stays = tlbbatch_mask_trial();
	if (stays)
		return min(stays, 0);
	pr_err("shootdown: cannot prune: this kernel's masks are exact, it interrupts no CPU that has left the process\n");
	return -EOPNOTSUPP;
}

/* Rule S5: whatever ftrace does to batching's hooks. */
static void close(void)
{
	tlbbatch_receivers_set_prune(false);
}

struct tlbbatch_feature tlbbatch_shootdown = {
	.name = "shootdown",
	.lacks = "shootdown: unavailable",
	.refuses = "shootdown: cannot prune",
	.find = tlbbatch_shootdown_find,
	.unfit = tlbbatch_shootdown_no_receivers,
	.start = start,
	.close = close,
};

static const char prune_name[] = "shootdown/prune";

static int prune_on(void)
{
	const char *other;
	int err;

	/* So nobody waits in the switch while flushes leave out CPUs: see prune_off(). */
	if (tlbbatch_receivers_prunes())
		return 0;
	other = tlbbatch_receivers_claim(prune_name);
	if (other) {
		pr_err("shootdown: cannot prune: %s is on, and would count wrongly\n", other);
		return -EBUSY;
	}
	err = tlbbatch_feature_switch(&tlbbatch_shootdown, true);
	if (!err)
		tlbbatch_receivers_set_prune(true);
	else
		tlbbatch_receivers_release(prune_name);
	return err;
}

/*
 * Rule S5: at once. Another feature may be switched meanwhile, which can take seconds, and this
 * one's switch waits for that. While CPUs are taken out, nobody else has the mutex for long.
 */
static int prune_off(void)
{
	tlbbatch_receivers_set_prune(false);
	tlbbatch_receivers_release(prune_name);
	return tlbbatch_feature_switch(&tlbbatch_shootdown, false);
}

static int set_prune(bool on)
{
	int err;

	if (mutex_lock_killable(&shootdown_mutex))
		return -EINTR;
	err = on ? prune_on() : prune_off();
	mutex_unlock(&shootdown_mutex);
	return err;
}

static const char *why_no_min(void)
{
	return tlbbatch_shootdown.unavailable[0] ? tlbbatch_shootdown.unavailable :
						   tlbbatch_shootdown_no_receivers();
}

/*
 * When it returns 0, no pass uses the old value any more. It takes no mutex: it is one word, and
 * each writer waits for the passes that were open when he wrote. A write of 0 to prune must not
 * wait for these (rule S5).
 */
static int set_min(unsigned int cpus)
{
	/* 1 asks nothing, and can be had everywhere. */
	const char *why = cpus == 1 ? NULL : why_no_min();

	if (why) {
		pr_err("shootdown: cannot count receivers: %s\n", why);
		return -EOPNOTSUPP;
	}
	/* If the caller is killed in the wait, the new value still holds for later passes. */
	WRITE_ONCE(tlbbatch_receivers_min, cpus);
	tlbbatch_passes_wait_turnover("shootdown/defer_min_cpus", true);
	return 0;
}

static ssize_t prune_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_receivers_prunes());
}

static ssize_t prune_store(struct kobject *kobj, struct kobj_attribute *attr,
			   const char *buf, size_t len)
{
	unsigned int value;
	int err;

	err = tlbbatch_knob_parse(buf, len, 0, 1, &value);
	if (!err)
		err = set_prune(value);
	return err ?: len;
}

static ssize_t defer_min_cpus_show(struct kobject *kobj, struct kobj_attribute *attr,
				   char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(tlbbatch_receivers_min));
}

static ssize_t defer_min_cpus_store(struct kobject *kobj, struct kobj_attribute *attr,
				    const char *buf, size_t len)
{
	unsigned int cpus;
	int err;

	/* At the most no folio waits: there is one other CPU less than that. */
	err = tlbbatch_knob_parse(buf, len, 1, num_possible_cpus(), &cpus);
	if (!err)
		err = set_min(cpus);
	return err ?: len;
}

static struct kobj_attribute prune_attr = __ATTR_RW(prune);
static struct kobj_attribute defer_min_cpus_attr = __ATTR_RW(defer_min_cpus);

static struct attribute *attrs[] = {
	&prune_attr.attr,
	&defer_min_cpus_attr.attr,
	NULL
};

static const struct attribute_group group = {
	.attrs = attrs,
};

const struct tlbbatch_files tlbbatch_shootdown_files = {
	.dir = "shootdown",
	.group = &group,
	.counters = &tlbbatch_receivers_counters,
	.mode = 0444,
};
