// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dirty file pages under the multi-gen LRU of 6.12. Reclaim can't free them before a
 * flusher wrote them. 7.2 wakes the flushers after each pass that met nothing else. 6.12
 * does so only if a whole walk met nothing else. Here each pass is judged, as in 7.2.
 *
 *  flusher_policy.c	when flushers are woken
 *  flusher_pass.c	counts, judges and wakes
 *
 * There is no hook but that of passes. The price of too many wake-ups is that pages are
 * written that would have been written again: docs/flusher.md.
 */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include "core/feature.h"
#include "core/knob.h"
#include "flusher/flusher.h"
#include "flusher/flusher_pass.h"
#include "hooks/hook.h"
#include "pass/pass.h"

/* Serialises writers. Reclaim never takes it. */
static DEFINE_MUTEX(flusher_mutex);

/* A feature with a part in passes gets the hook of passes. It has no other. */
static struct tlbbatch_redirects redirects;

static void flusher_pass_begin(struct tlbbatch_pass *pass)
{
	tlbbatch_flusher_begin(pass);
}

static void flusher_pass_end(struct tlbbatch_pass *pass)
{
	tlbbatch_flusher_end(pass);
}

struct tlbbatch_feature tlbbatch_flusher = {
	.name = "flusher",
	.refuses = "flusher: cannot judge passes",
	.waits = "flusher/mode=off",
	.redirects = &redirects,
	.pass = &tlbbatch_flusher_part,
	.pass_begin = flusher_pass_begin,
	.pass_end = flusher_pass_end,
	.find = tlbbatch_flusher_find,
};

/* The mutex is held. */
static int switch_mode(enum tlbbatch_flusher_mode mode)
{
	bool on = mode != TLBBATCH_FLUSHER_OFF;
	int err = 0;

	/*
	 * Rule H3: passes that begin from now on are left alone, even if the hook stays, or if the
	 * task is killed while it waits for open ones. These keep their mode.
	 */
	if (!on)
		tlbbatch_flusher_set(TLBBATCH_FLUSHER_OFF);
	/*
	 * The switch waits while another feature is switched, and so may who writes off wait for
	 * the mutex. So from one mode to the other nothing is switched.
	 */
	if (!on || !tlbbatch_flusher_get())
		err = tlbbatch_feature_switch(&tlbbatch_flusher, on);
	if (!err)
		tlbbatch_flusher_set(mode);
	return err;
}

static int set_mode(enum tlbbatch_flusher_mode mode)
{
	int err;

	if (mutex_lock_killable(&flusher_mutex))
		return -EINTR;
	err = switch_mode(mode);
	mutex_unlock(&flusher_mutex);
	return err;
}

static const char *const modes[] = {
	[TLBBATCH_FLUSHER_OFF] = "off",
	[TLBBATCH_FLUSHER_WAKE] = "wake",
	[TLBBATCH_FLUSHER_ACCOUNT] = "account",
};

static ssize_t mode_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	static const char *const shown[] = {
		[TLBBATCH_FLUSHER_OFF] = "[off] wake account",
		[TLBBATCH_FLUSHER_WAKE] = "off [wake] account",
		[TLBBATCH_FLUSHER_ACCOUNT] = "off wake [account]",
	};

	return sysfs_emit(buf, "%s\n", shown[tlbbatch_flusher_get()]);
}

static ssize_t mode_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t len)
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

const struct tlbbatch_files tlbbatch_flusher_files = {
	.dir = "flusher",
	.group = &group,
	.counters = &tlbbatch_flusher_counters,
	.mode = 0444,
};
