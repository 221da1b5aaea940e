// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that make the list of a pass are asked for more pages.
 *
 *  shrink_lruvec()	only looked at: a call begins, which asks the lists of one lruvec
 *  isolate_lru_folios()	the classic LRU: shrink_lruvec() asks for 32 pages of an
 *				inactive list at most, and for fewer of a short one
 *  isolate_folios()		the multi-gen LRU: evict_folios() asks; on kernels where it
 *				passes on how many
 *
 * The last two are called with lruvec->lru_lock held, and interrupts off unless the kernel
 * is rt. So nothing is done here but arithmetic (rule W4). All else stays the kernel's:
 * what it takes, what it counts, and what becomes of the list.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/swap.h>
#include <linux/vmstat.h>
#include <tlbbatch/wide_stats.h>
#include "compat/ftrace_compat.h"
#include "core/counters.h"
#include "debug/debug.h"
#include "hooks/hook.h"
#include "kernel/symbols.h"
#include "pass/pass.h"
#include "targets.h"
#include "wide/wide_hooks.h"
#include "wide/wide_policy.h"

/* Section: counters */

enum counter {
#define X(upper, lower) upper,
	WIDE_COUNTERS(X)
#undef X
	NR_COUNTERS
};

struct counts {
	u64 value[NR_COUNTERS];
};

static DEFINE_PER_CPU(struct counts, counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	WIDE_COUNTERS(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_wide_counters = {
	.value = counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};

/* @asked: by the kernel; @wanted: of the original; @taken: what it took */
static void count(bool file, unsigned long asked, unsigned long wanted,
		  unsigned long taken)
{
	if (wanted > asked)
		this_cpu_inc(counts.value[PASSES_WIDENED]);
	else if (!wanted)
		this_cpu_inc(counts.value[ASKS_LEFT_OUT]);
	this_cpu_add(counts.value[PAGES_ASKED_ANON + file], asked);
	this_cpu_add(counts.value[PAGES_TAKEN_ANON + file], taken);
}

/* Section: how many pages */

/* Pages that a pass shall take at least; 0 if no pass is widened. */
static unsigned int pass_min;

/* The members of struct scan_control that are read. */
static u32 reclaim_idx_offset, call_target_offset;

#define SC_MEMBER(sc, name, type)	\
	(*(const type *)((const void *)(sc) + name##_offset))

/* The highest zone that @sc may reclaim from. */
static int last_zone(const struct scan_control *sc)
{
	return SC_MEMBER(sc, reclaim_idx, s8);
}

/**
 * tlbbatch_wide_set() - set how many pages a pass shall take at least
 * @pages: 0 to TLBBATCH_WIDE_MAX; 0 leaves passes as they are
 *
 * Rule W5: as many folios may wait in a batch.
 *
 * Context: process context; the mutex of the knob held.
 */
void tlbbatch_wide_set(unsigned int pages)
{
	WRITE_ONCE(pass_min, pages);
	WRITE_ONCE(tlbbatch_pass_width,
		   tlbbatch_wide_break(TLBBATCH_WIDE_BREAK_FOLLOW) ? 0 : pages);
}

/**
 * tlbbatch_wide_pages() - pages that a pass shall take at least
 *
 * Context: any.
 */
unsigned int tlbbatch_wide_pages(void)
{
	return READ_ONCE(pass_min);
}

/* Pages of a node that are in this state; the sum may be late, and below 0. */
static unsigned long node_pages(struct lruvec *lruvec, enum node_stat_item item)
{
	return max(atomic_long_read(&lruvec_pgdat(lruvec)->vm_stat[item]), 0L);
}

/*
 * Effective protection. Reclaim works it out on its way to each cgroup. At the cgroup that it
 * begins with there is none, and what these members say is of another reclaim.
 */
static bool is_protected(const struct mem_cgroup *memcg)
{
	return memcg && (READ_ONCE(memcg->memory.emin) || READ_ONCE(memcg->memory.elow));
}

static struct tlbbatch_wide_ask ask_for(struct lruvec *lruvec, unsigned long asked,
					const struct scan_control *sc,
					unsigned long list_pages)
{
	const struct mem_cgroup *memcg = lruvec_memcg(lruvec);
	bool is_one_of_many = memcg != SC_MEMBER(sc, call_target, struct mem_cgroup *);

	return (struct tlbbatch_wide_ask){
		.asked = asked,
		.pass_min = READ_ONCE(pass_min),
		.list_pages = tlbbatch_wide_break(TLBBATCH_WIDE_BREAK_SHARE) ?
			      ULONG_MAX : list_pages,
		.is_one_of_many = is_one_of_many,
		.is_protected = is_one_of_many && is_protected(memcg),
	};
}

/* An ask of a list of the classic LRU. The caller holds lru_lock. */
static struct tlbbatch_wide_ask ask_for_list(struct lruvec *lruvec, unsigned long asked,
					     const struct scan_control *sc,
					     enum lru_list lru)
{
	struct zone *zones = lruvec_pgdat(lruvec)->node_zones;
	unsigned long list_pages = 0, other_pages = 0;
	int zid, last = last_zone(sc);
	struct tlbbatch_wide_ask ask;

	for (zid = 0; zid < MAX_NR_ZONES; zid++) {
		unsigned long pages = mem_cgroup_disabled() ?
			zone_page_state(&zones[zid], NR_ZONE_LRU_BASE + lru) :
			mem_cgroup_get_zone_lru_size(lruvec, lru, zid);

		if (zid > last)
			other_pages += pages;
		else
			list_pages += pages;
	}
	ask = ask_for(lruvec, asked, sc, list_pages);
	ask.list = is_file_lru(lru);
	ask.other_pages = other_pages;
	ask.inactive = node_pages(lruvec, NR_LRU_BASE + lru);
	ask.isolated = node_pages(lruvec, NR_ISOLATED_ANON + is_file_lru(lru));
	return ask;
}

/*
 * An ask of all generations of the types that may be evicted. There, what is passed over counts
 * as scanned, and nobody waits for what is isolated. The caller holds lru_lock.
 */
static struct tlbbatch_wide_ask ask_for_generations(struct lruvec *lruvec,
						    unsigned long asked,
						    const struct scan_control *sc,
						    int swappiness)
{
	long pages = 0;
#ifdef CONFIG_LRU_GEN
	int zid, gen, type, last = last_zone(sc);

	/* More than 200 (MAX_SWAPPINESS) is a wish for anonymous pages only. */
	for (type = !swappiness; type <= (swappiness <= 200); type++)
		for (gen = 0; gen < MAX_NR_GENS; gen++)
			for (zid = 0; zid <= last; zid++)
				pages += lruvec->lrugen.nr_pages[gen][type][zid];
#endif
	return ask_for(lruvec, asked, sc, max(pages, 0L));
}

/* Section: what is remembered */

/*
 * Of calls of shrink_lruvec(), by task. A slot is for the task that asked last. Each task that
 * begins a call counts, so nothing is remembered of the call before. Where two tasks have
 * one slot, nothing is left out for what they got: each of their asks may be widened.
 */
#define SLOT_BITS	10

struct slot {
	atomic_t begun;
	unsigned long taken;
	const struct task_struct *task;
	int nr;
	struct tlbbatch_wide_call call;
};

static struct slot slots[1 << SLOT_BITS];

/*
 * Of lruvecs. A place is for the last one of those that share it. A new cgroup may get the memory
 * of a dead one, but not its serial number.
 */
#define PLACE_BITS	10

struct place {
	unsigned long taken;
	const struct lruvec *lruvec;
	u64 serial_nr;
	struct tlbbatch_wide_lists lists;
};

static struct place places[1 << PLACE_BITS];

static struct slot *slot_of_task(void)
{
	return &slots[hash_ptr(current, SLOT_BITS)];
}

/* @slot->taken is held, by the task that asks. */
static struct tlbbatch_wide_call *call_in(struct slot *slot)
{
	int nr = atomic_read(&slot->begun);

	if (slot->task != current || slot->nr != nr) {
		slot->call = (struct tlbbatch_wide_call){ };
		slot->task = current;
		slot->nr = nr;
	}
	return &slot->call;
}

/* @place->taken is held. A list of which nothing is known isn't widened. */
static unsigned int give_of(struct place *place, struct slot *slot, struct lruvec *lruvec,
			    const struct tlbbatch_wide_ask *ask)
{
	const struct mem_cgroup *memcg = lruvec_memcg(lruvec);
	u64 serial_nr = memcg ? memcg->css.serial_nr : 0;

	if (place->lruvec == lruvec && place->serial_nr == serial_nr)
		return tlbbatch_wide_give(call_in(slot), &place->lists, ask);
	place->lists = (struct tlbbatch_wide_lists){ };
	place->lruvec = lruvec;
	place->serial_nr = serial_nr;
	return ask->asked;
}

/*
 * How many pages an inactive list gives now. Nobody waits for a slot or a place: whoever
 * finds one taken gets what he asks for.
 */
static unsigned int give(struct lruvec *lruvec, const struct tlbbatch_wide_ask *ask)
{
	struct place *place = &places[hash_ptr(lruvec, PLACE_BITS)];
	struct slot *slot = slot_of_task();
	unsigned int pages = ask->asked;

	if (tlbbatch_wide_break(TLBBATCH_WIDE_BREAK_PLAIN))
		return tlbbatch_wide_target(ask);
	if (test_and_set_bit_lock(0, &slot->taken))
		return pages;
	if (!test_and_set_bit_lock(0, &place->taken)) {
		pages = give_of(place, slot, lruvec, ask);
		clear_bit_unlock(0, &place->taken);
	}
	clear_bit_unlock(0, &slot->taken);
	return pages;
}

/*
 * Remembers what came onto @folios for @ask. The list was empty: the caller of
 * isolate_lru_folios() has just made it.
 */
static void got(const struct list_head *folios, const struct tlbbatch_wide_ask *ask)
{
	unsigned long most = tlbbatch_wide_break(TLBBATCH_WIDE_BREAK_WHOLE) ?
			     ULONG_MAX : SWAP_CLUSTER_MAX;
	struct slot *slot = slot_of_task();
	struct folio *folio;
	unsigned int pages = 0;

	list_for_each_entry(folio, folios, lru)
		pages += min_t(unsigned long, folio_nr_pages(folio), most);
	if (test_and_set_bit_lock(0, &slot->taken))
		return;
	tlbbatch_wide_got(call_in(slot), ask, pages);
	clear_bit_unlock(0, &slot->taken);
}

/**
 * tlbbatch_wide_forget() - remember nothing of any lruvec, nor of any call
 *
 * Calls weren't looked at while the hooks were away.
 *
 * Context: any. A place that is in use at that moment isn't emptied.
 */
void tlbbatch_wide_forget(void)
{
	struct place *place;
	struct slot *slot;

	for (slot = slots; slot < slots + ARRAY_SIZE(slots); slot++)
		atomic_inc(&slot->begun);
	for (place = places; place < places + ARRAY_SIZE(places); place++) {
		if (test_and_set_bit_lock(0, &place->taken))
			continue;
		place->lruvec = NULL;
		clear_bit_unlock(0, &place->taken);
	}
}

/* Section: hooks */

static void notrace passes_shrink_lruvec(struct ftrace_regs *fregs)
{
	if (!tlbbatch_wide_break(TLBBATCH_WIDE_BREAK_STALE))
		atomic_inc(&slot_of_task()->begun);
}

static bool notrace acts_wide(unsigned long parent_ip)
{
	return READ_ONCE(pass_min);
}

typedef unsigned long tlbbatch_type_isolate_lru_folios(unsigned long nr_to_scan,
						       struct lruvec *lruvec,
						       struct list_head *dst,
						       unsigned long *nr_scanned,
						       struct scan_control *sc,
						       enum lru_list lru);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_isolate_lru_folios,
			tlbbatch_type_isolate_lru_folios);

/*
 * Rule W1: only the pages of an inactive list become a pass. Those of an active list
 * are to be aged: how many is the kernel's affair.
 */
static unsigned long
tlbbatch_hook_isolate_lru_folios(unsigned long nr_to_scan, struct lruvec *lruvec,
				 struct list_head *dst, unsigned long *nr_scanned,
				 struct scan_control *sc, enum lru_list lru)
{
	bool active = is_active_lru(lru);
	unsigned long wanted = nr_to_scan, taken;
	struct tlbbatch_wide_ask ask = { };

	if (!active || tlbbatch_wide_break(TLBBATCH_WIDE_BREAK_ACTIVE)) {
		ask = ask_for_list(lruvec, nr_to_scan, sc, lru);
		wanted = active ? tlbbatch_wide_target(&ask) : give(lruvec, &ask);
	}
	if (!wanted) {
		count(is_file_lru(lru), nr_to_scan, 0, 0);
		*nr_scanned = 0;
		return 0;
	}
	taken = static_call(tlbbatch_orig_isolate_lru_folios)(wanted, lruvec, dst,
							      nr_scanned, sc, lru);
	if (active)
		return taken;
	if (wanted > nr_to_scan)
		got(dst, &ask);
	count(is_file_lru(lru), nr_to_scan, wanted, taken);
	return taken;
}

typedef int tlbbatch_type_isolate_folios(unsigned long nr_to_scan,
					 struct lruvec *lruvec,
					 struct scan_control *sc, int swappiness,
					 struct list_head *list, int *isolated,
					 int *isolate_type, int *isolate_scanned);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_isolate_folios, tlbbatch_type_isolate_folios);

/*
 * The original chooses between anonymous and file pages by itself. It isolates 64 pages
 * (MIN_LRU_BATCH) and the rest of a large folio at most, whatever it is asked for. What is
 * more lets it pass over folios that it only sorts. It is called until it has scanned what was
 * asked for, so nothing has to be left out.
 */
static int tlbbatch_hook_isolate_folios(unsigned long nr_to_scan, struct lruvec *lruvec,
					struct scan_control *sc, int swappiness,
					struct list_head *list, int *isolated,
					int *isolate_type, int *isolate_scanned)
{
	unsigned long wanted = nr_to_scan;
	int scanned;

	/* MIN_LRU_BATCH */
	if (nr_to_scan < BITS_PER_LONG) {
		struct tlbbatch_wide_ask ask = ask_for_generations(lruvec, nr_to_scan, sc,
								   swappiness);

		wanted = tlbbatch_wide_target(&ask);
	}
	scanned = static_call(tlbbatch_orig_isolate_folios)(wanted, lruvec, sc, swappiness,
							    list, isolated, isolate_type,
							    isolate_scanned);
	/* Only then it says of which type. */
	if (*isolated)
		count(*isolate_type, nr_to_scan, wanted, *isolated);
	return scanned;
}

/* Section: tables */

#define PASSED(code, symbol, proto)	\
	{ .function = { symbol, proto }, .passes = passes_##code },

static const struct tlbbatch_target shrink_lruvec_targets[] = {
	TLBBATCH_TBL_hook_shrink_lruvec(PASSED)
	{ }
};

static const struct tlbbatch_target isolate_lru_folios_targets[] = {
	TLBBATCH_TBL_hook_isolate_lru_folios(TLBBATCH_TARGET)
	{ }
};

static const struct tlbbatch_target isolate_folios_targets[] = {
	TLBBATCH_TBL_hook_isolate_folios(TLBBATCH_TARGET)
	{ }
};

#define HOOK(name_, acts_)						\
	{								\
		TLBBATCH_TBL_hook_##name_##_is,				\
		.targets = name_##_targets,				\
		.acts = acts_,						\
	}

static struct tlbbatch_hook hooks[] = {
	HOOK(shrink_lruvec, NULL),
	HOOK(isolate_lru_folios, acts_wide),
	HOOK(isolate_folios, acts_wide),
};

struct tlbbatch_redirects tlbbatch_wide_redirects = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

/* A row above that has none in targets.tbl doesn't compile. This checks the reverse. */
#define COUNT(name, optional)	+ 1
static_assert(ARRAY_SIZE(hooks) == 0 TLBBATCH_TBL_wide_hook_names(COUNT));

#define MEMBER(name, tag, member, type)	\
	{ tag, member, type, &name##_offset, tag "." member " not found" },
#define FIELD(name, optional)		TLBBATCH_TBL_member_##name(MEMBER)

static const struct {
	const char *tag;
	const char *member;
	const char *type;
	u32 *offset;
	const char *what;
} members[] = {
	TLBBATCH_TBL_wide_member_names(FIELD)
};

/**
 * tlbbatch_wide_find() - find what wider passes need besides their hooks
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_wide_find(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++)
		if (!tlbbatch_member_offset(members[i].tag, members[i].member,
					    members[i].type, members[i].offset))
			return members[i].what;
	return NULL;
}
