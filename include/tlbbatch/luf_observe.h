/* SPDX-License-Identifier: GPL-2.0-only */
/* What LUF tracking watches in the kernel, without changing its path. */
#ifndef TLBBATCH_LUF_OBSERVE_H
#define TLBBATCH_LUF_OBSERVE_H

#include <linux/types.h>
#include <tlbbatch/luf_flush.h>
#include <tlbbatch/symbols.h>

struct ftrace_regs;

/**
 * struct tlbbatch_luf_watch - one function of the kernel whose entry can be watched
 * @function: it
 * @see: called at its entry, preemption off
 */
struct tlbbatch_luf_watch {
	struct tlbbatch_function function;
	void (*see)(struct ftrace_regs *fregs);
};

/**
 * struct tlbbatch_luf_entry - an entry that is watched, whatever kernels call it
 * @name: what it is called if it is missing
 * @watches: alternatives, ended by one without a symbol
 * @optional: a kernel that has none of them has no use for it
 * @see: that of the alternative taken
 * @ip: the ftrace site, 0 if this kernel has none
 */
struct tlbbatch_luf_entry {
	const char *name;
	const struct tlbbatch_luf_watch *watches;
	bool optional;

	void (*see)(struct ftrace_regs *fregs);
	unsigned long ip;
};

/* luf_events.c */
extern struct tlbbatch_luf_entry tlbbatch_luf_entries[];
extern const unsigned int tlbbatch_luf_nr_entries;

#define for_each_tlbbatch_luf_entry(entry)				\
	for (entry = tlbbatch_luf_entries;				\
	     entry < tlbbatch_luf_entries + tlbbatch_luf_nr_entries; entry++)

const char *tlbbatch_luf_events_resolve(void);
bool tlbbatch_luf_large_freed_early(void);

/* luf_observe.c */
const char *tlbbatch_luf_resolve(void);
int tlbbatch_luf_attach(void);
int tlbbatch_luf_detach(void);

#endif /* TLBBATCH_LUF_OBSERVE_H */
