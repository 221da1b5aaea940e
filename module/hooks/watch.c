// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches entries of functions, by ftrace, and tracepoints. Nothing is attached for a
 * feature that is off. Detaching needs no memory (rule H14).
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/ftrace.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "compat/ftrace_compat.h"
#include "hooks/hook.h"
#include "hooks/ip_hash.h"
#include "hooks/watch.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"

/* Section: entries of functions */

/*
 * KCSAN leaves this out, as it does all of kernel/trace. The recursion lock is bits of the
 * task. An interrupt may set another bit meanwhile, and clears it before it ends.
 */
static void notrace __no_kcsan watch_callback(unsigned long ip, unsigned long parent_ip,
					      struct ftrace_ops *ops,
					      struct ftrace_regs *fregs)
{
	struct tlbbatch_sites *sites = ops->private;
	const struct tlbbatch_entry *entry;
	int bit;

	/* This fails only if a watched function is called from here, and none is. */
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (WARN_ON_ONCE(bit < 0))
		return;
	entry = tlbbatch_ip_find(sites->by_ip, TLBBATCH_WATCH_BITS, ip);
	if (likely(entry))
		entry->see(fregs);
	ftrace_test_recursion_unlock(bit);
}

/* -ENOENT: the kernel has no such function. Other errors: it has one that can't be watched. */
static int resolve_entry(struct tlbbatch_sites *sites, struct tlbbatch_entry *entry)
{
	const struct tlbbatch_watched *watched;
	const struct tlbbatch_function *near;
	unsigned long addr, ip;

	watched = tlbbatch_first_fit(entry->alternatives, NULL, &near);
	if (!watched)
		return near ? -EINVAL : -ENOENT;
	if (tlbbatch_is_cloned(watched->function.symbol))
		return -EINVAL;
	addr = tlbbatch_symbol_address(watched->function.symbol);
	ip = static_call(tlbbatch_ftrace_location)(addr);
	if (!ip)
		return -EINVAL;
	if (tlbbatch_ip_find(sites->by_ip, TLBBATCH_WATCH_BITS, ip))
		return -EEXIST;
	entry->see = watched->see;
	if (!tlbbatch_ip_add(sites->by_ip, TLBBATCH_WATCH_BITS, ip, entry))
		return -ENOSPC;
	sites->ips[sites->nr++] = ip;
	return 0;
}

static const char *resolve_entries(struct tlbbatch_watches *watches)
{
	unsigned int i;

	if (watches->nr_entries > TLBBATCH_WATCH_MAX)
		return "room for so many functions";
	for (i = 0; i < watches->nr_entries; i++) {
		struct tlbbatch_entry *entry = &watches->entries[i];
		int err = resolve_entry(watches->sites, entry);

		/* A kernel without the function doesn't need it. */
		if (err && !(err == -ENOENT && entry->optional))
			return entry->name;
	}
	/* Without PERMANENT ftrace_enabled=0 would silently stop this (rule H6). */
	watches->ops.func = watch_callback;
	watches->ops.flags = FTRACE_OPS_FL_PERMANENT | COMPAT_FTRACE_OPS_FL;
	watches->ops.private = watches->sites;
	return NULL;
}

/**
 * tlbbatch_entries_attach() - begin to watch entries
 * @watches: what is watched; all of it was found
 *
 * Context: process context, may sleep.
 * Return: 0, or what ftrace returned. If ftrace died half-way, it may call @ops in
 *	spite of an error: see @entries_attached.
 */
int tlbbatch_entries_attach(struct tlbbatch_watches *watches)
{
	struct tlbbatch_sites *sites = watches->sites;
	int err;

	/* An empty filter would mean every function: rule H7. */
	if (!sites || !sites->nr)
		return 0;
	err = ftrace_set_filter_ips(&watches->ops, sites->ips, sites->nr, 0, 0);
	return tlbbatch_ops_register(&watches->ops, err, &watches->entries_attached);
}

/**
 * tlbbatch_entries_detach() - stop watching entries
 * @watches: what is watched
 *
 * On kernels with CONFIG_PREEMPTION no task is in the callback when this returns 0. On
 * others that is only true after an RCU-tasks grace period.
 *
 * Context: process context, may sleep, for seconds under load.
 * Return: 0, or an error of ftrace, which is dead then; may be tried again.
 */
int tlbbatch_entries_detach(struct tlbbatch_watches *watches)
{
	return tlbbatch_ops_unregister(&watches->ops, &watches->entries_attached);
}

/* Section: tracepoints */

static void find_point(struct tracepoint *tracepoint, void *data)
{
	const struct tlbbatch_watches *watches = data;
	unsigned int i;

	for (i = 0; i < watches->nr_points; i++)
		if (!strcmp(tracepoint->name, watches->points[i].name))
			watches->points[i].tracepoint = tracepoint;
}

/*
 * Is this tracepoint there, with the expected prototype? If not, @reason receives a
 * whole message if @watches has a name, else only the tracepoint's name.
 */
static bool resolve_point(const struct tlbbatch_watches *watches,
			  const struct tlbbatch_point *point, char *reason,
			  size_t reason_len)
{
	char why[TLBBATCH_REASON_LEN];

	if (!watches->name) {
		strscpy(reason, point->name, reason_len);
		return point->tracepoint &&
		       tlbbatch_symbol_matches(point->caller, point->proto);
	}
	if (!point->tracepoint)
		snprintf(why, sizeof(why), "the trace event %s is not found",
			 point->name);
	else if (!tlbbatch_symbol_check(point->caller, point->proto, why, sizeof(why)))
		return true;
	snprintf(reason, reason_len, "%s: %s", watches->name, why);
	return false;
}

static bool resolve_points(struct tlbbatch_watches *watches, char *reason,
			   size_t reason_len)
{
	unsigned int i;

	if (watches->nr_points)
		for_each_kernel_tracepoint(find_point, watches);
	for (i = 0; i < watches->nr_points; i++)
		if (!resolve_point(watches, &watches->points[i], reason, reason_len))
			return false;
	return true;
}

/**
 * tlbbatch_points_detach() - stop watching tracepoints
 * @watches: what is watched
 *
 * This can't fail: without memory the kernel puts a stub in the probe's place
 * (rule H14). When it returns, no task is in a probe.
 *
 * Context: process context, may sleep.
 */
void tlbbatch_points_detach(struct tlbbatch_watches *watches)
{
	if (!watches->points_attached)
		return;
	while (watches->points_attached) {
		const struct tlbbatch_point *point;

		point = &watches->points[--watches->points_attached];
		tracepoint_probe_unregister(point->tracepoint, point->probe,
					    NULL);
	}
	tracepoint_synchronize_unregister();
}

/**
 * tlbbatch_points_attach() - begin to watch tracepoints
 * @watches: what is watched; all of it was found
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM. On an error some may be attached: tlbbatch_points_detach() must
 *	follow.
 */
int tlbbatch_points_attach(struct tlbbatch_watches *watches)
{
	int err = 0;

	while (!err && watches->points_attached < watches->nr_points) {
		const struct tlbbatch_point *point;

		point = &watches->points[watches->points_attached];
		err = tracepoint_probe_register(point->tracepoint, point->probe,
						NULL);
		if (!err)
			watches->points_attached++;
	}
	return err;
}

/**
 * tlbbatch_watches_resolve() - find all that a feature watches
 * @watches: what is watched
 * @reason: receives what is missing
 * @reason_len: its size in bytes
 *
 * Context: process context, at load; BTF open.
 * Return: false if something is missing.
 */
bool tlbbatch_watches_resolve(struct tlbbatch_watches *watches, char *reason,
			      size_t reason_len)
{
	const char *missing = resolve_entries(watches);

	if (missing) {
		strscpy(reason, missing, reason_len);
		return false;
	}
	if (resolve_points(watches, reason, reason_len)) {
		reason[0] = '\0';
		return true;
	}
	if (watches->lost)
		pr_warn("%s; lost: %s\n", reason, watches->lost);
	return false;
}
