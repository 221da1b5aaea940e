/* SPDX-License-Identifier: GPL-2.0-only */
/* Folios, groups of folios, and a node: what holding looks at. */
#ifndef SIM_HOLD_KERNEL_H
#define SIM_HOLD_KERNEL_H

#include "ftrace.h"

typedef struct pglist_data {
	int node_id;
} pg_data_t;

typedef struct { unsigned long bits; } nodemask_t;

struct reclaim_stat {
	unsigned int nr;
};

struct list_head {
	struct list_head *next, *prev;
};

struct folio {
	struct list_head lru;
	unsigned long nr_pages;
	int refs;
	/* unmapped and not flushed; freed so often */
	bool stale;
	unsigned int freed;
};

#define folio_nr_pages(folio)	((folio)->nr_pages)
#define folio_ref_count(folio)	((folio)->refs)

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	entry->next = head;
	entry->prev = head->prev;
	head->prev->next = entry;
	head->prev = entry;
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	entry->next = entry->prev = NULL;
}

static inline void list_move_tail(struct list_head *entry, struct list_head *head)
{
	list_del(entry);
	list_add_tail(entry, head);
}

#define list_entry(at, type, member)	((type *)((char *)(at) - offsetof(type, member)))
#define list_entry_(at, type)		list_entry(at, type, lru)
#define LIST_HEAD(name)			struct list_head name = { &(name), &(name) }
#define list_for_each_entry_safe(at, after, head, member)			\
	for (at = list_entry_((head)->next, __typeof__(*at)),			\
	     after = list_entry_(at->member.next, __typeof__(*at));		\
	     &at->member != (head);						\
	     at = after, after = list_entry_(at->member.next ?: (head), __typeof__(*at)))

#define FOLIO_BATCH_SIZE	31

struct folio_batch {
	unsigned char nr;
	struct folio *folios[FOLIO_BATCH_SIZE];
};

static inline void folio_batch_init(struct folio_batch *batch)
{
	batch->nr = 0;
}

#define folio_batch_reinit(batch)	folio_batch_init(batch)
#define folio_batch_count(batch)	((batch)->nr)

static inline unsigned int folio_batch_add(struct folio_batch *batch, struct folio *folio)
{
	batch->folios[batch->nr++] = folio;
	return FOLIO_BATCH_SIZE - batch->nr;
}

/* Where batching frees; nothing of holding goes there. */
struct page;
#define release_pages(pages, nr)	sim_breach("a held folio is put")

extern bool sim_off_stack, sim_no_memcg;
#define object_is_on_stack(object)	(!sim_off_stack)
#define mem_cgroup_disabled()		sim_no_memcg

#include "sysfs_types.h"

#endif /* SIM_HOLD_KERNEL_H */
