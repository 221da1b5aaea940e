// SPDX-License-Identifier: GPL-2.0-only
/* Fault injection of the test builds; not part of a release build. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/writeback.h>
#include "debug/debug.h"

static int fail_step = -1;
module_param(fail_step, int, 0);
MODULE_PARM_DESC(fail_step, "debug: the step of init, from 0, that fails");

static bool fail_selftest;
module_param(fail_selftest, bool, 0);
MODULE_PARM_DESC(fail_selftest, "debug: the self-test of the hooks fails");

static unsigned int drain_delay_ms;
module_param(drain_delay_ms, uint, 0644);
MODULE_PARM_DESC(drain_delay_ms, "debug: wait this long before a flush that was put off");

static atomic_t in_delay;
module_param_named(in_delay, in_delay.counter, int, 0444);
MODULE_PARM_DESC(in_delay, "debug: passes that wait so now");

static bool defer_always;
module_param(defer_always, bool, 0644);
MODULE_PARM_DESC(defer_always, "debug: folios wait even if no flush is owed");

static bool defer_never;
module_param(defer_never, bool, 0644);
MODULE_PARM_DESC(defer_never, "debug: every folio is written directly at its gate");

static bool skip_move_flush;
module_param(skip_move_flush, bool, 0644);
MODULE_PARM_DESC(skip_move_flush,
		 "debug: UFFDIO_MOVE moves swap entries without a flush; LOSES DATA");

static int priority_low = -1;
module_param(priority_low, int, 0644);
MODULE_PARM_DESC(priority_low,
		 "debug: the priority of reclaim from which on folios don't wait; -1: none");

static bool flush_each;
module_param(flush_each, bool, 0644);
MODULE_PARM_DESC(flush_each, "debug: a flush behind each deferral: batches save nothing");

static unsigned int drop_every;
module_param(drop_every, uint, 0644);
MODULE_PARM_DESC(drop_every, "debug: every so many folios that waited are dropped");

static bool defer_shmem_late;
module_param(defer_shmem_late, bool, 0644);
MODULE_PARM_DESC(defer_shmem_late,
		 "debug: shmem folios wait in the swap cache, where a drop strands them");

static unsigned int fail_detach;
module_param(fail_detach, uint, 0644);
MODULE_PARM_DESC(fail_detach, "debug: so many attempts to detach a hook find no memory");

static unsigned int oops_pid;
module_param(oops_pid, uint, 0644);
MODULE_PARM_DESC(oops_pid, "debug: the task of this number dies in its next pass, of a null pointer");

/* Passes run on all CPUs at once. */
static atomic64_t own_cycles, write_cycles, injected;
module_param_named(own_cycles, own_cycles.counter, ullong, 0444);
MODULE_PARM_DESC(own_cycles, "debug: spent in the module to defer and recheck folios");
module_param_named(write_cycles, write_cycles.counter, ullong, 0444);
MODULE_PARM_DESC(write_cycles, "debug: spent in the kernel's write-out of them");

enum { INJECT_NOTHING, INJECT_ACTIVATE, INJECT_ERROR };

static unsigned int inject_writeout;
module_param(inject_writeout, uint, 0644);
MODULE_PARM_DESC(inject_writeout,
		 "debug: a batched write-out 1: asks for activation, 2: fails with EIO");

module_param_named(injected, injected.counter, ullong, 0444);
MODULE_PARM_DESC(injected, "debug: write-outs that were not what they seemed");

static unsigned int dirty_break;
module_param(dirty_break, uint, 0644);
MODULE_PARM_DESC(dirty_break,
		 "debug: batching without 1: flush before a direct write 2: a file's 3: tlb_ubc kept 4: wait for passes 5: gates 6: gates, tripwire 7: unregister first 8: prototypes 9: flush before a driver writes shmem 10: before a hole takes shmem 11: waiting past a flush 12, 13: telling passes that demote, or are nested; LOSES DATA");

static char *wrong_proto = "";
module_param(wrong_proto, charp, 0);
MODULE_PARM_DESC(wrong_proto, "debug: a hook whose function has another prototype");
enum { LOSE_NOTHING, LOSE_FOLIO, LOSE_ISOLATED_MORE, LOSE_ISOLATED_LESS };

static unsigned int lose;
module_param(lose, uint, 0644);
MODULE_PARM_DESC(lose,
		 "debug: the next folio dropped 1: is lost from reclaim's list, for ever 2, 3: counts in NR_ISOLATED_ANON once too often, or too little");

static unsigned int luf_break;
module_param(luf_break, uint, 0644);
MODULE_PARM_DESC(luf_break,
		 "debug: LUF tracking without 1: reuse 2: looking 3: events; 4: own flushes count 5: all is read-only 6: partial flushes count 7: so do lazy CPUs 8: all flushes count as posted 9: sleepers keep their slot 10: a demotion ends the pass 11: bulk untold 12: any machine fits");

/**
 * tlbbatch_dirty_break() - is a rule of batching taken out?
 * @rule: which
 *
 * Context: any.
 * Return: true if it is.
 */
bool tlbbatch_dirty_break(enum tlbbatch_dirty_break rule)
{
	return READ_ONCE(dirty_break) == rule;
}

/**
 * tlbbatch_debug_proto() - falsify the prototype of a hook's function
 * @hook: a row of the hook table
 * @proto: the prototype of one of its targets
 *
 * Return: @proto, or one that no function of the kernel has.
 */
const char *tlbbatch_debug_proto(const char *hook, const char *proto)
{
	return strcmp(hook, wrong_proto) ? proto : "void(struct tlbbatch_none *)";
}

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

static unsigned int wide_break;
module_param(wide_break, uint, 0644);
MODULE_PARM_DESC(wide_break,
		 "debug: wider passes 1: on active lists, too 2: however short the list 3: each ask 4: paid by the next call 5: a large folio counts whole 6: without a larger batch");

/**
 * tlbbatch_wide_break() - is a rule of wider passes taken out?
 * @rule: which
 *
 * Context: any.
 */
bool tlbbatch_wide_break(enum tlbbatch_wide_break rule)
{
	return READ_ONCE(wide_break) == rule;
}

static unsigned int shootdown_break;
module_param(shootdown_break, uint, 0644);
MODULE_PARM_DESC(shootdown_break,
		 "debug: pruning 1: leaves out CPUs that are behind, LOSES DATA 2: on any kernel; as if 3: by INVLPGB 4: the hypervisor flushed");

/**
 * tlbbatch_shootdown_break() - is a rule of shootdown/ taken out?
 * @rule: which
 *
 * Context: any.
 */
bool tlbbatch_shootdown_break(enum tlbbatch_shootdown_break rule)
{
	return READ_ONCE(shootdown_break) == rule;
}

static unsigned int advise_break;
module_param(advise_break, uint, 0644);
MODULE_PARM_DESC(advise_break,
		 "debug: advise 1: no causes 2: predicts that nothing is put off 3: judges each pass");

/**
 * tlbbatch_advise_break() - is a rule of advise taken out?
 * @rule: which
 *
 * Context: any.
 */
bool tlbbatch_advise_break(enum tlbbatch_advise_break rule)
{
	return READ_ONCE(advise_break) == rule;
}

static unsigned int hold_break;
module_param(hold_break, uint, 0644);
MODULE_PARM_DESC(hold_break,
		 "debug: hold 1: frees before the flush 2: holds behind dirty PTEs 3: loses folios");

/**
 * tlbbatch_hold_break() - is a rule of holding taken out?
 * @rule: which
 *
 * Context: any.
 */
bool tlbbatch_hold_break(enum tlbbatch_hold_break rule)
{
	return READ_ONCE(hold_break) == rule;
}

static unsigned int defer_break;
module_param(defer_break, uint, 0644);
MODULE_PARM_DESC(defer_break, "debug: a rule of LUF's deferral that is taken out, see debug.h");

/**
 * tlbbatch_defer_break() - is a rule of LUF's deferral taken out?
 * @rule: which
 *
 * Context: any.
 */
bool tlbbatch_defer_break(enum tlbbatch_defer_break rule)
{
	return READ_ONCE(defer_break) == rule;
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
 * tlbbatch_debug_fail_detach() - find no memory to detach a hook
 *
 * Context: hook_mutex (hook_engine.c) held.
 * Return: -ENOMEM or 0.
 */
int tlbbatch_debug_fail_detach(void)
{
	unsigned int left = READ_ONCE(fail_detach);

	if (!left)
		return 0;
	WRITE_ONCE(fail_detach, left - 1);
	return -ENOMEM;
}

/* A sanitizer would look at the address first, and die of that in another way. */
static noinline __no_sanitize_address __no_kcsan void store_to_null(void)
{
	WRITE_ONCE(*(int *)NULL, 0);
}

/**
 * tlbbatch_debug_in_pass() - a pass has begun: die in it, if asked to
 *
 * It happens once, and only to the task that oops_pid names.
 *
 * Context: reclaim, the pass's slot taken, no folio locked.
 */
void tlbbatch_debug_in_pass(void)
{
	if (READ_ONCE(oops_pid) != task_pid_nr(current))
		return;
	WRITE_ONCE(oops_pid, 0);
	store_to_null();
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
 * tlbbatch_debug_defer_never() - let no folio wait
 *
 * Folios that can't wait are rare: a shmem folio that may be split, or a pass of more
 * folios than can wait. Without this their flush would hardly ever be tested.
 *
 * Return: true if no folio at a gate may wait.
 */
bool tlbbatch_debug_defer_never(void)
{
	return READ_ONCE(defer_never);
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
	unsigned int every = READ_ONCE(drop_every), next;

	if (!every)
		return false;
	next = READ_ONCE(nr) + 1;
	WRITE_ONCE(nr, next);
	return next % every == 0;
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
	atomic64_add(get_cycles() - start, &own_cycles);
}

/**
 * tlbbatch_debug_spent_writing() - end one, of the kernel's write-out
 * @start: from tlbbatch_debug_clock()
 */
void tlbbatch_debug_spent_writing(u64 start)
{
	atomic64_add(get_cycles() - start, &write_cycles);
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
	atomic64_inc(&injected);
	folio_mark_dirty(folio);
	if (what == INJECT_ERROR)
		folio_unlock(folio);
	*ret = what == INJECT_ERROR ? -EIO : AOP_WRITEPAGE_ACTIVATE;
	return true;
}

/**
 * tlbbatch_debug_dropped() - a folio that waited isn't written
 * @pass: what is known of the pass
 * @mapped: it is mapped again
 * @gone: it has left its mapping
 */
void tlbbatch_debug_dropped(struct tlbbatch_debug_pass *pass, bool mapped, bool gone)
{
	pass->dropped++;
	pass->mapped += mapped;
	pass->gone += gone;
}

/**
 * tlbbatch_debug_freed() - a folio that waited is written and freed
 * @pass: what is known of the pass
 */
void tlbbatch_debug_freed(struct tlbbatch_debug_pass *pass)
{
	pass->freed++;
}

/**
 * tlbbatch_debug_pass_folios() - where tests/guest/bench/progress puts a kprobe
 * @deferred: folios of the pass that waited
 * @dropped: of these, not written
 * @mapped: of these, mapped again
 * @gone: or no longer in their mapping
 * @freed: written and freed at once
 */
noinline __noclone void tlbbatch_debug_pass_folios(unsigned int deferred, unsigned int dropped,
						   unsigned int mapped, unsigned int gone,
						   unsigned int freed)
{
	/* Otherwise the compiler could drop the arguments. */
	asm volatile("" : : "r" (deferred), "r" (dropped), "r" (mapped), "r" (gone), "r" (freed));
}

/**
 * tlbbatch_debug_pass_end() - tell what became of a pass's folios
 * @pass: the pass
 * @deferred: folios that waited in it, at least one
 */
void tlbbatch_debug_pass_end(const struct tlbbatch_debug_pass *pass, unsigned int deferred)
{
	tlbbatch_debug_pass_folios(deferred, pass->dropped, pass->mapped, pass->gone, pass->freed);
}

/**
 * tlbbatch_debug_lose() - break the books on one folio
 * @folio: dropped from the batch, on reclaim's return list
 *
 * Context: the owner of the list.
 */
void tlbbatch_debug_lose(struct folio *folio)
{
	switch (READ_ONCE(lose)) {
	case LOSE_FOLIO:
		list_del_init(&folio->lru);
		break;
	case LOSE_ISOLATED_MORE:
		node_stat_mod_folio(folio, NR_ISOLATED_ANON, 1);
		break;
	case LOSE_ISOLATED_LESS:
		node_stat_mod_folio(folio, NR_ISOLATED_ANON, -1);
		break;
	default:
		return;
	}
	WRITE_ONCE(lose, LOSE_NOTHING);
}

/**
 * tlbbatch_debug_before_flush() - let folios wait longer
 * @owes: the pass that is about to flush has put a flush off
 */
void tlbbatch_debug_before_flush(bool owes)
{
	unsigned int ms = READ_ONCE(drain_delay_ms);

	if (!ms || !owes)
		return;
	atomic_inc(&in_delay);
	msleep(ms);
	atomic_dec(&in_delay);
}

/**
 * tlbbatch_debug_priority_low() - may no folio of this pass wait?
 * @priority: that of the pass
 *
 * Reclaim that makes no progress lowers its priority from 12 to 0. Whether folios should
 * wait then was measured (docs/benchmarks.md).
 *
 * Return: true if the priority is as low as a test says.
 */
bool tlbbatch_debug_priority_low(int priority)
{
	return priority <= READ_ONCE(priority_low);
}

/**
 * tlbbatch_debug_flush_each() - flush behind each deferral
 *
 * Folios wait as usual, but no TLB entry outlives its folio's deferral. So the waiting
 * is the only difference to the kernel that is left.
 *
 * Return: true if it must be flushed.
 */
bool tlbbatch_debug_flush_each(void)
{
	return READ_ONCE(flush_each);
}

static bool lazyfree_loses_dirty;
module_param(lazyfree_loses_dirty, bool, 0);
MODULE_PARM_DESC(lazyfree_loses_dirty, "debug: pmd_modify() seems to lose the dirty bit");

/**
 * tlbbatch_debug_loses_dirty() - seem to be a kernel on which nothing may be discarded
 *
 * Return: true if so.
 */
bool tlbbatch_debug_loses_dirty(void)
{
	return lazyfree_loses_dirty;
}

/* udelay() is for short times. */
#define DELAY_US	100U

static unsigned int lazyfree_delay_us;
module_param(lazyfree_delay_us, uint, 0644);
MODULE_PARM_DESC(lazyfree_delay_us,
		 "debug: wait this long before, and behind, an entry's becoming invalid");

/**
 * tlbbatch_debug_lazyfree_wait() - widen the windows of a discard
 *
 * Context: a page table lock held, so it doesn't sleep.
 */
void tlbbatch_debug_lazyfree_wait(void)
{
	unsigned int us = min(READ_ONCE(lazyfree_delay_us), 20000U);

	for (; us > DELAY_US; us -= DELAY_US)
		udelay(DELAY_US);
	if (us)
		udelay(us);
}
