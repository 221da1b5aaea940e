/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reclaim pass: one shrink_folio_list() call of one task. Features that act in passes
 * share the pass, its slot and the one hook that it begins and ends by.
 */
#ifndef TLBBATCH_PASS_H
#define TLBBATCH_PASS_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "pass/task_table.h"

struct pglist_data;
struct reclaim_stat;
struct scan_control;
struct tlbbatch_hook;

/* So many features can act in passes. */
#define TLBBATCH_PASS_PARTS_MAX	4

/**
 * struct tlbbatch_pass - one reclaim pass; what a feature remembers of it lies behind it
 * @slot: its number
 * @owner_start: when the owner was started, in ns of boot time: a task that died
 *	inside a pass (an oops) must not leave its slot to another at its address
 * @owner_pid: the owner's number and name, as they were when the pass began: the
 *	log may have to name an owner that is dead
 * @owner_comm: its name
 * @ended: passes that this slot has seen the end of, to tell one from the next
 * @depth: 1 in the pass, more in a pass nested in it, in which no feature acts
 * @parts: the features that act in it, as they were when it began: a bit each
 * @pgdat: its node
 * @sc: its scan_control; only read through a BTF offset
 * @stat: its statistics, on its caller's stack
 * @nr_reclaimed: pages that features freed, to be added to its result
 *
 * Only the owner writes to it, so it needs no lock.
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
	unsigned int nr_reclaimed;
};

/**
 * struct tlbbatch_pass_part - a feature's part in passes
 * @size: what it remembers of a pass, in bytes: its own, zero at first
 * @unseen: its counter of passes in which it should have acted, and that found no slot; or
 *	NULL
 * @offset: where that lies, from the pass on
 * @bit: its bit
 */
struct tlbbatch_pass_part {
	size_t size;
	u64 __percpu *unseen;

	size_t offset;
	unsigned int bit;
};

/**
 * struct tlbbatch_passes - the table of passes
 * @owners: dense keys, so that a look-up of a task without a pass stays in a line
 * @slots: the passes
 * @slot_size: from one to the next, in bytes
 * @hash: how many there are
 */
struct tlbbatch_passes {
	struct task_struct **owners;
	void *slots;
	size_t slot_size;
	struct tlbbatch_task_hash hash;
};

extern struct tlbbatch_passes tlbbatch_passes;

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
 * Return: its pass, NULL if it is in none that a feature acts in.
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

/* What a feature remembers of a pass. */
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
void tlbbatch_pass_leave(const struct tlbbatch_pass_part *part);
int tlbbatch_passes_wait_turnover(const char *what, bool killable);

#endif /* TLBBATCH_PASS_H */
