// SPDX-License-Identifier: GPL-2.0-only
/* 7.0 or so, since when the events of reclaim name the memory cgroup. */
#include <trace/events/vmscan.h>

void probe(void)
{
	trace_mm_vmscan_direct_reclaim_end(0, NULL);
}
