// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of passes: made at load (rule H11), lock-free (rule H12), keyed by task.
 *
 * A slot is claimed in the ftrace callback, with preemption off, before the task can
 * enter any replacement. The replacement of shrink_folio_list() releases it as its last
 * act. So if no slot is taken, no task sleeps in the replacement of a hook that stays
 * registered. A task may still run the few instructions up to its return; RCU-tasks
 * waits for those (rule H13, see hook_drain.c). A feature that is registered whole
 * waits for tasks in its own replacements: see @drain.
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
unsigned int tlbbatch_pass_width __read_mostly;
unsigned int tlbbatch_batch_size __read_mostly = TLBBATCH_BATCH_DEFAULT;
static struct tlbbatch_pass_part *parts[TLBBATCH_PASS_PARTS_MAX];
static unsigned int nr_parts;
/* A bit for each feature that acts in passes that begin now. */
static unsigned long acting;

static __always_inline struct tlbbatch_pass *claim(struct task_struct *task)
{
	struct task_struct **owners = tlbbatch_passes.owners;
	unsigned int slot, i;

	for_each_tlbbatch_task_slot(slot, i, task, tlbbatch_passes.hash) {
		if (READ_ONCE(owners[slot]))
			continue;
		/*
		 * A full barrier, which pairs with smp_mb() in
		 * tlbbatch_passes_wait_turnover(): either this task sees that a
		 * feature doesn't act any more, or the waiter sees this claim.
		 */
		if (!cmpxchg(&owners[slot], NULL, task))
			return tlbbatch_pass_at(slot);
	}
	return NULL;
}

static __always_inline void release_pass(struct tlbbatch_pass *pass)
{
	/* Counted here, not in claim(): a waiter must not take a claim for an end. */
	WRITE_ONCE(pass->ended, pass->ended + 1);
	/*
	 * Whoever sees the slot free sees all that the pass did. Pairs with the acquires
	 * in same_pass(), tlbbatch_passes_wait_turnover() and tlbbatch_contexts_owe().
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
 * tlbbatch_pass_enter() - open a pass, if any feature acts in passes
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
	/* Without task_lock(): the name may change meanwhile, but ends in a NUL. */
	memcpy(pass->owner_comm, current->comm, sizeof(pass->owner_comm));
	pass->depth = 1;
	return true;
}

/**
 * tlbbatch_pass_left() - the running task's pass, or one nested in it, is over
 * @pass: the pass
 *
 * Context: the owner. @pass may be another task's afterwards.
 */
void tlbbatch_pass_left(struct tlbbatch_pass *pass)
{
	if (!--pass->depth)
		release_pass(pass);
}

/**
 * tlbbatch_pass_join() - let a feature act in passes that begin from now on
 * @part: the feature's part
 *
 * Whoever sees the bit sees what was attached and set before: set_bit() is a full
 * barrier on x86, a locked instruction.
 *
 * Context: process context; all that the feature needs is attached.
 */
void tlbbatch_pass_join(const struct tlbbatch_pass_part *part)
{
	set_bit(part->bit, &acting);
}

/**
 * tlbbatch_pass_leave() - let a feature act in no pass that begins from now on
 * @part: the feature's part
 *
 * It still acts in passes that are open: see tlbbatch_passes_wait_turnover().
 *
 * Context: any.
 */
void tlbbatch_pass_leave(const struct tlbbatch_pass_part *part)
{
	clear_bit(part->bit, &acting);
}

/**
 * tlbbatch_pass_joined() - does a feature act in passes that begin now?
 * @part: the feature's part
 *
 * Context: any.
 */
bool tlbbatch_pass_joined(const struct tlbbatch_pass_part *part)
{
	return READ_ONCE(acting) & BIT(part->bit);
}

/* Is the pass in the slot still the one whose @owner and @ended were read? */
static bool same_pass(unsigned int slot, struct task_struct *owner,
		      unsigned long ended)
{
	/* The acquire pairs with the release in release_pass(). */
	return smp_load_acquire(&tlbbatch_passes.owners[slot]) == owner &&
	       READ_ONCE(tlbbatch_pass_at(slot)->ended) == ended;
}

/*
 * An owner may have died in its pass, of an oops, and its task_struct may be gone. So
 * the name is read from the slot. No barrier is needed: the owner wrote its name
 * seconds ago.
 */
static void say_who(unsigned int slot, struct task_struct *owner,
		    unsigned long ended, const char *what, unsigned int ms)
{
	const struct tlbbatch_pass *pass = tlbbatch_pass_at(slot);
	char comm[TASK_COMM_LEN];
	pid_t pid = READ_ONCE(pass->owner_pid);

	memcpy(comm, pass->owner_comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	/* Otherwise this may be the name of the next pass's owner. */
	if (same_pass(slot, owner, ended))
		pr_info("%s waits for %s/%d, in reclaim, for %u ms now\n",
			what, comm, pid, ms);
}

/* Neither way of sleeping lets khungtaskd report a hung task, which this isn't. */
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
 * Passes that begin meanwhile aren't waited for. A caller that wants none to be left in
 * which a feature acts calls tlbbatch_pass_leave() first. A pass ends by itself. If one
 * takes long (it sleeps in I/O), the log names its task every five seconds.
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINTR if the task was killed: a pass may still be open then.
 */
int tlbbatch_passes_wait_turnover(const char *what, bool killable)
{
	unsigned int slot;

	/*
	 * Pairs with the cmpxchg in claim(): a task that isn't seen here sees what the
	 * caller wrote before.
	 */
	smp_mb();
	for (slot = 0; slot < tlbbatch_nr_passes(); slot++) {
		/*
		 * Pairs with release_pass(): @ended counts all passes before this
		 * owner's.
		 */
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
 * tlbbatch_passes_add() - register a feature's part in passes
 * @part: the part
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
 * Context: load, may sleep; all parts are registered.
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
