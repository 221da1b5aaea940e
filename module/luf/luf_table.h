/* SPDX-License-Identifier: GPL-2.0-only */
/* The open generations. */
#ifndef TLBBATCH_LUF_TABLE_H
#define TLBBATCH_LUF_TABLE_H

#include <linux/atomic.h>
#include <linux/types.h>
#include "luf/luf_files.h"
#include "luf/luf_generation.h"
#include "luf/luf_index.h"
#include "luf/luf_pages.h"
#include "luf/luf_slots.h"

int tlbbatch_luf_table_init(void);
void tlbbatch_luf_table_exit(void);
unsigned int tlbbatch_luf_open(const struct tlbbatch_luf_files *files,
			       const struct tlbbatch_luf_pages *pages,
			       const unsigned long *sent, const unsigned long *cpus);
void tlbbatch_luf_stillborn(enum tlbbatch_luf_reason reason);
void tlbbatch_luf_untracked(void);
void tlbbatch_luf_give_up_slot(unsigned int slot, const struct address_space *file,
			       enum tlbbatch_luf_reason reason);
void tlbbatch_luf_table_give_up(const struct address_space *file,
				enum tlbbatch_luf_reason reason);
void tlbbatch_luf_reuse(unsigned long pfn, unsigned int nr);
extern atomic64_t tlbbatch_luf_last;
u64 tlbbatch_luf_nr_open(enum tlbbatch_luf_model model);
unsigned int tlbbatch_luf_sweep(unsigned int from, unsigned int nr);
bool tlbbatch_luf_settle_shard(unsigned int shard);

/**
 * tlbbatch_luf_youngest() - the number of the youngest generation
 *
 * A flush that begins after this read covers all generations up to that number: each got
 * its number after its page table entries were cleared. The acquire pairs with the full
 * barrier of atomic64_inc_return() in next_number(), luf_table.c.
 *
 * Context: any.
 */
static inline u64 tlbbatch_luf_youngest(void)
{
	return atomic64_read_acquire(&tlbbatch_luf_last);
}

#endif /* TLBBATCH_LUF_TABLE_H */
