/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reclaim pass is one call of shrink_folio_list() by one task. Features that act in
 * passes share the pass, its slot in the table, and the hook of shrink_folio_list().
 */
#ifndef TLBBATCH_PASS_H
#define TLBBATCH_PASS_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "pass/defer_policy.h"
#include "pass/task_table.h"

struct pglist_data;
struct reclaim_stat;
struct scan_control;
struct tlbbatch_hook;

/* How many features can act in passes. */
#define TLBBATCH_PASS_PARTS_MAX	10

/* Bits in @flushes of a pass: who acts in its flushes. */
#define TLBBATCH_FLUSH_BATCHED	1U
#define TLBBATCH_FLUSH_HELD	2U
#define TLBBATCH_FLUSH_DEFERRED	4U
/* For these it must be seen what reclaim is about to free: see group.c. */
#define TLBBATCH_FLUSH_GROUPS	(TLBBATCH_FLUSH_HELD | TLBBATCH_FLUSH_DEFERRED)

/**
 * struct tlbbatch_pass - one reclaim pass
 * @slot: the number of its slot
 * @owner_start: when the owner was started, in ns of boot time. If a task dies inside a
 *	pass, of an oops, a task that gets its task_struct's address must not get its
 *	slot
 * @owner_pid: the owner's pid when the pass began: the log may have to name a dead owner
 * @owner_comm: the owner's name then
 * @ended: how many passes have ended in this slot; tells one pass from the next
 * @depth: 1 in the pass; more in a pass nested in it, in which no feature acts
 * @parts: a bit for each feature that acts in it; set when it begins
 * @pgdat: its node
 * @sc: its scan_control; only read through a BTF offset
 * @stat: its statistics, on its caller's stack
 * @puts_off: a feature that has begun in it puts flushes off
 * @flushes: which features act in its flushes, bits from above
 * @leaves_out: of the flush that reclaim asks for now, that it isn't needed yet
 * @is_reclaims: the last call of __mem_cgroup_uncharge_folios() came from reclaim: see group.c
 * @group: where the group lies that it was called for; NULL once that was claimed
 * @nr_reclaimed: pages that features freed, to be added to its result
 *
 * The parts of the features lie behind it. Only the owner writes to it, so it needs no
 * lock.
 */
struct tlbbatch_pass {
	unsigned int slot;
	u64 owner_start;
	pid_t owner_pid;
	char owner_comm[TASK_COMM_LEN];
	unsigned long ended;
	unsigned int depth;
	unsigned long parts;
	struct pglist_data *pgdat;
	struct scan_control *sc;
	struct reclaim_stat *stat;
	bool puts_off;
	unsigned int flushes;
	bool leaves_out;
	bool is_reclaims;
	void *group;
	unsigned int nr_reclaimed;
};

/**
 * struct tlbbatch_pass_part - a feature's part in passes
 * @size: the size of what the feature remembers of a pass, in bytes. Only the feature
 *	writes to that memory; it is zeroed at load, not at each pass
 * @unseen: its counter of passes in which it would have acted, but that found no free
 *	slot; or NULL
 * @offset: where that memory lies, in bytes from the struct tlbbatch_pass on
 * @bit: the feature's bit in @parts of a pass
 */
struct tlbbatch_pass_part {
	size_t size;
	u64 __percpu *unseen;

	size_t offset;
	unsigned int bit;
};

/**
 * struct tlbbatch_passes - the table of passes
 * @owners: the owner of each slot, NULL if it is free; apart from @slots, so that a
 *	look-up reads one or two cache lines
 * @slots: the passes
 * @slot_size: the distance from one pass to the next, in bytes
 * @hash: finds a task's slots
 */
struct tlbbatch_passes {
	struct task_struct **owners;
	void *slots;
	size_t slot_size;
	struct tlbbatch_task_hash hash;
};

extern struct tlbbatch_passes tlbbatch_passes;

/*
 * Pages that a feature gives to a pass at least; 0 if none does. Batching lets as many
 * folios wait for one flush.
 */
extern unsigned int tlbbatch_pass_width;
/* Folios per flush, as the knob of batching says. */
extern unsigned int tlbbatch_batch_size;

/**
 * tlbbatch_pass_batch_size() - folios that share a flush in a pass that begins now
 *
 * Context: any.
 * Return: TLBBATCH_BATCH_MIN to TLBBATCH_BATCH_MAX.
 */
static inline unsigned int tlbbatch_pass_batch_size(void)
{
	return tlbbatch_policy_batch_size(READ_ONCE(tlbbatch_batch_size),
					  READ_ONCE(tlbbatch_pass_width));
}

static __always_inline unsigned int tlbbatch_nr_passes(void)
{
	return tlbbatch_passes.hash.mask + 1;
}

static __always_inline struct tlbbatch_pass *tlbbatch_pass_at(unsigned int slot)
{
	return tlbbatch_passes.slots + slot * tlbbatch_passes.slot_size;
}

/**
 * tlbbatch_pass_current() - the pass of the running task
 *
 * Context: any, notrace; the result belongs to the running task.
 * Return: its pass; NULL if it is in no pass, or in one in which no feature acts.
 */
static __always_inline struct tlbbatch_pass *tlbbatch_pass_current(void)
{
	unsigned int slot, i;

	for_each_tlbbatch_task_slot(slot, i, current, tlbbatch_passes.hash) {
		struct tlbbatch_pass *pass;

		if (READ_ONCE(tlbbatch_passes.owners[slot]) != current)
			continue;
		pass = tlbbatch_pass_at(slot);
		if (pass->owner_start == current->start_boottime)
			return pass;
	}
	return NULL;
}

/* The memory of a feature's part in a pass. */
static __always_inline void *
tlbbatch_pass_memory(struct tlbbatch_pass *pass,
		     const struct tlbbatch_pass_part *part)
{
	return (void *)pass + part->offset;
}

/* pass.c */
void tlbbatch_passes_add(struct tlbbatch_pass_part *part);
int tlbbatch_passes_init(void);
void tlbbatch_passes_exit(void);
bool tlbbatch_pass_enter(unsigned long parent_ip);
void tlbbatch_pass_left(struct tlbbatch_pass *pass);
void tlbbatch_pass_join(const struct tlbbatch_pass_part *part);
bool tlbbatch_pass_joined(const struct tlbbatch_pass_part *part);
void tlbbatch_pass_leave(const struct tlbbatch_pass_part *part);
int tlbbatch_passes_wait_turnover(const char *what, bool killable);

#endif /* TLBBATCH_PASS_H */
