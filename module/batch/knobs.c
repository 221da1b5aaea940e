// SPDX-License-Identifier: GPL-2.0-only
/* enabled and batch_size: as sysfs knobs, and as module parameters. */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/workqueue.h>
#include "batch/batch_policy.h"
#include "batch/batch_symbols.h"
#include "batch/knobs.h"
#include "batch/reclaim_context.h"
#include "batch/reclaim_hooks.h"
#include "core/feature.h"
#include "core/knob.h"
#include "pass/flush_calls.h"
#include "pass/pass.h"

/* Serialises writers. Reclaim never takes it: it reads with READ_ONCE(). */
static DEFINE_MUTEX(knob_mutex);
static unsigned int enabled_at_load;

/*
 * Rule B4: if the tripwire has gone off, switch batching off and rearm. Whoever comes first
 * does that: the worker, or a writer of enabled. knob_mutex is held. -EINTR: not done.
 */
static int finish_trip(bool killable)
{
	if (!tlbbatch_batch_tripped())
		return 0;
	if (tlbbatch_feature_off(&tlbbatch_batch, killable) == -EINTR)
		return -EINTR;
	pr_err("switched off: write-outs went by its hooks\n");
	/*
	 * The passes that must not put flushes off have ended, and no other one begins
	 * before this returns.
	 */
	tlbbatch_batch_rearm();
	return 0;
}

static void tripped(struct work_struct *work)
{
	mutex_lock(&knob_mutex);
	finish_trip(false);
	mutex_unlock(&knob_mutex);
}

static DECLARE_WORK(trip_work, tripped);

static void batch_pass_begin(struct tlbbatch_pass *pass)
{
	tlbbatch_batch_begin(pass, tlbbatch_pass_batch_size());
}

/* Rule B4: stop at once, detach from a worker. */
static void batch_pass_end(struct tlbbatch_pass *pass)
{
	if (likely(tlbbatch_batch_end(pass)))
		return;
	tlbbatch_pass_leave(&tlbbatch_batch_part);
	queue_work(system_long_wq, &trip_work);
}

static const char *find(void)
{
	tlbbatch_flush_batched_by(tlbbatch_batch_flush);
	return tlbbatch_batch_find();
}

struct tlbbatch_feature tlbbatch_batch = {
	.name = "batching",
	.refuses = "cannot be enabled",
	.waits = "enabled=0",
	.find = find,
	.redirects = &tlbbatch_batch_redirects,
	.watches = &tlbbatch_batch_watches,
	.pass = &tlbbatch_batch_part,
	.pass_begin = batch_pass_begin,
	.pass_end = batch_pass_end,
};

/**
 * tlbbatch_knob_set_enabled() - start or stop batching
 * @value: 0 or 1
 *
 * After @value 0 no folio waits and every hook is detached, if it returns 0. If it
 * returns -ENOMEM, a later write of 0 detaches the rest.
 *
 * Context: process context, may sleep.
 * Return: 0; -EINTR if the caller was killed; what tlbbatch_feature_on() or
 *	tlbbatch_feature_off() returns.
 */
int tlbbatch_knob_set_enabled(unsigned int value)
{
	int err;

	if (mutex_lock_killable(&knob_mutex))
		return -EINTR;
	/*
	 * If the writer of 0 is killed while it waits, enabled still reads 1, but no
	 * pass is batched any more. A later write of 0 finishes, one of 1 resumes.
	 */
	err = finish_trip(true);
	if (!err)
		err = value ? tlbbatch_feature_on(&tlbbatch_batch) :
			      tlbbatch_feature_off(&tlbbatch_batch, true);
	mutex_unlock(&knob_mutex);
	return err;
}

/**
 * tlbbatch_knob_set_batch_size() - set how many folios share a flush
 * @folios: TLBBATCH_BATCH_MIN to TLBBATCH_BATCH_MAX
 *
 * When it returns, no pass uses the old value any more, unless the caller was killed
 * while it waited for such passes to end.
 *
 * Context: process context, may sleep.
 * Return: 0, -ERANGE, or -EINTR if the caller was killed before it took effect.
 */
int tlbbatch_knob_set_batch_size(unsigned int folios)
{
	if (!tlbbatch_policy_batch_size_valid(folios))
		return -ERANGE;
	if (mutex_lock_killable(&knob_mutex))
		return -EINTR;
	/*
	 * If the caller is killed in the wait, the new value still holds for later
	 * passes.
	 */
	WRITE_ONCE(tlbbatch_batch_size, folios);
	tlbbatch_passes_wait_turnover("batch_size", true);
	mutex_unlock(&knob_mutex);
	return 0;
}

/**
 * tlbbatch_knob_enabled() - is batching on?
 *
 * Return: 0 or 1.
 */
unsigned int tlbbatch_knob_enabled(void)
{
	return READ_ONCE(tlbbatch_batch.on);
}

/**
 * tlbbatch_knob_batch_size() - folios per flush
 *
 * Context: any.
 */
unsigned int tlbbatch_knob_batch_size(void)
{
	return READ_ONCE(tlbbatch_batch_size);
}

static int param_set(const char *text, const struct kernel_param *kp,
		     unsigned int min, unsigned int max)
{
	return tlbbatch_knob_parse(text, strlen(text), min, max, kp->arg);
}

static int enabled_param_set(const char *text, const struct kernel_param *kp)
{
	return param_set(text, kp, 0, 1);
}

static int batch_size_param_set(const char *text, const struct kernel_param *kp)
{
	return param_set(text, kp, TLBBATCH_BATCH_MIN, TLBBATCH_BATCH_MAX);
}

static const struct kernel_param_ops enabled_param_ops = {
	.set = enabled_param_set,
};

static const struct kernel_param_ops batch_size_param_ops = {
	.set = batch_size_param_set,
};

/* Mode 0: not in /sys/module. The values are shown in /sys/kernel/tlbbatch alone. */
module_param_cb(enabled, &enabled_param_ops, &enabled_at_load, 0);
__MODULE_PARM_TYPE(enabled, "uint");
MODULE_PARM_DESC(enabled, "0 or 1 (default 0): start batching at load");
module_param_cb(batch_size, &batch_size_param_ops, &tlbbatch_batch_size, 0);
__MODULE_PARM_TYPE(batch_size, "uint");
MODULE_PARM_DESC(batch_size, "1 to 512 (default 64): dirty folios per TLB flush");

/**
 * tlbbatch_knobs_init() - apply the module parameter enabled
 *
 * If batching can't be switched on, the load still succeeds: the reason is in the log
 * and under hooks/, and enabled reads 0.
 *
 * Context: load, before the files in sysfs are made.
 * Return: 0.
 */
int tlbbatch_knobs_init(void)
{
	if (enabled_at_load && tlbbatch_knob_set_enabled(1))
		pr_err("loaded, but enabled=1 could not be applied\n");
	return 0;
}

/**
 * tlbbatch_knobs_exit() - stop batching for good
 *
 * If the tripwire went off, its work is cancelled, or finished if it runs already.
 *
 * Context: unload. The files in sysfs are gone, so that nobody writes to a knob.
 */
void tlbbatch_knobs_exit(void)
{
	mutex_lock(&knob_mutex);
	tlbbatch_feature_off(&tlbbatch_batch, false);
	mutex_unlock(&knob_mutex);
	cancel_work_sync(&trip_work);
}
