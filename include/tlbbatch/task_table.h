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
 * for_each_tlbbatch_task_slot() - the slots that may be a task's
 * @slot: the slot's number
 * @i: counts them
 * @task: the task
 * @bits: the table has 1 << @bits slots
 *
 * Bounded, and it takes no lock: how a slot is claimed and given back is its table's.
 */
#define for_each_tlbbatch_task_slot(slot, i, task, bits)		\
	for (i = 0, slot = hash_ptr(task, bits);			\
	     i < TLBBATCH_TASK_PROBES;					\
	     i++, slot = (slot + 1) & (BIT(bits) - 1))

#endif /* TLBBATCH_TASK_TABLE_H */
