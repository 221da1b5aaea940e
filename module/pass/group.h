/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What reclaim is about to free: a group of folios, in an array. Up to 6.9 it is all that a
 * pass frees, in a list.
 */
#ifndef TLBBATCH_GROUP_H
#define TLBBATCH_GROUP_H

#include <linux/list.h>
#include <linux/types.h>

struct folio;
struct folio_batch;
struct tlbbatch_hook;
struct tlbbatch_pass;

/**
 * struct tlbbatch_group - a group of folios
 * @batch: the array; or NULL
 * @list: the list, from the last folio to the first; or NULL
 */
struct tlbbatch_group {
	struct folio_batch *batch;
	struct list_head *list;
};

/**
 * struct tlbbatch_group_walk - where a walk of a group is
 * @group: the group
 * @at: the folio's entry, of a list
 * @next: the entry that comes next
 * @index: the folio's place, of an array
 */
struct tlbbatch_group_walk {
	const struct tlbbatch_group *group;
	struct list_head *at;
	struct list_head *next;
	unsigned int index;
};

struct folio *tlbbatch_group_first(struct tlbbatch_group_walk *walk,
				   const struct tlbbatch_group *group);
struct folio *tlbbatch_group_next(struct tlbbatch_group_walk *walk);
void tlbbatch_group_take(const struct tlbbatch_group_walk *walk, struct list_head *folios);
void tlbbatch_group_close(const struct tlbbatch_group *group);

/* In the order in which the group was filled. */
#define for_each_tlbbatch_group_folio(folio, group, walk)		\
	for (folio = tlbbatch_group_first(walk, group); folio;		\
	     folio = tlbbatch_group_next(walk))

bool tlbbatch_group_claim(struct tlbbatch_pass *pass, struct tlbbatch_group *group);
void tlbbatch_group_free(struct list_head *folios);
bool tlbbatch_groups_are_arrays(void);
const char *tlbbatch_groups_find(void);
const char *tlbbatch_groups_unfit(void);

extern struct tlbbatch_hook tlbbatch_group_hook;

#endif /* TLBBATCH_GROUP_H */
