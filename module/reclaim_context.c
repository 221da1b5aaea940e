// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of reclaim contexts: made at load (rule H11), lock-free (rule H12), keyed
 * by task.
 *
 * A slot is claimed in the ftrace callback, with preemption off, before the
 * task can enter any replacement, and released as the last thing that the
 * replacement of shrink_folio_list() does. So "no slot is taken" means that no
 * task sleeps in module code, but for the few instructions up to its return,
 * which RCU-tasks covers (rule H13, see hook_drain.c).
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <tlbbatch/batch_counters.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/knobs.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/symbols.h>

/* A task looks at this many slots; when all are taken its pass isn't batched. */
#define PROBES			8
#define SLOTS_PER_CPU		8
#define SLOTS_MIN		32
#define SLOTS_MAX		1024

#define WAIT_POLL_MS		10
#define WAIT_MESSAGE_MS		5000

static struct tlbbatch_context *slots __read_mostly;
/* Dense keys, so that a look-up of a task without a context stays in a line. */
static struct task_struct **owners __read_mostly;
static unsigned int slots_bits __read_mostly;
static bool admitting;

static __always_inline unsigned int probe(unsigned int first, unsigned int i)
{
	return (first + i) & (BIT(slots_bits) - 1);
}

static __always_inline struct tlbbatch_context *find(struct task_struct *task)
{
	unsigned int first = hash_ptr(task, slots_bits);
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		unsigned int slot = probe(first, i);

		if (READ_ONCE(owners[slot]) == task &&
		    slots[slot].owner_start == task->start_boottime)
			return &slots[slot];
	}
	return NULL;
}

static __always_inline struct tlbbatch_context *claim(struct task_struct *task)
{
	unsigned int first = hash_ptr(task, slots_bits);
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		unsigned int slot = probe(first, i);

		if (READ_ONCE(owners[slot]))
			continue;
		/*
		 * A full barrier: either this task sees that no pass is
		 * admitted any more, or tlbbatch_contexts_wait_turnover()
		 * sees its claim. Pairs with smp_mb() there.
		 */
		if (!cmpxchg(&owners[slot], NULL, task))
			return &slots[slot];
	}
	return NULL;
}

static __always_inline void release(struct tlbbatch_context *ctx)
{
	/* Only an end counts: a waiter must not take a claim for one. */
	WRITE_ONCE(ctx->ended, ctx->ended + 1);
	/*
	 * All of the pass comes before; pairs with the acquires in same_pass()
	 * and tlbbatch_contexts_wait_turnover().
	 */
	smp_store_release(&owners[ctx - slots], NULL);
}

/**
 * tlbbatch_context_current() - the context of the running task
 *
 * Context: any; the result belongs to the running task.
 * Return: its context, NULL if it is in no pass.
 */
struct tlbbatch_context *tlbbatch_context_current(void)
{
	return find(current);
}

/**
 * tlbbatch_context_enter() - open a context for a pass that begins
 * @parent_ip: unused
 *
 * Context: ftrace callback of shrink_folio_list(), preemption off.
 * Return: true if the pass must go through the replacement.
 */
bool notrace tlbbatch_context_enter(unsigned long parent_ip)
{
	struct tlbbatch_context *ctx = find(current);

	if (unlikely(ctx)) {
		/* Rule B19: lists and statistics of two passes must never mix. */
		ctx->depth++;
		return true;
	}
	if (!READ_ONCE(admitting))
		return false;
	ctx = claim(current);
	if (unlikely(!ctx)) {
		tlbbatch_count(TLBBATCH_PASSES_UNBATCHED, 1);
		return false;
	}
	if (unlikely(!READ_ONCE(admitting))) {
		release(ctx);
		return false;
	}
	ctx->owner_start = current->start_boottime;
	ctx->owner_pid = task_pid_nr(current);
	/* As it is now: not worth task_lock(), and it ends in a NUL in any case. */
	memcpy(ctx->owner_comm, current->comm, sizeof(ctx->owner_comm));
	ctx->depth = 1;
	return true;
}

/**
 * tlbbatch_context_acts() - does a hook act for the running task?
 * @parent_ip: unused
 *
 * Context: ftrace callback, preemption off.
 * Return: true inside a pass that is being batched.
 */
bool notrace tlbbatch_context_acts(unsigned long parent_ip)
{
	struct tlbbatch_context *ctx = find(current);

	return ctx && ctx->depth == 1 && !ctx->unbatched;
}

/**
 * tlbbatch_context_gates() - does a write-out hook act for the running task?
 * @parent_ip: unused
 *
 * Context: ftrace callback, preemption off.
 * Return: true inside a pass that is being batched, unless the write-out is
 *	the module's own.
 */
bool notrace tlbbatch_context_gates(unsigned long parent_ip)
{
	struct tlbbatch_context *ctx = find(current);

	return ctx && ctx->depth == 1 && !ctx->unbatched && !ctx->writing &&
	       !tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_UNSEEN) &&
	       !tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_TRIPWIRE);
}

/**
 * tlbbatch_context_gates_shmem() - does shmem's write-out hook act?
 * @parent_ip: unused
 *
 * Context: ftrace callback, preemption off.
 * Return: as tlbbatch_context_gates().
 */
bool notrace tlbbatch_context_gates_shmem(unsigned long parent_ip)
{
	return tlbbatch_context_gates(parent_ip) &&
	       !tlbbatch_debug_defer_shmem_late();
}

/**
 * tlbbatch_context_leave() - close the running task's pass
 * @ctx: its context
 *
 * Context: the owner. @ctx is not touched afterwards.
 * Return: true if the pass itself ended, false if one nested in it did.
 */
bool tlbbatch_context_leave(struct tlbbatch_context *ctx)
{
	if (--ctx->depth)
		return false;
	release(ctx);
	return true;
}

/**
 * tlbbatch_contexts_admit() - admit new passes, or none
 * @admit: whether passes that begin from now on get a context
 *
 * Context: process context, knob mutex held.
 */
void tlbbatch_contexts_admit(bool admit)
{
	WRITE_ONCE(admitting, admit);
}

/* True while the slot is in the very pass that it was in when @ended was read. */
static bool same_pass(unsigned int slot, struct task_struct *owner,
		      unsigned long ended)
{
	/* Pairs with release(). */
	return smp_load_acquire(&owners[slot]) == owner &&
	       READ_ONCE(slots[slot].ended) == ended;
}

/*
 * An owner may have died in its pass (an oops), and its task_struct may be gone: the
 * slot tells who it was. After so long its owner has long written that down.
 */
static void say_who(unsigned int slot, struct task_struct *owner,
		    unsigned long ended, const char *what, unsigned int ms)
{
	const struct tlbbatch_context *ctx = &slots[slot];
	char comm[TASK_COMM_LEN];
	pid_t pid = READ_ONCE(ctx->owner_pid);

	memcpy(comm, ctx->owner_comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	/* Not the name of the next pass's owner. */
	if (same_pass(slot, owner, ended))
		pr_info("%s waits for %s/%d, in reclaim, for %u ms now\n",
			what, comm, pid, ms);
}

/* Neither state counts as a hung task: there is nothing wrong with waiting. */
static void poll(bool killable)
{
	unsigned long timeout = msecs_to_jiffies(WAIT_POLL_MS);

	if (killable)
		schedule_timeout_killable(timeout);
	else
		schedule_timeout_idle(timeout);
}

/**
 * tlbbatch_contexts_wait_turnover() - wait until each open pass has ended
 * @what: what waits, for the log
 * @killable: give up when the task is killed
 *
 * Passes that begin meanwhile aren't waited for: if none must be left, stop
 * admitting them first. A pass ends by itself; one that takes long (it sleeps
 * in I/O) is named in the log every five seconds.
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINTR if it was killed and a pass may still be open.
 */
int tlbbatch_contexts_wait_turnover(const char *what, bool killable)
{
	unsigned int slot;

	/* What was set before is visible, or the claim is; pairs with claim(). */
	smp_mb();
	for (slot = 0; slot < BIT(slots_bits); slot++) {
		/* The count is this owner's pass's; pairs with release(). */
		struct task_struct *owner = smp_load_acquire(&owners[slot]);
		unsigned long ended = READ_ONCE(slots[slot].ended);
		unsigned int ms, next = WAIT_MESSAGE_MS;
		unsigned long start = jiffies;

		if (!owner)
			continue;
		while (same_pass(slot, owner, ended)) {
			if (killable && fatal_signal_pending(current))
				return -EINTR;
			poll(killable);
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
 * tlbbatch_contexts_waiting_folios() - folios that wait right now
 *
 * Context: any.
 * Return: their number over all passes; 0 at rest.
 */
u64 tlbbatch_contexts_waiting_folios(void)
{
	u64 sum = 0;
	unsigned int slot;

	for (slot = 0; slot < BIT(slots_bits); slot++)
		if (READ_ONCE(owners[slot]))
			sum += READ_ONCE(slots[slot].nr_waiting);
	return sum;
}

/**
 * tlbbatch_contexts_owe() - does any open pass owe a flush?
 *
 * A pass notes that it owes before it unlocks the folio, and takes the note back
 * behind the flush. So whoever holds the lock of a folio that a pass unlocked
 * sees the note, or the flush is complete. Rule B15.
 *
 * Context: any.
 */
bool notrace tlbbatch_contexts_owe(void)
{
	unsigned int slot;

	for (slot = 0; slot < BIT(slots_bits); slot++) {
		/* Pairs with release(): that pass's last flush is complete. */
		if (!smp_load_acquire(&owners[slot]))
			continue;
		/* Pairs with the release in tlbbatch_flush_now(). */
		if (smp_load_acquire(&slots[slot].owes))
			return true;
	}
	return false;
}

/**
 * tlbbatch_contexts_init() - make the table
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int tlbbatch_contexts_init(void)
{
	unsigned int nr = clamp(num_possible_cpus() * SLOTS_PER_CPU,
				SLOTS_MIN, SLOTS_MAX);

	slots_bits = order_base_2(nr);
	slots = kvcalloc(BIT(slots_bits), sizeof(*slots), GFP_KERNEL);
	owners = kvcalloc(BIT(slots_bits), sizeof(*owners), GFP_KERNEL);
	if (!slots || !owners) {
		tlbbatch_contexts_exit();
		return -ENOMEM;
	}
	return 0;
}

/**
 * tlbbatch_contexts_exit() - free the table
 *
 * Context: process context; nothing is hooked and no task is in a pass.
 */
void tlbbatch_contexts_exit(void)
{
	kvfree(owners);
	kvfree(slots);
	owners = NULL;
	slots = NULL;
}
