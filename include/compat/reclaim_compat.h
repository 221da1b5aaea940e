/* SPDX-License-Identifier: GPL-2.0-only */
/* The shape of reclaim's own functions, kernel by kernel. */
#ifndef TLBBATCH_COMPAT_RECLAIM_H
#define TLBBATCH_COMPAT_RECLAIM_H

#include <linux/mm.h>

struct scan_control;

/* Up to 7.1 shrink_folio_list() is not told the memory cgroup. */
#define COMPAT_SHRINK_FOLIO_LIST_PROTO \
	"unsigned int(struct list_head *, struct pglist_data *, " \
	"struct scan_control *, struct reclaim_stat *, bool)"

#define COMPAT_SHRINK_PARAMS				\
	struct list_head *folio_list, struct pglist_data *pgdat,	\
	struct scan_control *sc, struct reclaim_stat *stat,		\
	bool ignore_references
#define COMPAT_SHRINK_ARGS	folio_list, pgdat, sc, stat, ignore_references

#endif /* TLBBATCH_COMPAT_RECLAIM_H */
