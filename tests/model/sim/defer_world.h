/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reclaim, its callers and whoever touches a file, while flushes are put off: for the tests of
 * deferral, each of which is a program with a world of its own.
 */
#ifndef SIM_DEFER_WORLD_H
#define SIM_DEFER_WORLD_H

#include <tlbbatch/defer_stats.h>
#include "hook_rules.h"
#include "core/counters.h"
#include "hooks/watch.h"
#include "luf/luf_check.h"
#include "luf/luf_defer.h"
#include "luf/luf_defer_counters.h"
#include "luf/luf_defer_events.h"
#include "luf/luf_defer_interest.h"
#include "luf/luf_defer_knobs.h"
#include "luf/luf_defer_owed.h"
#include "luf/luf_defer_pass.h"
#include "luf/luf_held.h"
#include "pass/flush_calls.h"
#include "pass/pass_calls.h"

#define NR_FOLIOS	520
#ifdef SIM_LISTS
#define LISTS		1
#else
#define LISTS		0
#endif
#define BLOCK		4096
#define EXT4		0xEF53
#define TMPFS		0x01021994
/* CPUs 1 and 2 read; this is CPU 0. */
#define READERS		((sim_cpus_t)6)

struct pglist_data sim_nodes[SIM_NODES];
void (*sim_at_writers)(void), (*sim_at_refs)(void);
bool sim_in_nmi;
struct sim_uts sim_uts = { UTS_RELEASE };
int sim_memory_nodes = SIM_NODES;
struct notifier_block *sim_oom, *sim_memory, *sim_pm;
unsigned int sim_notifiers = 100;

static struct super_block ext4 = { EXT4 }, __maybe_unused tmpfs = { TMPFS };
static struct inode inodes[2];
static struct address_space files[2];
static struct file opened[2];
static struct folio folios[NR_FOLIOS];
static struct reclaim_stat stat;
static unsigned int next, flushes, owed_flushes, early, demotes;
static bool extent_unknown;
static struct delayed_work *queued[4];

/* What reclaim makes of its folios, and what happens in the middle. */
static struct plan {
	unsigned int nr;
	struct address_space *file;
	unsigned int nr_pages, zone;
	/* of the folio with this number, from 1 */
	unsigned int anon, dirty, kept, referred, unseen, unbatched;
	unsigned int meanwhile_at;
	void (*meanwhile)(void);
	sim_cpus_t entries;
} plan;

/* With what isn't said: 20 folios of one page each, of the first file. */
static struct plan planned(struct plan with)
{
	with.nr = with.nr ?: 20;
	with.file = with.file ?: &files[0];
	with.nr_pages = with.nr_pages ?: 1;
	with.zone = SIM_ZONE_NORMAL;
	return with;
}

/* --- the kernel -------------------------------------------------------------------------- */

/* What a test wants to happen here, once. */
static void happens(void (**at)(void))
{
	void (*does)(void) = *at;

	*at = NULL;
	if (does)
		does();
}

bool inode_is_open_for_write(const struct inode *inode)
{
	unsigned int off = sim_preempt_off;
	bool writers = inode->writers > 0;

	/* On another CPU, which is in no callback. */
	sim_preempt_off = 0;
	happens(&sim_at_writers);
	sim_preempt_off = off;
	return writers;
}

int sim_refs(const struct folio *folio)
{
	happens(&sim_at_refs);
	return folio->refs;
}

int sim_register(struct notifier_block **at, struct notifier_block *block)
{
	if (!sim_notifiers)
		return -ENOMEM;
	sim_notifiers--;
	*at = block;
	return 0;
}

void mod_delayed_work(struct workqueue_struct *queue, struct delayed_work *work,
		      unsigned long delay)
{
	unsigned int i = 0;

	if (!sim_spinlocks_held)
		sim_breach("work is queued without its node's lock");
	while (i < ARRAY_SIZE(queued) && queued[i] && queued[i] != work)
		i++;
	queued[i] = work;
	work->queued = true;
	work->when = jiffies + delay;
}

void cancel_delayed_work_sync(struct delayed_work *work)
{
	work->queued = false;
}

/* So much time goes by. */
static void ms_pass(unsigned int ms)
{
	unsigned int i;

	jiffies += msecs_to_jiffies(ms);
	for (i = 0; i < ARRAY_SIZE(queued) && queued[i]; i++) {
		if (!queued[i]->queued || !time_after_eq(jiffies, queued[i]->when))
			continue;
		queued[i]->queued = false;
		queued[i]->work.func(&queued[i]->work);
	}
}

/* What of the first @nr folios they have. */
static void cpus_forget(const struct cpumask *cpus, unsigned int nr)
{
	unsigned int i, cpu;

	for (i = 0; i < nr; i++)
		for (cpu = 0; cpu < 8; cpu++)
			if (cpumask_test_cpu(cpu, cpus))
				folios[i].entries &= ~((sim_cpus_t)1 << cpu);
}

#ifdef SIM_LISTS
#define UNCHARGES	"__mem_cgroup_uncharge_list", uncharge, "void(struct list_head *)"
#define FREES		"free_unref_page_list", free_group, "void(struct list_head *)"
typedef struct list_head sim_group;
#define group_init	INIT_LIST_HEAD
#else
#define UNCHARGES	"__mem_cgroup_uncharge_folios", uncharge, "void(struct folio_batch *)"
#define FREES		"free_unref_folios", free_group, "void(struct folio_batch *)"
typedef struct folio_batch sim_group;
#define group_init	folio_batch_init
#endif

static noinline void uncharge(sim_group *group)
{
	barrier();
}

/* What another CPU does while a flush is under way, once. */
static void (*at_flush)(void);

/* The same, while folios are freed. */
static void (*at_free)(void);

/* The CPUs of the last flush. */
static unsigned long flushed;

static noinline void arch_flush(struct arch_tlbflush_unmap_batch *batch)
{
	unsigned int unmapped = next;

	barrier();
	if (sim_spinlocks_held)
		sim_breach("a flush under a lock");
	if (!sim_no_preempt && !sim_preempt_off)
		sim_breach("a flush that may be preempted, while others spin");
	happens(&at_flush);
	owed_flushes++;
	sim_note("owed_flush");
	flushed = batch->cpumask.bits[0];
	cpus_forget(&batch->cpumask, unmapped);
	cpumask_clear(&batch->cpumask);
}

static noinline void try_to_unmap_flush(void)
{
	barrier();
	if (!current->tlb_ubc.flush_required)
		return;
	flushes++;
	current->tlb_ubc.flush_required = current->tlb_ubc.writable = false;
	cpus_forget(&current->tlb_ubc.arch.cpumask, next);
	cpumask_clear(&current->tlb_ubc.arch.cpumask);
}

/* The page allocator. */
static noinline int alloc_iter(void *data, struct page *page, unsigned int order, unsigned int flags, int type)
{
	return 0;
}

static noinline int free_iter(void *data, struct page *page, unsigned int order)
{
	return 0;
}

static void sees_freed(struct folio *folio)
{
	void (*probe)(void *data, struct page *page, unsigned int order) =
		tlbbatch_luf_check_watches.points[1].probe;

	if (tlbbatch_luf_check.on)
		probe(NULL, &folio->page, 0);
}

static void are_allocated(struct folio *folio, unsigned int order)
{
	void (*probe)(void *data, struct page *page, unsigned int order, unsigned int flags, int type) =
		tlbbatch_luf_check_watches.points[0].probe;

	probe(NULL, &folio->page, order, 0, 0);
}

static void is_allocated(struct folio *folio)
{
	are_allocated(folio, 0);
}

/* Folios that are used again may get other frames. */
static unsigned long first_frame;

unsigned long page_to_pfn(const struct page *page)
{
	return first_frame + (unsigned long)((const struct folio *)page - folios);
}

static void free_folio(struct folio *folio)
{
	sees_freed(folio);
	early += !!(folio->entries & ~(sim_cpus_t)1);
	folio->freed++;
	happens(&at_free);
}

static noinline void free_group(sim_group *group)
{
#ifdef SIM_LISTS
	struct folio *folio, *after;

	list_for_each_entry_safe(folio, after, group, lru) {
		if (folio->large)
			sim_breach("a large folio in a list");
		list_del(&folio->lru);
		free_folio(folio);
	}
#else
	while (group->nr)
		free_folio(group->folios[--group->nr]);
#endif
}

/* Is the group full? Lists never are, and large folios go another way there. */
static bool add(sim_group *group, struct folio *folio)
{
#ifdef SIM_LISTS
	if (folio->large) {
		try_to_unmap_flush();
		free_folio(folio);
	} else {
		list_add_tail(&folio->lru, group->next);	/* at its front */
	}
	return false;
#else
	return !folio_batch_add(group, folio);
#endif
}

static noinline int try_to_unmap(struct folio *folio, unsigned long flags)
{
	barrier();
	current->tlb_ubc.arch.cpumask.bits[0] |= (unsigned long)folio->entries;
	current->tlb_ubc.flush_required = true;
	return 0;
}

/* What changes a file, further down. */
static noinline void mark_dirty(struct folio *folio, struct address_space *file, int warn)
{
	barrier();
}

static noinline bool dirty_folio(struct address_space *file, struct folio *folio)
{
	barrier();
	return true;
}

static noinline void cut_pages(struct inode *inode, long size)
{
	barrier();
}

static noinline int drop_pages(struct address_space *file, unsigned long from, unsigned long to)
{
	barrier();
	return 0;
}

static noinline void last_pages(struct address_space *file)
{
	barrier();
}

static noinline int file_open(struct file *file)
{
	barrier();
	return 0;
}

static noinline int change(void *map, struct dentry *dentry, struct iattr *attr)
{
	barrier();
	return 0;
}

static noinline int fault(struct vm_fault *vmf)
{
	barrier();
	return 0;
}

/* Private to the kernel. */
struct madvise_behavior {
	void *other;
	struct vm_area_struct *vma;
};

/* What happens while guards are made, once. */
static void (*at_guard)(void);

static noinline long guard(struct madvise_behavior *behavior)
{
	barrier();
	happens(&at_guard);
	return 17;
}

static noinline int isolate(unsigned long from, unsigned long to, int mode)
{
	barrier();
	return 0;
}

static noinline int isolated(unsigned long from, unsigned long to, int mode)
{
	barrier();
	return 0;
}

static noinline void *seek_range(unsigned long nr, unsigned int flags, int nid, void *mask)
{
	barrier();
	return NULL;
}

static noinline int traceiter(void *data, unsigned long nr, void *memcg)
{
	return 0;
}

static noinline int compact_iter(void *data, int order, unsigned int flags, int priority)
{
	return 0;
}

/* A call of reclaim ends: for a cgroup, or another. */
static void call_ends_at(unsigned int point)
{
	void (*probe)(void *data, unsigned long nr, void *memcg);

	probe = tlbbatch_defer_watches.points[point].probe;
	probe(NULL, 20, NULL);
}

static void call_ends(void)
{
	call_ends_at(0);
}

u32 sim_member_offset(const char *member)
{
	return !strcmp(member, "vma") ? offsetof(struct madvise_behavior, vma) : SIM_NO_MEMBER;
}

const char *tlbbatch_demotion_find(void)
{
	return NULL;
}

bool tlbbatch_demotes(int nid)
{
	return demotes;
}

static noinline __attribute__((section(".text.sorted.1"), aligned(BLOCK))) void reclaim(void)
{
	sim_group group;
	unsigned int i;

	group_init(&group);
	for (i = 1; i <= plan.nr; i++) {
		struct folio *folio = &folios[next++];

		*folio = (struct folio){
			.page = { { i, next } }, .index = i, .mapping = plan.file, .anon = i == plan.anon, .nr = plan.nr_pages,
			.large = plan.nr_pages > 1, .zone = plan.zone,
			.entries = plan.entries ?: READERS,
			.refs = i == plan.referred,
		};
		if (i == plan.unseen) {
			/* As if a hook had been left out. */
			current->tlb_ubc.arch.cpumask.bits[0] |= (unsigned long)READERS;
			current->tlb_ubc.flush_required = true;
		} else {
			try_to_unmap(folio, i == plan.unbatched ? 0 : TTU_BATCH_FLUSH);
		}
		current->tlb_ubc.writable |= i == plan.dirty;
		if (plan.meanwhile && i == plan.meanwhile_at)
			plan.meanwhile();
		if (i == plan.kept) {
			folio->freed = 1;
			continue;
		}
		if (!add(&group, folio))
			continue;
		uncharge(&group);
		try_to_unmap_flush();
		free_group(&group);
	}
	uncharge(&group);
	try_to_unmap_flush();
	free_group(&group);
}

static int extent(unsigned long addr, unsigned long *size, unsigned long *offset)
{
	*offset = addr - (unsigned long)reclaim;
	*size = BLOCK;
	return !extent_unknown;
}

/* --- what a test does ---------------------------------------------------------------------- */

static u64 counted(enum tlbbatch_defer_counter index)
{
	return tlbbatch_counter_read(&tlbbatch_defer_counters, index);
}

static void anew(void)
{
	unsigned int i;

	/* What a check that failed has left on lists. */
	if (tlbbatch_defer.on)
		tlbbatch_owed_release_all(DEFER_CAUSE_OFF);
	sim_forget();
	memset(folios, 0, sizeof(folios));
	next = flushes = owed_flushes = early = demotes = 0;
	plan = planned((struct plan){ 0 });
	for (i = 0; i < 2; i++) {
		inodes[i] = (struct inode){ .i_sb = &ext4, .i_mapping = &files[i] };
		files[i] = (struct address_space){ .host = &inodes[i] };
		opened[i] = (struct file){ .f_mapping = &files[i], .f_mode = FMODE_WRITE };
		sim_nodes[i].node_id = (int)i;
		sim_nodes[i].node_zones[SIM_ZONE_NORMAL] = (struct zone){ 100000, 1000, 1250, 1500 };
		sim_nodes[i].node_zones[SIM_ZONE_DMA] = (struct zone){ 100000, 10, 20, 30 };
	}
}

/* A pass by the plan. Returns the flushes that the kernel made in it. */
static unsigned int pass_on(unsigned int nid)
{
	unsigned int before = flushes;
	struct tlbbatch_pass *it;

	current = &reclaimer;
	it = tlbbatch_pass_enter(0) ? tlbbatch_pass_begin(&sim_nodes[nid], NULL, &stat) : NULL;
	reclaim();
	if (it)
		tlbbatch_pass_end(it, 0);
	current = &admin;
	return flushes - before;
}

static unsigned int pass(void)
{
	return pass_on(0);
}

/* Nothing is owed, no event matters, and each folio was freed once, and behind its flush. */
static bool all_well(void)
{
	unsigned int i;

	for (i = 0; i < next; i++)
		if (folios[i].freed != 1)
			return false;
	return !early && !tlbbatch_owed_held() && !reclaimer.tlb_ubc.flush_required &&
	       !tlbbatch_interest_in(tlbbatch_defer_hash(&files[0])) &&
	       !tlbbatch_interest_in(tlbbatch_defer_hash(&files[1])) &&
	       counted(DEFER_PAGES_HELD) == counted(DEFER_PAGES_RELEASED);
}

/* No CPU but this one has an entry of what was reclaimed. */
static bool none_stale(void)
{
	unsigned int i;

	for (i = 0; i < next; i++)
		if (folios[i].entries & ~(sim_cpus_t)1)
			return false;
	return true;
}

static bool settles(void)
{
	ms_pass(2000);
	return all_well();
}

static int write_knob(const struct kobj_attribute *attr, const char *text)
{
	return (int)attr->store(NULL, (void *)attr, text, strlen(text));
}

static void defer_world_init(void)
{
	hook_world_init();
	hook_world_has(UNCHARGES);
	hook_world_has("try_to_unmap_flush", try_to_unmap_flush, "void(void)");
	hook_world_has(FREES);
	hook_world_has("kallsyms_lookup_size_offset", extent,
		       "int(unsigned long, unsigned long *, unsigned long *)");
	hook_world_has("arch_tlbbatch_flush", arch_flush, "void(struct arch_tlbflush_unmap_batch *)");
	hook_world_has("try_to_unmap", try_to_unmap, "void(struct folio *, enum ttu_flags)");
	hook_world_has("security_file_open", file_open, "int(struct file *)");
	hook_world_has("notify_change", change,
		       "int(struct mnt_idmap *, struct dentry *, struct iattr *, struct delegated_inode *)");
	hook_world_has("finish_fault", fault, "vm_fault_t(struct vm_fault *)");
	hook_world_has("madvise_guard_install", guard, "long(struct madvise_behavior *)");
	hook_world_has("start_isolate_page_range", isolate,
		       "int(unsigned long, unsigned long, enum pb_isolate_mode)");
	hook_world_has("test_pages_isolated", isolated,
		       "int(unsigned long, unsigned long, enum pb_isolate_mode)");
	hook_world_has("alloc_contig_frozen_pages_noprof", seek_range,
		       "struct page *(unsigned long, gfp_t, int, nodemask_t *)");
	hook_world_has("__traceiter_mm_vmscan_direct_reclaim_end", traceiter,
		       "int(void *, unsigned long, struct mem_cgroup *)");
	hook_world_has("__traceiter_mm_vmscan_memcg_reclaim_end", traceiter,
		       "int(void *, unsigned long, struct mem_cgroup *)");
	hook_world_has("__traceiter_mm_compaction_try_to_compact_pages", compact_iter,
		       "int(void *, int, gfp_t, int)");
	hook_world_has("__traceiter_mm_page_alloc", alloc_iter,
		       "int(void *, struct page *, unsigned int, gfp_t, int)");
	hook_world_has("__traceiter_mm_page_free", free_iter,
		       "int(void *, struct page *, unsigned int)");
	hook_world_has("__folio_mark_dirty", mark_dirty,
		       "void(struct folio *, struct address_space *, int)");
	hook_world_has("filemap_dirty_folio", dirty_folio,
		       "bool(struct address_space *, struct folio *)");
	hook_world_has("truncate_pagecache", cut_pages, "void(struct inode *, loff_t)");
	hook_world_has("invalidate_inode_pages2_range", drop_pages,
		       "int(struct address_space *, unsigned long, unsigned long)");
	hook_world_has("truncate_inode_pages_final", last_pages, "void(struct address_space *)");
	sim_tracepoints("mm_vmscan_direct_reclaim_end", "mm_vmscan_memcg_reclaim_end", "mm_page_alloc",
			"mm_page_free", "mm_compaction_try_to_compact_pages");
}

#endif /* SIM_DEFER_WORLD_H */
