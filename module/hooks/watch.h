/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a feature watches in the kernel without redirecting anything: entries of
 * functions, by an ftrace_ops that shares them with all other tracers, and tracepoints.
 * Their names and prototypes are in module/kernel/targets.tbl.
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
 * @function: the function
 * @see: called at its entry, preemption off
 */
struct tlbbatch_watched {
	struct tlbbatch_function function;
	void (*see)(struct ftrace_regs *fregs);
};

/**
 * struct tlbbatch_entry - an entry that is watched, in whatever function a kernel has it
 * @name: its name in the message that it is missing
 * @alternatives: the functions, ended by one without a symbol
 * @optional: a kernel that has none of the alternatives doesn't need it
 * @see: @see of the alternative taken
 */
struct tlbbatch_entry {
	const char *name;
	const struct tlbbatch_watched *alternatives;
	bool optional;

	void (*see)(struct ftrace_regs *fregs);
};

/**
 * struct tlbbatch_point - a tracepoint that is watched
 * @name: its name
 * @caller: the function of the kernel that calls its probes
 * @proto: the prototype of @caller, in the form described in btf_check.c
 * @probe: the probe; gets the arguments of @caller
 * @tracepoint: the kernel's tracepoint of that name; NULL if there is none
 */
struct tlbbatch_point {
	const char *name;
	const char *caller;
	const char *proto;
	void *probe;

	struct tracepoint *tracepoint;
};

/* Makes a point of a row of targets.tbl; @probe_ is its probe. */
#define TLBBATCH_POINT(symbol, proto_, probe_)				\
	{								\
		.name = symbol,						\
		.caller = "__traceiter_" symbol,			\
		.proto = proto_,					\
		.probe = probe_,					\
	},

/* Makes an entry of a row of targets.tbl; see_NAME() watches the function that the row calls NAME. */
#define TLBBATCH_WATCHED(code, symbol, proto)	{ { symbol, proto }, see_##code },
#define TLBBATCH_ENTRY(name_, optional_)				\
	{								\
		.name = #name_,						\
		.alternatives = (const struct tlbbatch_watched[]) {	\
			TLBBATCH_TBL_entry_##name_(TLBBATCH_WATCHED)	\
			{ }						\
		},							\
		.optional = optional_,					\
	},

#define TLBBATCH_WATCH_BITS	7
/* The hash is at most half full, so that a look-up ends soon. */
#define TLBBATCH_WATCH_MAX	(1 << (TLBBATCH_WATCH_BITS - 1))

/**
 * struct tlbbatch_sites - the ftrace sites of the entries that are watched
 * @by_ip: finds an entry by its ftrace site
 * @ips: the sites
 * @nr: how many sites there are
 */
struct tlbbatch_sites {
	struct tlbbatch_ip_slot by_ip[1 << TLBBATCH_WATCH_BITS];
	unsigned long ips[TLBBATCH_WATCH_MAX];
	unsigned int nr;
};

/**
 * struct tlbbatch_watches - what a feature watches: all of it, or nothing (rule H2)
 * @name: its name in the message that it is missing; NULL if the feature's message says
 *	what is missing
 * @lost: what a user loses if it is missing; NULL if @name is
 * @entries: the entries of functions
 * @nr_entries: how many entries there are
 * @sites: room for the ftrace sites of @entries; NULL if there are no entries
 * @points: the tracepoints
 * @nr_points: how many tracepoints there are
 * @ops: watches @entries
 * @entries_attached: ftrace may call @ops
 * @points_attached: how many of @points are attached, from the first on
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
