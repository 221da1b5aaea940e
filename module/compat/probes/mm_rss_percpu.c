// SPDX-License-Identifier: GPL-2.0-only
/* 6.2, f1a7941243c1 ("mm: convert mm's rss stats into percpu_counter"). */
#include <linux/mm.h>
#include <linux/percpu_counter.h>

void probe(struct mm_struct *mm)
{
	percpu_counter_add(&mm->rss_stat[MM_ANONPAGES], 1);
}
