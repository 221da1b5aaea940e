/* SPDX-License-Identifier: GPL-2.0-only */
/* How an mm counts its pages. */
#ifndef TLBBATCH_COMPAT_RSS_H
#define TLBBATCH_COMPAT_RSS_H

#include <linux/mm.h>
#include <linux/percpu_counter.h>
#include "kernel/kernel_calls.h"
#include "probed.h"

/* Never defined: it gives the static call below its type. lazyfree.tbl has both. */
#ifdef TLBBATCH_HAVE_MM_RSS_PERCPU
void tlbbatch_type_lf_mm_trace_rss_stat(struct mm_struct *mm, int member);
#else
void tlbbatch_type_lf_mm_trace_rss_stat(struct mm_struct *mm, int member, long count);
#endif

/* Called, never hooked: tlbbatch_lazyfree_find() sets it. */
DECLARE_STATIC_CALL(tlbbatch_lf_mm_trace_rss_stat, tlbbatch_type_lf_mm_trace_rss_stat);

/* add_mm_counter(), whose trace event modules can't link. */
static inline void compat_sub_anon_rss(struct mm_struct *mm, long pages)
{
#ifdef TLBBATCH_HAVE_MM_RSS_PERCPU
	percpu_counter_add(&mm->rss_stat[MM_ANONPAGES], -pages);
	static_call(tlbbatch_lf_mm_trace_rss_stat)(mm, MM_ANONPAGES);
#else
	long count = atomic_long_sub_return(pages, &mm->rss_stat.count[MM_ANONPAGES]);

	static_call(tlbbatch_lf_mm_trace_rss_stat)(mm, MM_ANONPAGES, count);
#endif
}

#endif /* TLBBATCH_COMPAT_RSS_H */
