/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists, zones and cgroups, and what else wider passes look at. */
#ifndef SIM_WIDE_KERNEL_H
#define SIM_WIDE_KERNEL_H

#include "ftrace.h"

#define CONFIG_LRU_GEN		1
#define MAX_NR_ZONES		4
#define MAX_NR_GENS		4
#define SWAP_CLUSTER_MAX	32UL

enum lru_list { LRU_INACTIVE_ANON, LRU_ACTIVE_ANON, LRU_INACTIVE_FILE, LRU_ACTIVE_FILE, NR_LRU };

#define is_file_lru(lru)	((lru) >= LRU_INACTIVE_FILE)
#define is_active_lru(lru)	((lru) & 1)

enum node_stat_item {
	NR_LRU_BASE, NR_ISOLATED_ANON = NR_LRU_BASE + NR_LRU, NR_ISOLATED_FILE, NR_NODE_ITEMS
};

#define NR_ZONE_LRU_BASE	0

typedef struct { long counter; } atomic_long_t;

#define atomic_long_read(v)	((v)->counter)

struct zone {
	unsigned long pages[NR_LRU];
};

struct pglist_data {
	struct zone node_zones[MAX_NR_ZONES];
	atomic_long_t vm_stat[NR_NODE_ITEMS];
};

struct mem_cgroup {
	struct {
		u64 serial_nr;
	} css;
	struct {
		unsigned long emin, elow;
	} memory;
};

struct lruvec {
	struct pglist_data *pgdat;
	struct mem_cgroup *memcg;
	unsigned long sizes[MAX_NR_ZONES][NR_LRU];
	struct {
		long nr_pages[MAX_NR_GENS][2][MAX_NR_ZONES];
	} lrugen;
};

extern bool sim_no_memcg;

#define lruvec_pgdat(lruvec)	((lruvec)->pgdat)
#define lruvec_memcg(lruvec)	((lruvec)->memcg)
#define mem_cgroup_disabled()	sim_no_memcg
#define zone_page_state(zone, item)	((zone)->pages[item])

/* Without the controller an lruvec isn't part of what has the sizes. */
static inline unsigned long mem_cgroup_get_zone_lru_size(struct lruvec *lruvec, enum lru_list lru,
							 int zid)
{
	if (sim_no_memcg)
		sim_breach("the size of a cgroup's list is read, and there are no cgroups");
	return lruvec->sizes[zid][lru];
}

struct scan_control {
	s8 reclaim_idx;
	struct mem_cgroup *target_mem_cgroup;
};

#include "folio_list.h"

/* Somebody else has the @nr-th bit lock that is asked for from now on; 0: none. */
extern unsigned int sim_bit_taken;

#define test_and_set_bit_lock(bit, map) ({					\
	bool _was = (sim_bit_taken && !--sim_bit_taken) || *(map) >> (bit) & 1;	\
	if (!_was)								\
		set_bit(bit, map);						\
	_was; })
#define clear_bit_unlock(bit, map)	clear_bit(bit, map)

/* --- sysfs ----------------------------------------------------------------------------- */

#include "sysfs_types.h"

#endif /* SIM_WIDE_KERNEL_H */
