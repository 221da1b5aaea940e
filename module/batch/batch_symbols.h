/* SPDX-License-Identifier: GPL-2.0-only */
/* What batching needs of the running kernel besides its hooks, found at load. */
#ifndef TLBBATCH_BATCH_SYMBOLS_H
#define TLBBATCH_BATCH_SYMBOLS_H

#include <linux/types.h>

struct mem_cgroup;
struct scan_control;

const char *tlbbatch_batch_find(void);
bool tlbbatch_demotes(int nid);
struct mem_cgroup *tlbbatch_target_memcg(const struct scan_control *sc);
/* Only debug builds have these two. */
unsigned long tlbbatch_nr_to_reclaim(const struct scan_control *sc);
int tlbbatch_priority(const struct scan_control *sc);
int tlbbatch_pageout_success(void);

#endif /* TLBBATCH_BATCH_SYMBOLS_H */
