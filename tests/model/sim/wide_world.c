// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that isolates pages, of lists as long as a test likes. */
#include "wide_world.h"
#include "wide/wide.h"

bool sim_no_memcg;
unsigned int sim_bit_taken;
struct pglist_data node;
struct mem_cgroup group, parent;
struct lruvec lruvec;
struct scan_control sc;
static unsigned long reached;
int swappiness = 60;
bool finds_nothing;
unsigned int last_pages = 1;
void (*during)(void);
unsigned long scanned, holds = ULONG_MAX;
const char *lacks;

u32 sim_member_offset(const char *member)
{
	if (lacks && !strcmp(member, lacks))
		return SIM_NO_MEMBER;
	return strcmp(member, "reclaim_idx") ? offsetof(struct scan_control, target_mem_cgroup) :
					       offsetof(struct scan_control, reclaim_idx);
}

/* --- the kernel -------------------------------------------------------------------------- */

noinline void shrink_lruvec(struct lruvec *of, struct scan_control *control)
{
	barrier();
}

noinline unsigned long isolate_lru_folios(unsigned long nr, struct lruvec *of,
					  struct list_head *dst, unsigned long *nr_scanned,
					  struct scan_control *control, enum lru_list lru)
{
	static struct folio folios[512];
	void (*does)(void) = during;
	unsigned long i;

	during = NULL;
	if (does)
		does();
	for (i = 0; i < nr; i++) {
		folios[i] = (struct folio){ .lru = { dst->next },
					    .nr_pages = i == nr - 1 ? last_pages : 1 };
		dst->next = &folios[i].lru;
	}
	*nr_scanned = reached = nr;
	return min(nr, holds);
}

static noinline int isolate_folios(unsigned long nr, struct lruvec *of,
				   struct scan_control *control, int wish,
				   struct list_head *list, int *isolated, int *type,
				   int *nr_scanned)
{
	*isolated = finds_nothing ? 0 : (int)nr;
	*nr_scanned = (int)nr;
	/* As in the kernel: only then it says of which type. */
	if (*isolated)
		*type = 1;
	reached = nr;
	return (int)nr;
}

unsigned long ask_for(unsigned long nr, enum lru_list lru)
{
	struct list_head dst = { &dst };

	reached = 0;
	isolate_lru_folios(nr, &lruvec, &dst, &scanned, &sc, lru);
	return reached;
}

unsigned long ask(enum lru_list lru)
{
	return ask_for(ASKED, lru);
}

unsigned long ask_generations_for(unsigned long nr)
{
	struct list_head list = { &list };
	int isolated, type = 0, nr_scanned;

	reached = 0;
	isolate_folios(nr, &lruvec, &sc, swappiness, &list, &isolated, &type,
		       &nr_scanned);
	return reached;
}

unsigned long ask_generations(void)
{
	return ask_generations_for(ASKED);
}

unsigned long ask_anew(enum lru_list lru)
{
	shrink_lruvec(&lruvec, &sc);
	return ask(lru);
}

void fresh(enum lru_list lru)
{
	memset(&node, 0, sizeof(node));
	memset(&lruvec, 0, sizeof(lruvec));
	memset(&group, 0, sizeof(group));
	lruvec.pgdat = &node;
	lruvec.memcg = &group;
	lruvec.sizes[0][lru] = MANY;
	node.node_zones[0].pages[lru] = MANY;
	node.vm_stat[NR_LRU_BASE + lru].counter = MANY;
	sc = (struct scan_control){ .reclaim_idx = 1, .target_mem_cgroup = &group };
	tlbbatch_wide_forget();
	ask(lru);
}

ssize_t write_pass_min(const char *text)
{
	struct kobj_attribute *attr = (void *)tlbbatch_wide_files.group->attrs[0];

	return attr->store(NULL, attr, text, strlen(text));
}

u64 counted(unsigned int index)
{
	return tlbbatch_counter_read(&tlbbatch_wide_counters, index);
}

void wide_world_init(void)
{
	hook_world_init();
	hook_world_has("shrink_lruvec", shrink_lruvec,
		       "void(struct lruvec *, struct scan_control *)");
	hook_world_has("isolate_lru_folios", isolate_lru_folios,
		       "unsigned long(unsigned long, struct lruvec *, struct list_head *, unsigned long *, struct scan_control *, enum lru_list)");
	hook_world_has("isolate_folios", isolate_folios,
		       "int(unsigned long, struct lruvec *, struct scan_control *, int, struct list_head *, int *, int *, int *)");
	ok_int(sim_load(), 0, "it loads");
	ok_str(tlbbatch_wide.unavailable, "", "passes can be widened");
}
