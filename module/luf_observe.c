// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watch the kernel for LUF tracking: entries of functions by ftrace, and two
 * tracepoints; luf_returns.c watches two functions to their end. Off, nothing is
 * attached.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <compat/ftrace_compat.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/kernel_calls.h>
#include <tlbbatch/luf_observe.h>
#include <tlbbatch/luf_returns.h>
#include <tlbbatch/luf_table.h>
#include <tlbbatch/symbols.h>
#include "targets.h"

/* Section: entries of functions */

#define BY_IP_BITS	7

/* Open addressing, at most half full. */
static struct tlbbatch_luf_entry *by_ip[1 << BY_IP_BITS];

static unsigned int probe_ip(unsigned long ip, unsigned int i)
{
	return (hash_long(ip, BY_IP_BITS) + i) & ((1 << BY_IP_BITS) - 1);
}

static void notrace callback(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct tlbbatch_luf_entry *entry;
	unsigned int i;
	int bit;

	/* Recursion would be a function that is watched and called from here. */
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (WARN_ON_ONCE(bit < 0))
		return;
	for (i = 0; (entry = by_ip[probe_ip(ip, i)]); i++)
		if (entry->ip == ip)
			break;
	if (likely(entry))
		entry->see(fregs);
	ftrace_test_recursion_unlock(bit);
}

/* PERMANENT: ftrace_enabled=0 would make the answer a wrong one, silently (rule H6). */
static struct ftrace_ops ops = {
	.func = callback,
	.flags = FTRACE_OPS_FL_PERMANENT | COMPAT_FTRACE_OPS_FL,
};

static int resolve_entry(struct tlbbatch_luf_entry *entry)
{
	const struct tlbbatch_luf_watch *watch;
	const struct tlbbatch_function *near;
	unsigned long addr;
	unsigned int i;

	watch = tlbbatch_first_fit(entry->watches, NULL, &near);
	if (!watch)
		return -ENOENT;
	addr = tlbbatch_symbol_address(watch->function.symbol);
	entry->ip = static_call(tlbbatch_ftrace_location)(addr);
	if (!entry->ip)
		return -ENOENT;
	entry->see = watch->see;
	for (i = 0; by_ip[probe_ip(entry->ip, i)]; i++)
		;
	by_ip[probe_ip(entry->ip, i)] = entry;
	return 0;
}

static const char *resolve_entries(void)
{
	struct tlbbatch_luf_entry *entry;

	if (tlbbatch_luf_nr_entries > ARRAY_SIZE(by_ip) / 2)
		return "room for so many functions";
	for_each_tlbbatch_luf_entry(entry)
		if (resolve_entry(entry) && !entry->optional)
			return entry->name;
	return NULL;
}

static bool entries_attached;

static int attach_entries(void)
{
	struct tlbbatch_luf_entry *entry;
	int err = 0;

	for_each_tlbbatch_luf_entry(entry) {
		if (entry->ip)
			err = ftrace_set_filter_ip(&ops, entry->ip, 0, 0);
		if (err)
			break;
	}
	return tlbbatch_ops_register(&ops, err, &entries_attached);
}

/* Section: tracepoints */

static void tlbbatch_luf_probe_mm_page_alloc(void *data, struct page *page,
					     unsigned int order, gfp_t gfp,
					     int migratetype)
{
	tlbbatch_luf_seen_youngest();
	if (page && (order || !tlbbatch_luf_index_empty(page_to_pfn(page))))
		tlbbatch_luf_reuse(page_to_pfn(page), 1U << order);
}

#define EVENT(name, symbol, proto)					\
	{ symbol, "__traceiter_" symbol, proto, tlbbatch_luf_probe_##name },
#define POINT(name, optional)	TLBBATCH_TBL_trace_##name(EVENT)

static struct point {
	const char *name;
	const char *caller;
	const char *proto;
	void *probe;
	struct tracepoint *tracepoint;
} points[] = {
	TLBBATCH_TBL_luf_trace_names(POINT)
};

static void find_point(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(tracepoint->name, points[i].name))
			points[i].tracepoint = tracepoint;
}

static const char *resolve_points(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(find_point, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!points[i].tracepoint ||
		    !tlbbatch_symbol_matches(points[i].caller, points[i].proto))
			return points[i].name;
	return NULL;
}

static unsigned int points_attached;

/* Without memory a stub takes the place of the probe: this can't fail (rule H14). */
static void detach_points(void)
{
	while (points_attached) {
		const struct point *point = &points[--points_attached];

		tracepoint_probe_unregister(point->tracepoint, point->probe,
					    NULL);
	}
	tracepoint_synchronize_unregister();
}

static int attach_points(void)
{
	int err = 0;

	while (!err && points_attached < ARRAY_SIZE(points)) {
		const struct point *point = &points[points_attached];

		err = tracepoint_probe_register(point->tracepoint, point->probe,
						NULL);
		if (!err)
			points_attached++;
	}
	return err;
}

static const char *returns_missing(void)
{
	const char *reason = tlbbatch_luf_redirects.unavailable;

	return reason[0] ? reason : NULL;
}

/**
 * tlbbatch_luf_resolve() - find all that must be watched
 *
 * Context: process context, at load; symbols found and BTF open.
 * Return: what is missing, or NULL.
 */
const char *tlbbatch_luf_resolve(void)
{
	if (tlbbatch_symbols_missing())
		return tlbbatch_symbols_missing();
	tlbbatch_redirects_resolve(&tlbbatch_luf_redirects, NULL);
	return tlbbatch_luf_events_resolve() ?: resolve_entries() ?:
	       returns_missing() ?: resolve_points();
}

/**
 * tlbbatch_luf_attach() - begin to watch
 *
 * Rule L18: passes begin to be seen last, when all that can end a generation is watched.
 *
 * Context: process context, may sleep; tables made.
 * Return: 0, or what registering returned; what is attached then must be detached.
 */
int tlbbatch_luf_attach(void)
{
	return attach_points() ?: tlbbatch_redirects_attach(&tlbbatch_luf_redirects) ?:
	       attach_entries();
}

/**
 * tlbbatch_luf_detach() - stop
 *
 * Nobody is in a probe, a replacement or a callback when it returns: ftrace waits for
 * RCU-tasks where tasks can be preempted, the others for RCU (rule H13). No step of it
 * needs memory (rule H14).
 *
 * Context: process context, may sleep, for seconds under load; no generation begins
 *	any more.
 * Return: 0, or an error of ftrace, which is dead then; may be tried again.
 */
int tlbbatch_luf_detach(void)
{
	int err = tlbbatch_redirects_detach(&tlbbatch_luf_redirects) ?:
		  tlbbatch_ops_unregister(&ops, &entries_attached);

	if (err)
		return err;
	/* Who left wait_for_bulk()'s count may still be on its last instructions. */
	synchronize_rcu_tasks();
	detach_points();
	return 0;
}
