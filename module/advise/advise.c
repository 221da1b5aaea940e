// SPDX-License-Identifier: GPL-2.0-only
/*
 * Would batching help here? While batching is off, this counts why TLB flushes come and
 * whom they interrupt, and what batching would have left of reclaim's. It changes nothing.
 *
 *  advise_policy.c	why a flush came; what batching would have made of a pass
 *  advise_watch.c	watches flushes and reclaim
 *  advise_pass.c	what it remembers of a pass
 *
 * module/receivers/ tells whom a flush interrupts.
 */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include "advise/advise.h"
#include "advise/advise_counters.h"
#include "advise/advise_pass.h"
#include "advise/advise_watch.h"
#include "arch/x86.h"
#include "core/feature.h"
#include "core/knob.h"
#include "debug/debug.h"
#include "hooks/hook.h"
#include "pass/demotion.h"
#include "pass/pass.h"
#include "receivers/receivers.h"

/* A feature with a part in passes gets the hook of passes. It has no other. */
static struct tlbbatch_redirects redirects;

static void advise_pass_begin(struct tlbbatch_pass *pass)
{
	tlbbatch_advise_begin(pass);
}

static void advise_pass_end(struct tlbbatch_pass *pass)
{
	tlbbatch_advise_end(pass);
}

static const char *find(void)
{
	return tlbbatch_receivers_find_loaded() ?: tlbbatch_demotion_find();
}

/* Where flushes interrupt nobody, or a hypervisor decides whom, there is nothing to count. */
static const char *unfit(void)
{
	if (!tlbbatch_arch_flush_sends_ipis())
		return TLBBATCH_ARCH_NO_IPIS;
	if (tlbbatch_arch_flush_is_foreign())
		return "the hypervisor flushes for this guest (Xen PV, Hyper-V), without the guest's IPIs";
	return NULL;
}

struct tlbbatch_feature tlbbatch_advise = {
	.name = "advise",
	.lacks = "advise: unavailable, cannot be watched",
	.refuses = "advise: cannot watch",
	.fails = "advise: cannot watch the kernel",
	.waits = "advise/mode=off",
	.redirects = &redirects,
	.watches = &tlbbatch_advise_watches,
	.pass = &tlbbatch_advise_part,
	.pass_begin = advise_pass_begin,
	.pass_end = advise_pass_end,
	.find = find,
	.unfit = unfit,
};

static const char *const modes[] = { "off", "watch" };

static ssize_t mode_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  READ_ONCE(tlbbatch_advise.on) ? "off [watch]" : "[off] watch");
}

static ssize_t mode_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t len)
{
	int wanted, err;

	wanted = tlbbatch_knob_choice(modes, ARRAY_SIZE(modes), buf, len);
	if (wanted < 0)
		return wanted;
	err = tlbbatch_feature_switch(&tlbbatch_advise, wanted);
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

const struct tlbbatch_files tlbbatch_advise_files = {
	.dir = "advise",
	.group = &group,
	.counters = &tlbbatch_advise_counters,
	.mode = 0444,
};
