/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of folios, reclaim's figures, nodes: what judging passes looks at. */
#ifndef SIM_FLUSHER_KERNEL_H
#define SIM_FLUSHER_KERNEL_H

#include "ftrace.h"

#define MAX_NUMNODES	4

enum wb_reason { WB_REASON_BACKGROUND, WB_REASON_VMSCAN, WB_REASON_SYNC };

struct pglist_data {
	int node_id;
};

struct reclaim_stat {
	unsigned int nr_dirty, nr_unqueued_dirty, nr_congested, nr_writeback, nr_immediate;
};

/* As 6.12 has it, between two others. */
struct scan_control {
	unsigned long nr_reclaimed;
	struct {
		unsigned int dirty, unqueued_dirty, congested, writeback, immediate, file_taken,
			     taken;
	} nr;
	unsigned long reclaim_state;
};

#include "folio_list.h"

#include "sysfs_types.h"

#endif /* SIM_FLUSHER_KERNEL_H */
