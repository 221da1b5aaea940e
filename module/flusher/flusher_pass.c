// SPDX-License-Identifier: GPL-2.0-only
/*
 * Judges passes of the multi-gen LRU by what reclaim has counted, and wakes the flushers.
 * handle_reclaim_writeback() of 7.2 does the same. It runs where that one does: after
 * shrink_folio_list(), which ends with its flush, with no lock held.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/percpu.h>
#include <linux/static_call.h>
#include <linux/vmstat.h>
#include <linux/writeback.h>
#include <tlbbatch/flusher_stats.h>
#include "core/counters.h"
#include "debug/debug.h"
#include "flusher/flusher_pass.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "pass/pass.h"
#include "targets.h"

/* Section: counters */

enum counter {
#define X(upper, lower) upper,
	FLUSHER_COUNTERS(X)
#undef X
	NR_COUNTERS
};

struct counts {
	u64 value[NR_COUNTERS];
};

static DEFINE_PER_CPU(struct counts, counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	FLUSHER_COUNTERS(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_flusher_counters = {
	.value = counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};

#define COUNT(counter, n)	this_cpu_add(counts.value[counter], n)

/* Section: what is looked for in the kernel */

#define DEFINE_CALL(name, optional)					\
	DEFINE_STATIC_CALL_NULL(tlbbatch_##name, tlbbatch_type_##name);
TLBBATCH_TBL_flusher_call_names(DEFINE_CALL)

#define CALL(name, optional)						\
	TLBBATCH_HELPER(TLBBATCH_TBL_call_##name, tlbbatch_##name)

static const struct tlbbatch_helper helpers[] = {
	TLBBATCH_TBL_flusher_call_names(CALL)
};

static char missing[TLBBATCH_REASON_LEN];

/* The function that makes passes of the multi-gen LRU. */
static unsigned long evict_start, evict_size;

/* The members of scan_control.nr; the first one only tells one kernel from another. */
static u32 nr_unqueued_dirty_offset, nr_dirty_offset, nr_congested_offset;
static u32 nr_writeback_offset, nr_immediate_offset, nr_taken_offset;

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
	TLBBATCH_TBL_flusher_member_names(FIELD)
};

#define SYMBOL_OF(name, symbol, proto)	symbol
#define PROTO_OF(name, symbol, proto)	proto

static bool matches(const char *proto)
{
	return tlbbatch_symbol_matches(TLBBATCH_TBL_sign_evict_folios(SYMBOL_OF), proto);
}

/* Rule D6: where there is nothing to do, or where it would be done to no avail. */
static const char *not_needed(void)
{
	if (!tlbbatch_kernel_has(members[0].tag, members[0].member))
		return "this kernel judges each pass by itself";
	if (matches(TLBBATCH_TBL_sign_evict_folios_6_1(PROTO_OF)))
		return "this kernel keeps dirty file pages out of passes";
	return NULL;
}

static const char *find_evict(void)
{
	const char *name = TLBBATCH_TBL_sign_evict_folios(SYMBOL_OF);
	unsigned long offset;

	evict_start = tlbbatch_symbol_address(name);
	if (!tlbbatch_is_kernel_text(evict_start) ||
	    !static_call(tlbbatch_kallsyms_lookup_size_offset)(evict_start, &evict_size,
							       &offset))
		return TLBBATCH_TBL_sign_evict_folios(SYMBOL_OF) " not found";
	/* Rule D1: passes would begin in another function, too. */
	if (tlbbatch_is_cloned(name))
		return TLBBATCH_TBL_sign_evict_folios(SYMBOL_OF) " is here twice";
	if (tlbbatch_symbol_check(name, TLBBATCH_TBL_sign_evict_folios(PROTO_OF), missing,
				  sizeof(missing)))
		return missing;
	return NULL;
}

/**
 * tlbbatch_flusher_find() - find what judging passes needs
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or why it needs none of this; or NULL.
 */
const char *tlbbatch_flusher_find(void)
{
	const char *why = not_needed();
	unsigned int i;

	if (why)
		return why;
	if (!tlbbatch_helpers_resolve(helpers, ARRAY_SIZE(helpers), missing, sizeof(missing)))
		return missing;
	for (i = 0; i < ARRAY_SIZE(members); i++)
		if (!tlbbatch_member_offset(members[i].tag, members[i].member,
					    members[i].type, members[i].offset))
			return members[i].what;
	return find_evict();
}

/* Section: what is done in a pass */

static enum tlbbatch_flusher_mode flusher_mode;

/* By node, in jiffies: when the flushers were woken for it last. */
static unsigned long woken[MAX_NUMNODES];

/**
 * struct part - what is remembered of a pass
 * @mode: what is done with it; TLBBATCH_FLUSHER_OFF if it isn't one to be judged
 * @taken: its pages
 */
struct part {
	enum tlbbatch_flusher_mode mode;
	unsigned int taken;
};

struct tlbbatch_pass_part tlbbatch_flusher_part = {
	.size = sizeof(struct part),
	.unseen = &counts.value[PASSES_UNSEEN],
};

/**
 * tlbbatch_flusher_get() - what is done with passes that begin now
 *
 * Context: any.
 */
enum tlbbatch_flusher_mode tlbbatch_flusher_get(void)
{
	return READ_ONCE(flusher_mode);
}

/**
 * tlbbatch_flusher_set() - set what is done with passes that begin from now on
 * @mode: what
 *
 * Context: process context; the mutex of the knob held.
 */
void tlbbatch_flusher_set(enum tlbbatch_flusher_mode mode)
{
	unsigned int nid;

	/* None was woken yet. */
	if (!tlbbatch_flusher_get())
		for (nid = 0; nid < ARRAY_SIZE(woken); nid++)
			WRITE_ONCE(woken[nid], jiffies -
				   msecs_to_jiffies(TLBBATCH_FLUSHER_INTERVAL_MS));
	WRITE_ONCE(flusher_mode, mode);
}

/*
 * Rule D1. Passes of the classic LRU are judged by the kernel. Others, such as those of
 * MADV_PAGEOUT, say nothing of what reclaim meets.
 */
static bool is_eviction(const struct tlbbatch_pass *pass)
{
	return pass->caller - evict_start < evict_size ||
	       tlbbatch_flusher_break(TLBBATCH_FLUSHER_BREAK_CALLER);
}

/**
 * tlbbatch_flusher_begin() - a pass begins
 * @pass: the pass
 *
 * Its pages are counted now. shrink_folio_list() frees some of them. A pass of evict_folios()
 * has 64 pages and the rest of a large folio at most.
 *
 * Context: reclaim, before the original.
 */
void tlbbatch_flusher_begin(struct tlbbatch_pass *pass)
{
	struct part *part = tlbbatch_pass_memory(pass, &tlbbatch_flusher_part);
	struct folio *folio;

	part->mode = TLBBATCH_FLUSHER_OFF;
	part->taken = 0;
	if (!is_eviction(pass))
		return;
	part->mode = tlbbatch_flusher_get();
	list_for_each_entry(folio, pass->folios, lru)
		part->taken += folio_nr_pages(folio);
}

/* Rule D3. Of several tasks that come at once, one wakes the flushers for all. */
static bool may_wake(int nid)
{
	unsigned long now = jiffies, last = READ_ONCE(woken[nid]);

	if (tlbbatch_flusher_break(TLBBATCH_FLUSHER_BREAK_EVERY) ||
	    tlbbatch_flusher_break(TLBBATCH_FLUSHER_BREAK_RATE))
		return true;
	return tlbbatch_flusher_due(now, last,
				    msecs_to_jiffies(TLBBATCH_FLUSHER_INTERVAL_MS)) &&
	       cmpxchg(&woken[nid], last, now) == last;
}

/* Rule D4: each pass that is all dirty is counted once more, by what comes of it. */
static void judge(int nid, unsigned int taken, unsigned int unqueued)
{
	if (tlbbatch_flusher_all_dirty(taken, unqueued))
		COUNT(PASSES_ALL_DIRTY, 1);
	else if (!tlbbatch_flusher_break(TLBBATCH_FLUSHER_BREAK_EVERY))
		return;
	if (!may_wake(nid)) {
		COUNT(WAKEUPS_LIMITED, 1);
		return;
	}
	COUNT(WAKEUPS, 1);
	static_call(tlbbatch_wakeup_flusher_threads)(WB_REASON_VMSCAN);
}

#define ADD(sc, name, pages)	\
	(*(unsigned int *)((void *)(sc) + name##_offset) += (pages))

/*
 * Rule D5. These are what shrink_inactive_list() adds, but for two that evict_folios() and
 * scan_folios() add by themselves.
 */
static void account(struct scan_control *sc, const struct reclaim_stat *stat,
		    unsigned int taken)
{
	ADD(sc, nr_dirty, stat->nr_dirty);
	ADD(sc, nr_congested, stat->nr_congested);
	ADD(sc, nr_writeback, stat->nr_writeback);
	ADD(sc, nr_immediate, stat->nr_immediate);
	ADD(sc, nr_taken, taken);
}

/**
 * tlbbatch_flusher_end() - a pass is over
 * @pass: the pass
 *
 * Context: reclaim, after the original; no lock held.
 */
void tlbbatch_flusher_end(struct tlbbatch_pass *pass)
{
	const struct part *part = tlbbatch_pass_memory(pass, &tlbbatch_flusher_part);
	const struct reclaim_stat *stat = pass->stat;

	if (part->mode == TLBBATCH_FLUSHER_OFF)
		return;
	COUNT(PASSES, 1);
	COUNT(PAGES_TAKEN, part->taken);
	COUNT(PAGES_UNQUEUED, stat->nr_unqueued_dirty);
	COUNT(PAGES_WRITEBACK, stat->nr_writeback);
	COUNT(PAGES_CONGESTED, stat->nr_congested);
	judge(pass->pgdat->node_id, part->taken, stat->nr_unqueued_dirty);
	if (part->mode == TLBBATCH_FLUSHER_ACCOUNT)
		account(pass->sc, stat, part->taken);
}
