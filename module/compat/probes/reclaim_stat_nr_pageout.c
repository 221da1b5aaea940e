// SPDX-License-Identifier: GPL-2.0-only
/* Removed in 7.3, which takes the cost of writes from NR_VMSCAN_WRITE of each lruvec. */
#include <linux/mm.h>
#include <linux/vmstat.h>

unsigned int probe(const struct reclaim_stat *stat)
{
	return stat->nr_pageout;
}
