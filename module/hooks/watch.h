/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a feature watches in the kernel without changing its path: entries of functions,
 * by an ftrace_ops that shares them with everybody, and tracepoints. What of a row names
 * a part of the kernel is in module/kernel/targets.tbl.
 */
#ifndef TLBBATCH_WATCH_H
#define TLBBATCH_WATCH_H

#include <linux/ftrace.h>
#include <linux/types.h>
#include "hooks/ip_hash.h"
#include "kernel/symbols.h"

struct tracepoint;

/**
 * struct tlbbatch_watched - one function of the kernel whose entry can be watched
 * @function: it
 * @see: called at its entry, preemption off
 */
struct tlbbatch_watched {
	struct tlbbatch_function function;
	void (*see)(struct ftrace_regs *fregs);
};

/**
 * struct tlbbatch_entry - an entry that is watched, whatever kernels call it
 * @name: what it is called if it is missing
 * @alternatives: ended by one without a symbol
 * @optional: a kernel that has none of them has no use for it
 * @see: that of the alternative taken
 */
struct tlbbatch_entry {
	const char *name;
	const struct tlbbatch_watched *alternatives;
	bool optional;

	void (*see)(struct ftrace_regs *fregs);
};

/**
 * struct tlbbatch_point - a tracepoint that is watched
 * @name: it
 * @caller: the function of the kernel that calls its probes
 * @proto: the prototype of that one, as BTF tells it
 * @probe: called, with what @caller is called with
 * @tracepoint: what the kernel has by that name
 */
struct tlbbatch_point {
	const char *name;
	const char *caller;
	const char *proto;
	void *probe;

	struct tracepoint *tracepoint;
};

/* A row of targets.tbl, for an array of points; @probe_ is what it calls. */
#define TLBBATCH_POINT(symbol, proto_, probe_)				\
	{								\
		.name = symbol,						\
		.caller = "__traceiter_" symbol,			\
		.proto = proto_,					\
		.probe = probe_,					\
	},

#define TLBBATCH_WATCH_BITS	7
/* At most half full, so that a look-up ends soon. */
#define TLBBATCH_WATCH_MAX	(1 << (TLBBATCH_WATCH_BITS - 1))

/**
 * struct tlbbatch_sites - where the entries that are watched are
 * @by_ip: the entries by their ftrace sites
 * @ips: these sites
 * @nr: how many
 */
struct tlbbatch_sites {
	struct tlbbatch_ip_slot by_ip[1 << TLBBATCH_WATCH_BITS];
	unsigned long ips[TLBBATCH_WATCH_MAX];
	unsigned int nr;
};

/**
 * struct tlbbatch_watches - what a feature watches: all of it, or nothing (rule H2)
 * @name: what it is called if it can't be had; NULL if its feature tells that, by the name
 *	of what is missing
 * @lost: what a user loses then; NULL like @name
 * @entries: functions
 * @nr_entries: how many
 * @sites: room for what is known of @entries; NULL if there are none
 * @points: tracepoints
 * @nr_points: how many
 * @ops: of @entries
 * @entries_attached: ftrace may call @ops
 * @points_attached: so many of @points are
 */
struct tlbbatch_watches {
	const char *name;
	const char *lost;
	struct tlbbatch_entry *entries;
	unsigned int nr_entries;
	struct tlbbatch_sites *sites;
	struct tlbbatch_point *points;
	unsigned int nr_points;

	struct ftrace_ops ops;
	bool entries_attached;
	unsigned int points_attached;
};

bool tlbbatch_watches_resolve(struct tlbbatch_watches *watches, char *reason,
			      size_t reason_len);
int tlbbatch_entries_attach(struct tlbbatch_watches *watches);
int tlbbatch_entries_detach(struct tlbbatch_watches *watches);
int tlbbatch_points_attach(struct tlbbatch_watches *watches);
void tlbbatch_points_detach(struct tlbbatch_watches *watches);

#endif /* TLBBATCH_WATCH_H */
