/* SPDX-License-Identifier: GPL-2.0-only */
/* Slots of the table of generations, in parts for a few CPUs each. */
#ifndef TLBBATCH_LUF_SLOTS_H
#define TLBBATCH_LUF_SLOTS_H

#include <linux/types.h>
#include "luf/luf_size.h"

struct llist_node;

void tlbbatch_luf_slots_init(void);
unsigned int tlbbatch_luf_nr_shards(void);
unsigned int tlbbatch_luf_my_shard(void);
unsigned int tlbbatch_luf_shard_of(unsigned int slot);
unsigned int tlbbatch_luf_take_slot(void);
unsigned int tlbbatch_luf_next_used(unsigned int slot);
unsigned int tlbbatch_luf_my_first_slot(void);
bool tlbbatch_luf_slots_tight(unsigned int slot);
void tlbbatch_luf_slot_owes(unsigned int slot, struct llist_node *node);
void tlbbatch_luf_slot_over(unsigned int slot, struct llist_node *node);
bool tlbbatch_luf_slots_reap(unsigned int shard,
			     void (*settle)(struct llist_node *node),
			     void (*free)(struct llist_node *node));
void tlbbatch_luf_give_back(unsigned int slot);

#endif /* TLBBATCH_LUF_SLOTS_H */
