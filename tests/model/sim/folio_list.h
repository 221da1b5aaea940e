/* SPDX-License-Identifier: GPL-2.0-only */
/* Folios that are in a list, for those who go through the list of a pass. */
#ifndef SIM_FOLIO_LIST_H
#define SIM_FOLIO_LIST_H

struct list_head {
	struct list_head *next;
};

struct folio {
	struct list_head lru;
	unsigned long nr_pages;
};

#define folio_nr_pages(folio)	((folio)->nr_pages)
#define list_for_each_entry(at, head, member)					\
	for (at = (void *)((char *)(head)->next - offsetof(__typeof__(*at), member)); \
	     &at->member != (head);						\
	     at = (void *)((char *)at->member.next - offsetof(__typeof__(*at), member)))

#endif /* SIM_FOLIO_LIST_H */
