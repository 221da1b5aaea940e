// SPDX-License-Identifier: GPL-2.0-only
/*
 * Would LUF (Lazy Unmap Flush) save flushes on this workload? Tracking changes
 * nothing in what the kernel does (rule L1): it watches, counts and simulates.
 *
 *  luf_events.c	what is watched in the kernel, a row each; nothing while it is off
 *  luf_returns.c	what it must see the end of: two functions, redirected
 *  luf_pass.c		which tasks are in a pass
 *  luf_unmap.c		what a pass unmaps and flushes: it makes generations
 *  luf_flush.c		what CPUs flush for other reasons: it covers them
 *  luf_coverage.c	what these have covered
 *  luf_table.c		the open generations, and how each ends
 *  luf_slots.c	the slots that they are in
 *  luf_files.c	whose pages they freed
 *  luf_index.c, luf_pages.c	the pages that they freed
 *  luf_generation.c	the decisions
 *
 * The mode is here for deferral, too, which does what LUF proposes: luf_defer.c.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/cpuhotplug.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "arch/x86.h"
#include "core/feature.h"
#include "debug/debug.h"
#include "luf/luf_defer.h"
#include "luf/luf.h"
#include "luf/luf_events.h"
#include "luf/luf_held.h"
#include "luf/luf_pass.h"
#include "luf/luf_returns.h"
#include "luf/luf_table.h"
#include "receivers/receivers.h"

/* Generations that are looked at in one go, preemption off: each may have many pages. */
#define SWEEP_EACH	16
/* Each try settles some. Enough for all, and for tries that find the lock taken. */
#define SETTLE_TRIES	TLBBATCH_LUF_GENERATIONS
/* If ftrace is dead, unload can only try again, so long after each failure. */
#define EXIT_RETRY	(5 * HZ)

/* Serialises changes of the mode, and readers of sysfs, who settle, with these. */
static DEFINE_MUTEX(luf_mutex);

static int cpu_changes(unsigned int cpu)
{
	tlbbatch_luf_give_up(NULL, TLBBATCH_LUF_REASON_HOTPLUG);
	return 0;
}

static int memory_changes(struct notifier_block *block, unsigned long action,
			  void *data)
{
	if (action != MEM_GOING_OFFLINE && action != MEM_GOING_ONLINE &&
	    action != MEM_OFFLINE)
		return NOTIFY_OK;
	tlbbatch_luf_give_up(NULL, TLBBATCH_LUF_REASON_HOTPLUG);
	/*
	 * Rule L17: after this nobody looks at pages of these generations. Pairs with
	 * rcu_read_lock() in end_generation(), luf_table.c.
	 */
	synchronize_rcu();
	return NOTIFY_OK;
}

static struct notifier_block memory_block = {
	.notifier_call = memory_changes,
};

static int cpu_state;

static int watch_hotplug(void)
{
	int err;

	cpu_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
					      "tlbbatch/luf:online",
					      cpu_changes, cpu_changes);
	if (cpu_state < 0)
		return cpu_state;
	err = register_memory_notifier(&memory_block);
	if (err)
		cpuhp_remove_state_nocalls(cpu_state);
	return err;
}

static void unwatch_hotplug(void)
{
	unregister_memory_notifier(&memory_block);
	cpuhp_remove_state_nocalls(cpu_state);
}

/* Rule L19: where the simulation would be wrong, or would have nothing to say. */
static const char *unfit(void)
{
	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_UNFIT))
		return NULL;
	if (!tlbbatch_arch_flush_sends_ipis())
		return TLBBATCH_ARCH_NO_IPIS;
	/*
	 * A stale entry would show the new content as soon as the page is freed,
	 * unseen.
	 */
	if (want_init_on_free())
		return "pages are cleared when they are freed (init_on_free)";
	if (page_poisoning_enabled_static())
		return "pages are poisoned when they are freed (page_poison)";
	return NULL;
}

static const char knob_name[] = "luf/mode";

/* Rule L19: a flush that was pruned tells nothing of LUF's. See receivers_holder.c. */
static int claim_receivers(void)
{
	const char *other = tlbbatch_receivers_claim(knob_name);

	if (!other)
		return 0;
	pr_err("luf: cannot track: %s is on, and would make the answer wrong\n", other);
	return -EBUSY;
}

static int make_tables(void)
{
	int err = claim_receivers();

	if (err)
		return err;
	err = tlbbatch_luf_table_init();
	if (err)
		goto release;
	err = tlbbatch_luf_passes_init();
	if (err)
		goto free_table;
	err = watch_hotplug();
	if (err)
		goto free_passes;
	return 0;

free_passes:
	tlbbatch_luf_passes_exit();
free_table:
	tlbbatch_luf_table_exit();
release:
	tlbbatch_receivers_release(knob_name);
	return err;
}

static void free_tables(void)
{
	unwatch_hotplug();
	tlbbatch_luf_passes_exit();
	tlbbatch_luf_table_exit();
	tlbbatch_receivers_release(knob_name);
}

/* Rule L18: before anything is detached, no generation begins any more. */
static void close(void)
{
	tlbbatch_luf_close(true);
}

struct tlbbatch_feature tlbbatch_luf = {
	.name = "luf",
	.lacks = "luf: unavailable, cannot be watched",
	.refuses = "luf: cannot track",
	.fails = "luf: cannot watch the kernel",
	.redirects = &tlbbatch_luf_redirects,
	.watches = &tlbbatch_luf_watches,
	.find = tlbbatch_luf_events_find,
	.unfit = unfit,
	.start = make_tables,
	.close = close,
	.stop = free_tables,
};

/* As events/tlbbatch_events.h names them. */
static_assert(TLBBATCH_LUF_IDEAL == 0 && TLBBATCH_LUF_POSTED == 1);
static_assert(TLBBATCH_GENERATION_SAVED == 2 && TLBBATCH_GENERATION_NEEDED == 3 &&
	      TLBBATCH_GENERATION_GIVEN_UP == 4 && TLBBATCH_GENERATION_UNTRACKED == 5);

/* Rule H3: for want of memory a hook of deferral may have stayed, and is taken off later. */
static bool hook_stays;

/* Switches off what the wanted mode doesn't have. */
static int leave_mode(enum tlbbatch_luf_mode wanted)
{
	int err = 0;

	if (wanted != TLBBATCH_LUF_MODE_TRACK && tlbbatch_luf.on)
		err = tlbbatch_feature_off(&tlbbatch_luf, false);
	if (!err && wanted != TLBBATCH_LUF_MODE_DEFER && (tlbbatch_defer.on || hook_stays)) {
		err = tlbbatch_feature_off(&tlbbatch_defer, false);
		hook_stays = err == -ENOMEM;
	}
	return err;
}

static int set_mode(enum tlbbatch_luf_mode wanted)
{
	int err = leave_mode(wanted);

	if (err)
		return err;
	switch (wanted) {
	case TLBBATCH_LUF_MODE_TRACK:
		err = tlbbatch_feature_on(&tlbbatch_luf);
		/* ftrace attaches one function after the other: rule L18. */
		if (!err)
			tlbbatch_luf_close(false);
		return err;
	case TLBBATCH_LUF_MODE_DEFER:
		err = tlbbatch_feature_on(&tlbbatch_defer);
		hook_stays = err;
		return err;
	default:
		return 0;
	}
}

/**
 * tlbbatch_luf_mode() - does it track, or put flushes off?
 *
 * Context: any.
 */
enum tlbbatch_luf_mode tlbbatch_luf_mode(void)
{
	if (READ_ONCE(tlbbatch_defer.on))
		return TLBBATCH_LUF_MODE_DEFER;
	return READ_ONCE(tlbbatch_luf.on) ? TLBBATCH_LUF_MODE_TRACK : TLBBATCH_LUF_MODE_OFF;
}

/**
 * tlbbatch_luf_set_mode() - track, put flushes off, or neither
 * @wanted: the mode
 *
 * If it returns 0 for off, nothing of the two modes is attached, no generation is open, and nothing is
 * held back.
 *
 * Context: process context, may sleep; for seconds to stop under load.
 * Return: 0; -EOPNOTSUPP if the kernel can't be watched (the log says why);
 *	-ENOMEM; -EINTR if the caller was killed; -EBUSY if ftrace is switched off, somebody
 *	else redirects what must be, or shootdown/prune is on; -EIO if ftrace did not patch a
 *	function or the self-test failed; -ENODEV if ftrace is dead.
 */
int tlbbatch_luf_set_mode(enum tlbbatch_luf_mode wanted)
{
	int err;

	if (mutex_lock_killable(&luf_mutex))
		return -EINTR;
	err = set_mode(wanted);
	mutex_unlock(&luf_mutex);
	return err;
}

/*
 * Settles all that was owed before the call. A try that finds the lock taken counts,
 * too.
 */
static void settle_shard(unsigned int shard)
{
	unsigned int tries = SETTLE_TRIES;
	bool more = true;

	while (more && tries--) {
		preempt_disable();
		more = tlbbatch_luf_settle_shard(shard);
		preempt_enable();
	}
}

/**
 * tlbbatch_luf_settle() - look at every open generation
 *
 * What is read from sysfs next then accounts for all flushes up to now.
 *
 * Context: process context, may sleep.
 */
void tlbbatch_luf_settle(void)
{
	unsigned int from = 0, shard;

	if (mutex_lock_killable(&luf_mutex))
		return;
	if (tlbbatch_luf_mode() == TLBBATCH_LUF_MODE_TRACK) {
		for (shard = 0; shard < tlbbatch_luf_nr_shards(); shard++)
			settle_shard(shard);
		do {
			preempt_disable();
			from = tlbbatch_luf_sweep(from, SWEEP_EACH);
			preempt_enable();
		} while (from);
	}
	mutex_unlock(&luf_mutex);
}

/* Rule D9. Behind this it may be switched on again. */
static void stop_deferring(struct work_struct *unused)
{
	mutex_lock(&luf_mutex);
	if (tlbbatch_luf_mode() == TLBBATCH_LUF_MODE_DEFER) {
		set_mode(TLBBATCH_LUF_MODE_OFF);
		if (!tlbbatch_defer.on)
			pr_err("luf: defer is switched off: something went by it\n");
	}
	tlbbatch_held_rearm();
	mutex_unlock(&luf_mutex);
}

static DECLARE_WORK(hit_work, stop_deferring);

/**
 * tlbbatch_luf_load() - what is done behind a hit of luf/check
 *
 * Context: load. Return: 0.
 */
int tlbbatch_luf_load(void)
{
	tlbbatch_held_on_hit(&hit_work);
	return 0;
}

/**
 * tlbbatch_luf_unload() - stop for good
 *
 * Context: unload; sysfs is gone.
 */
void tlbbatch_luf_unload(void)
{
	/* Text that ftrace may still call is never freed. */
	mutex_lock(&luf_mutex);
	while (set_mode(TLBBATCH_LUF_MODE_OFF))
		schedule_timeout_idle(EXIT_RETRY);
	mutex_unlock(&luf_mutex);
	/* luf/check and deferral are off, so that nobody notices anything any more. */
	tlbbatch_held_on_hit(NULL);
	cancel_work_sync(&hit_work);
}
