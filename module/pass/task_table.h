/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a task's slot in a table of fixed size that many tasks share. */
#ifndef TLBBATCH_TASK_TABLE_H
#define TLBBATCH_TASK_TABLE_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/sched.h>

/* How many slots a task looks at. If other tasks have all of them, it gets none. */
#define TLBBATCH_TASK_PROBES	8

/**
 * struct tlbbatch_task_hash - a table's size, in the form that a look-up needs
 * @shift: a task's hash shifted right by this is the number of a slot
 * @mask: the number of slots, a power of two, less one
 */
struct tlbbatch_task_hash {
	unsigned int shift;
	unsigned int mask;
};

/**
 * tlbbatch_task_hash_for() - the hash of a table
 * @bits: the table has 1 << @bits slots, more than one
 *
 * Context: any.
 * Return: the hash.
 */
static inline struct tlbbatch_task_hash tlbbatch_task_hash_for(unsigned int bits)
{
	return (struct tlbbatch_task_hash){
		.shift = BITS_PER_LONG - bits,
		.mask = BIT(bits) - 1,
	};
}

/**
 * for_each_tlbbatch_task_slot() - the slots that may be a task's
 * @slot: the slot's number
 * @i: counts the slots
 * @task: the task
 * @hash: the table's hash
 *
 * The first slot is found as hash_ptr() would find it. The loop is bounded and takes no
 * lock. How a slot is claimed and given back is up to the table.
 */
#define for_each_tlbbatch_task_slot(slot, i, task, hash)		\
	for (i = 0, slot = (unsigned long)(task) * GOLDEN_RATIO_64 >> (hash).shift; \
	     i < TLBBATCH_TASK_PROBES;					\
	     i++, slot = (slot + 1) & (hash).mask)

#endif /* TLBBATCH_TASK_TABLE_H */
