/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a task's slot is, in a table of fixed size that many tasks share. */
#ifndef TLBBATCH_TASK_TABLE_H
#define TLBBATCH_TASK_TABLE_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/sched.h>

/* A task looks at so many slots; if others have all of them it gets none. */
#define TLBBATCH_TASK_PROBES	8

/**
 * struct tlbbatch_task_hash - a table's size, as a look-up wants it
 * @shift: of a task's hash, so that a slot's number is left
 * @mask: the number of slots, which is a power of two, less one
 */
struct tlbbatch_task_hash {
	unsigned int shift;
	unsigned int mask;
};

/**
 * tlbbatch_task_hash_for() - make that
 * @bits: the table has 1 << @bits slots, more than one
 *
 * Context: any.
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
 * @i: counts them
 * @task: the task
 * @hash: the table's
 *
 * As hash_ptr() does it. Bounded, and it takes no lock: how a slot is claimed and given
 * back is its table's.
 */
#define for_each_tlbbatch_task_slot(slot, i, task, hash)		\
	for (i = 0, slot = (unsigned long)(task) * GOLDEN_RATIO_64 >> (hash).shift; \
	     i < TLBBATCH_TASK_PROBES;					\
	     i++, slot = (slot + 1) & (hash).mask)

#endif /* TLBBATCH_TASK_TABLE_H */
