// SPDX-License-Identifier: GPL-2.0-only
/*
 * LUF for real: the flush of a pass that unmapped only read-only pages of files is put off, and
 * the folios that it unmapped are held back until one flush for many passes comes.
 *
 *  luf_defer_events.c	what is watched in the kernel
 *  luf_defer_guard.c	what it must see the end of
 *  luf_defer_pass.c	what a pass unmaps, and whether its flush may be put off
 *  luf_defer_owed.c	what is held back, and the flush for it
 *  luf_defer_flush.c	the flush itself
 *  luf_defer_interest.c	which files events matter for
 *  luf_defer_room.c	how much of a zone may be held back
 *  luf_defer_policy.c	the decisions
 *  luf_defer_knobs.c	how much, and for how long
 *  luf_defer_counters.c	what is counted
 *  luf_held.c		luf/check: the table of what is held back, and what must not happen to it
 *  luf_check.c		luf/check: what is watched for it
 *
 * The prices are memory that is missing for a while, and a longer time in which a CPU may read a
 * page of a file by a stale entry: docs/defer.md.
 */
#include <linux/kobject.h>
#include <linux/sysfs.h>
#include "arch/x86.h"
#include "compat/folio_compat.h"
#include "compat/release_compat.h"
#include "core/feature.h"
#include "luf/luf_defer.h"
#include "luf/luf_defer_events.h"
#include "luf/luf_defer_flush.h"
#include "luf/luf_defer_guard.h"
#include "luf/luf_defer_owed.h"
#include "luf/luf_defer_pass.h"
#include "pass/demotion.h"
#include "pass/flush_calls.h"
#include "pass/group.h"
#include "pass/pass.h"

static ssize_t held_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tlbbatch_owed_held());
}

struct kobj_attribute tlbbatch_defer_held_attr = __ATTR_RO(held);

static const char *find(void)
{
	const char *lacks = tlbbatch_groups_find() ?: tlbbatch_demotion_find() ?:
			    tlbbatch_defer_guard_find() ?: tlbbatch_defer_flush_find();

	if (lacks)
		return lacks;
	tlbbatch_flush_deferred_by(tlbbatch_defer_before_flush, tlbbatch_defer_after_flush);
	return NULL;
}

/* Rule D8. */
static const char *unfit(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return "PREEMPT_RT takes sleeping locks to free pages";
	if (!tlbbatch_arch_flush_sends_ipis())
		return TLBBATCH_ARCH_NO_IPIS;
	if (tlbbatch_arch_flush_is_foreign())
		return "the hypervisor flushes for this guest";
	/* The two probes behind it ask the headers. */
	if (compat_built_for_other())
		return compat_built_for_other();
	if (!compat_reclaim_known())
		return "nobody has looked at this kernel's reclaim yet";
	if (!compat_large_folios_flushed())
		return "this kernel frees large folios before it flushes; 6.1.178 does not";
	return tlbbatch_groups_unfit();
}

static int start(void)
{
	int err = tlbbatch_owed_init();

	if (err)
		return err;
	err = tlbbatch_defer_notify();
	if (err)
		tlbbatch_owed_exit();
	return err;
}

/*
 * Rule D7: no pass defers any more, and all events are still seen. So nothing is owed any more when
 * they stop being seen.
 */
static void close(void)
{
	tlbbatch_owed_release_all(DEFER_CAUSE_OFF);
}

static void stop(void)
{
	tlbbatch_defer_unnotify();
	tlbbatch_owed_exit();
}

struct tlbbatch_feature tlbbatch_defer = {
	.name = "luf (defer)",
	.lacks = "luf: unavailable, flushes cannot be put off",
	.refuses = "luf: cannot put flushes off",
	.fails = "luf: cannot watch the kernel",
	.waits = "luf/mode=off",
	.redirects = &tlbbatch_defer_redirects,
	.watches = &tlbbatch_defer_watches,
	.pass = &tlbbatch_defer_part,
	.pass_begin = tlbbatch_defer_begin,
	.pass_end = tlbbatch_defer_end,
	.find = find,
	.unfit = unfit,
	.start = start,
	.close = close,
	.stop = stop,
};
