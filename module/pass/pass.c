// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of passes: made at load (rule H11), lock-free (rule H12), keyed by task.
 *
 * A slot is claimed in the ftrace callback, with preemption off, before the
 * task can enter any replacement, and released as the last thing that the
 * replacement of shrink_folio_list() does. So "no slot is taken" means that no
 * task sleeps in the replacement of a hook that stays registered, but for the few
 * instructions up to its return, which RCU-tasks covers (rule H13, see hook_drain.c).
 * A feature that is registered whole waits for its own: see @drain.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "pass/pass.h"

#define SLOTS_PER_CPU		8
#define SLOTS_MIN		32
#define SLOTS_MAX		1024

#define WAIT_POLL_MS		10
#define WAIT_MESSAGE_MS		5000

struct tlbbatch_passes tlbbatch_passes __read_mostly;
static struct tlbbatch_pass_part *parts[TLBBATCH_PASS_PARTS_MAX];
static unsigned int nr_parts;
/* The features that act in passes that begin now: a bit each. */
static unsigned long acting;

static __always_inline struct tlbbatch_pass *claim(struct task_struct *task)
{
	struct task_struct **owners = tlbbatch_passes.owners;
	unsigned int slot, i;

	for_each_tlbbatch_task_slot(slot, i, task, tlbbatch_passes.hash) {
		if (READ_ONCE(owners[slot]))
			continue;
		/*
		 * A full barrier: either this task sees that a feature
		 * doesn't act any more, or tlbbatch_passes_wait_turnover()
		 * sees its claim. Pairs with smp_mb() there.
		 */
		if (!cmpxchg(&owners[slot], NULL, task))
			return tlbbatch_pass_at(slot);
	}
	return NULL;
}

static __always_inline void release_pass(struct tlbbatch_pass *pass)
{
	/* Only an end counts: a waiter must not take a claim for one. */
	WRITE_ONCE(pass->ended, pass->ended + 1);
	/*
	 * All of the pass comes before; pairs with the acquires in same_pass(),
	 * tlbbatch_passes_wait_turnover() and tlbbatch_contexts_owe().
	 */
	smp_store_release(&tlbbatch_passes.owners[pass->slot], NULL);
}

static notrace void count_unseen(void)
{
	unsigned int i;

	for (i = 0; i < nr_parts; i++)
		if (READ_ONCE(acting) & BIT(i) && parts[i]->unseen)
			this_cpu_inc(*parts[i]->unseen);
}

/**
 * tlbbatch_pass_enter() - open a pass that begins, if any feature acts
 * @parent_ip: unused
 *
 * Context: ftrace callback of shrink_folio_list(), preemption off.
 * Return: true if the pass must go through the replacement.
 */
bool notrace tlbbatch_pass_enter(unsigned long parent_ip)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();

	if (unlikely(pass)) {
		/* Rule B19: lists and statistics of two passes must never mix. */
		pass->depth++;
		return true;
	}
	if (!READ_ONCE(acting))
		return false;
	pass = claim(current);
	if (unlikely(!pass)) {
		count_unseen();
		return false;
	}
	pass->parts = READ_ONCE(acting);
	if (unlikely(!pass->parts)) {
		release_pass(pass);
		return false;
	}
	pass->owner_start = current->start_boottime;
	pass->owner_pid = task_pid_nr(current);
	/* As it is now: not worth task_lock(), and it ends in a NUL in any case. */
	memcpy(pass->owner_comm, current->comm, sizeof(pass->owner_comm));
	pass->depth = 1;
	return true;
}

/**
 * tlbbatch_pass_left() - the running task's pass, or one nested in it, is over
 * @pass: the pass
 *
 * Context: the owner. @pass is not touched afterwards.
 */
void tlbbatch_pass_left(struct tlbbatch_pass *pass)
{
	if (!--pass->depth)
		release_pass(pass);
}

/**
 * tlbbatch_pass_join() - act in passes that begin from now on
 * @part: a feature's
 *
 * What was attached and set before is seen by whoever sees the bit: set_bit() is a full
 * barrier on x86, a locked instruction.
 *
 * Context: process context; all that it needs is attached.
 */
void tlbbatch_pass_join(const struct tlbbatch_pass_part *part)
{
	set_bit(part->bit, &acting);
}

/**
 * tlbbatch_pass_leave() - don't act in passes that begin from now on
 * @part: a feature's
 *
 * It still acts in those that are open: see tlbbatch_passes_wait_turnover().
 *
 * Context: any.
 */
void tlbbatch_pass_leave(const struct tlbbatch_pass_part *part)
{
	clear_bit(part->bit, &acting);
}

/* True while the slot is in the very pass that it was in when @ended was read. */
static bool same_pass(unsigned int slot, struct task_struct *owner,
		      unsigned long ended)
{
	/* Pairs with release_pass(). */
	return smp_load_acquire(&tlbbatch_passes.owners[slot]) == owner &&
	       READ_ONCE(tlbbatch_pass_at(slot)->ended) == ended;
}

/*
 * An owner may have died in its pass (an oops), and its task_struct may be gone: the
 * slot tells who it was. After so long its owner has long written that down.
 */
static void say_who(unsigned int slot, struct task_struct *owner,
		    unsigned long ended, const char *what, unsigned int ms)
{
	const struct tlbbatch_pass *pass = tlbbatch_pass_at(slot);
	char comm[TASK_COMM_LEN];
	pid_t pid = READ_ONCE(pass->owner_pid);

	memcpy(comm, pass->owner_comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	/* Not the name of the next pass's owner. */
	if (same_pass(slot, owner, ended))
		pr_info("%s waits for %s/%d, in reclaim, for %u ms now\n",
			what, comm, pid, ms);
}

/* Neither state counts as a hung task: there is nothing wrong with waiting. */
static void poll_passes(bool killable)
{
	unsigned long timeout = msecs_to_jiffies(WAIT_POLL_MS);

	if (killable)
		schedule_timeout_killable(timeout);
	else
		schedule_timeout_idle(timeout);
}

/**
 * tlbbatch_passes_wait_turnover() - wait until each open pass has ended
 * @what: what waits, for the log
 * @killable: give up when the task is killed
 *
 * Passes that begin meanwhile aren't waited for: if none must be left in which a
 * feature acts, tlbbatch_pass_leave() comes first. A pass ends by itself; one that
 * takes long (it sleeps in I/O) is named in the log every five seconds.
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINTR if it was killed and a pass may still be open.
 */
int tlbbatch_passes_wait_turnover(const char *what, bool killable)
{
	unsigned int slot;

	/* What was set before is visible, or the claim is; pairs with claim(). */
	smp_mb();
	for (slot = 0; slot < tlbbatch_nr_passes(); slot++) {
		/* The count is this owner's pass's; pairs with release_pass(). */
		struct task_struct *owner = smp_load_acquire(&tlbbatch_passes.owners[slot]);
		unsigned long ended = READ_ONCE(tlbbatch_pass_at(slot)->ended);
		unsigned int ms, next = WAIT_MESSAGE_MS;
		unsigned long start = jiffies;

		if (!owner)
			continue;
		while (same_pass(slot, owner, ended)) {
			if (killable && fatal_signal_pending(current))
				return -EINTR;
			poll_passes(killable);
			ms = jiffies_to_msecs(jiffies - start);
			if (ms < next)
				continue;
			say_who(slot, owner, ended, what, ms);
			next += WAIT_MESSAGE_MS;
		}
	}
	return 0;
}

/**
 * tlbbatch_passes_add() - a feature has a part in passes
 * @part: its part
 *
 * Context: load, before tlbbatch_passes_init(). At most TLBBATCH_PASS_PARTS_MAX calls.
 */
void tlbbatch_passes_add(struct tlbbatch_pass_part *part)
{
	part->bit = nr_parts;
	parts[nr_parts++] = part;
}

/**
 * tlbbatch_passes_init() - make the table
 *
 * Context: process context, may sleep; all parts are known.
 * Return: 0 or -ENOMEM.
 */
int tlbbatch_passes_init(void)
{
	struct tlbbatch_passes *passes = &tlbbatch_passes;
	unsigned int bits = order_base_2(clamp(num_possible_cpus() * SLOTS_PER_CPU,
					       SLOTS_MIN, SLOTS_MAX));
	unsigned int i;

	passes->slot_size = sizeof(struct tlbbatch_pass);
	for (i = 0; i < nr_parts; i++) {
		parts[i]->offset = passes->slot_size;
		passes->slot_size += ALIGN(parts[i]->size, sizeof(u64));
	}
	passes->hash = tlbbatch_task_hash_for(bits);
	passes->slots = kvcalloc(BIT(bits), passes->slot_size, GFP_KERNEL);
	passes->owners = kvcalloc(BIT(bits), sizeof(*passes->owners), GFP_KERNEL);
	if (!passes->slots || !passes->owners) {
		tlbbatch_passes_exit();
		return -ENOMEM;
	}
	for (i = 0; i < BIT(bits); i++)
		tlbbatch_pass_at(i)->slot = i;
	return 0;
}

/**
 * tlbbatch_passes_exit() - free the table
 *
 * Context: process context; nothing is hooked and no task is in a pass.
 */
void tlbbatch_passes_exit(void)
{
	kvfree(tlbbatch_passes.owners);
	kvfree(tlbbatch_passes.slots);
}
