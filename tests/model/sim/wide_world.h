/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of pages, and a kernel that isolates them: see wide_world.c. */
#ifndef SIM_WIDE_WORLD_H
#define SIM_WIDE_WORLD_H

#include <tlbbatch/wide_stats.h>
#include "hook_rules.h"
#include "wide/wide.h"
#include "wide/wide_hooks.h"

#define ASKED	32UL
#define WIDE	256UL
#define MANY	100000UL

enum {
#define X(upper, lower) upper,
	WIDE_COUNTERS(X)
#undef X
};

extern struct pglist_data node;
extern struct mem_cgroup group, parent;
extern struct lruvec lruvec;
extern struct scan_control sc;
extern int swappiness;
extern bool finds_nothing;	/* isolate_folios() */
extern void (*during)(void);	/* what others do while the next isolate_lru_folios() runs, once */
extern unsigned int last_pages;	/* of its last folio */
extern unsigned long holds;	/* it takes so many at most */
extern const char *lacks;	/* a member that this kernel doesn't have */
extern unsigned long scanned;	/* what the last ask of a list of the classic LRU was told */

void shrink_lruvec(struct lruvec *of, struct scan_control *control);
unsigned long isolate_lru_folios(unsigned long nr, struct lruvec *of, struct list_head *dst,
				 unsigned long *nr_scanned, struct scan_control *control,
				 enum lru_list lru);

/* What the original is asked for, when the kernel asks for so many pages; 0 if it isn't called. */
unsigned long ask_for(unsigned long nr, enum lru_list lru);
unsigned long ask(enum lru_list lru);
unsigned long ask_generations_for(unsigned long nr);
unsigned long ask_generations(void);
/* In a new call of shrink_lruvec(). */
unsigned long ask_anew(enum lru_list lru);
/* Long lists in the lowest zone, of which something is known. All helps, and nobody protects. */
void fresh(enum lru_list lru);
ssize_t write_pass_min(const char *text);
u64 counted(unsigned int index);
/* All functions are there, and the module is loaded. */
void wide_world_init(void);

#endif /* SIM_WIDE_WORLD_H */
