// SPDX-License-Identifier: GPL-2.0-only
/* Fault injection of the test builds; not part of a release build. */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/timex.h>
#include <linux/writeback.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/reclaim_context.h>

static int fail_step = -1;
module_param(fail_step, int, 0);
MODULE_PARM_DESC(fail_step, "debug: the step of init, from 0, that fails");

static bool fail_selftest;
module_param(fail_selftest, bool, 0);
MODULE_PARM_DESC(fail_selftest, "debug: the self-test of the hooks fails");

static unsigned int drain_delay_ms;
module_param(drain_delay_ms, uint, 0644);
MODULE_PARM_DESC(drain_delay_ms, "debug: wait this long before a drain's flush");

static bool defer_always;
module_param(defer_always, bool, 0644);
MODULE_PARM_DESC(defer_always, "debug: folios wait even if no flush is owed");

static bool skip_move_flush;
module_param(skip_move_flush, bool, 0644);
MODULE_PARM_DESC(skip_move_flush,
		 "debug: UFFDIO_MOVE moves swap entries without a flush; LOSES DATA");

static unsigned int drop_every;
module_param(drop_every, uint, 0644);
MODULE_PARM_DESC(drop_every, "debug: every so many folios that waited are dropped");

static bool defer_shmem_late;
module_param(defer_shmem_late, bool, 0644);
MODULE_PARM_DESC(defer_shmem_late,
		 "debug: shmem folios wait in the swap cache, where a drop strands them");

/* Cycles per CPU would be exact; for a measurement a lost update is nothing. */
static ulong own_cycles, write_cycles;
module_param(own_cycles, ulong, 0444);
MODULE_PARM_DESC(own_cycles, "debug: spent in the module to defer and recheck folios");
module_param(write_cycles, ulong, 0444);
MODULE_PARM_DESC(write_cycles, "debug: spent in the kernel's write-out of them");

enum { INJECT_NOTHING, INJECT_ACTIVATE, INJECT_ERROR };

static unsigned int inject_writeout;
module_param(inject_writeout, uint, 0644);
MODULE_PARM_DESC(inject_writeout,
		 "debug: a batched write-out 1: asks for activation, 2: fails with EIO");

static ulong injected;
module_param(injected, ulong, 0444);
MODULE_PARM_DESC(injected, "debug: write-outs that were not what they seemed");

static unsigned int luf_break;
module_param(luf_break, uint, 0644);
MODULE_PARM_DESC(luf_break,
		 "debug: LUF tracking without 1: reuse 2: looking 3: events; 4: own flushes count 5: all is read-only 6: partial flushes count 7: so do lazy CPUs 8: all flushes count as posted 9: sleepers keep their slot 10: a demotion ends the pass 11: bulk untold");

/**
 * tlbbatch_luf_break() - is a rule of LUF's simulation taken out?
 * @rule: which
 *
 * Context: any.
 */
bool tlbbatch_luf_break(enum tlbbatch_luf_break rule)
{
	return READ_ONCE(luf_break) == rule;
}

static bool fail_unregister;
module_param(fail_unregister, bool, 0644);
MODULE_PARM_DESC(fail_unregister, "debug: ftrace doesn't let go of LUF tracking");

/**
 * tlbbatch_debug_fail_unregister() - make it look as if ftrace were dead
 *
 * Return: what unregister_ftrace_function() says then, or 0.
 */
int tlbbatch_debug_fail_unregister(void)
{
	return READ_ONCE(fail_unregister) ? -ENODEV : 0;
}

/**
 * tlbbatch_debug_fail_step() - make a step of init fail
 * @step: its number
 *
 * Return: -ECANCELED for the chosen one, else 0.
 */
int tlbbatch_debug_fail_step(unsigned int step)
{
	return fail_step >= 0 && step == fail_step ? -ECANCELED : 0;
}

/**
 * tlbbatch_debug_fail_selftest() - make the self-test fail
 *
 * Return: true if it must.
 */
bool tlbbatch_debug_fail_selftest(void)
{
	return fail_selftest;
}

/**
 * tlbbatch_debug_defer_always() - let folios wait that have nothing to wait for
 *
 * 6.1 flushes when it splits a huge PMD, so a huge page alone owes no flush and
 * would hardly ever meet the window in which a test wants it.
 *
 * Return: true if every folio at a gate must wait.
 */
bool tlbbatch_debug_defer_always(void)
{
	return READ_ONCE(defer_always);
}

/**
 * tlbbatch_debug_skip_move_flush() - take the safety of UFFDIO_MOVE out
 *
 * Return: true if the flush before a move must be left out.
 */
bool tlbbatch_debug_skip_move_flush(void)
{
	return READ_ONCE(skip_move_flush);
}

/**
 * tlbbatch_debug_drops() - drop a folio as if its lock were taken
 *
 * The count is shared and not exact: which folios are dropped doesn't matter.
 *
 * Return: true if this one must be dropped.
 */
bool tlbbatch_debug_drops(void)
{
	static unsigned int nr;
	unsigned int every = READ_ONCE(drop_every);

	if (!every)
		return false;
	WRITE_ONCE(nr, nr + 1);
	return READ_ONCE(nr) % every == 0;
}

/**
 * tlbbatch_debug_defer_shmem_late() - take the safety of shmem's gate out
 *
 * Return: true if shmem folios must wait at the swap write-out, not before.
 */
bool tlbbatch_debug_defer_shmem_late(void)
{
	return READ_ONCE(defer_shmem_late);
}

/**
 * tlbbatch_debug_clock() - start a measurement
 *
 * Return: cycles.
 */
u64 tlbbatch_debug_clock(void)
{
	return get_cycles();
}

/**
 * tlbbatch_debug_spent_own() - end one, of the module's own work on a folio
 * @start: from tlbbatch_debug_clock()
 */
void tlbbatch_debug_spent_own(u64 start)
{
	WRITE_ONCE(own_cycles, own_cycles + (get_cycles() - start));
}

/**
 * tlbbatch_debug_spent_writing() - end one, of the kernel's write-out
 * @start: from tlbbatch_debug_clock()
 */
void tlbbatch_debug_spent_writing(u64 start)
{
	WRITE_ONCE(write_cycles, write_cycles + (get_cycles() - start));
}

/**
 * tlbbatch_debug_inject_writeout() - answer in the place of a write-out
 * @folio: locked, not dirty
 * @ret: what the write-out returns
 *
 * Return: true if the kernel's write-out must not be called.
 */
bool tlbbatch_debug_inject_writeout(struct folio *folio, int *ret)
{
	unsigned int what = READ_ONCE(inject_writeout);

	if (what != INJECT_ACTIVATE && what != INJECT_ERROR)
		return false;
	WRITE_ONCE(injected, injected + 1);
	folio_mark_dirty(folio);
	if (what == INJECT_ERROR)
		folio_unlock(folio);
	*ret = what == INJECT_ERROR ? -EIO : AOP_WRITEPAGE_ACTIVATE;
	return true;
}

/**
 * tlbbatch_debug_before_drain() - let folios wait longer
 * @ctx: the pass that is about to flush
 */
void tlbbatch_debug_before_drain(const struct tlbbatch_context *ctx)
{
	unsigned int ms = READ_ONCE(drain_delay_ms);

	if (ms && ctx->nr_waiting)
		msleep(ms);
}
