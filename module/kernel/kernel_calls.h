/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel that modules cannot link against, as static calls.
 *
 * A static call is a direct call: it needs no ENDBR at its target (IBT), costs
 * no retpoline, and for a hooked function it may enter just behind the ftrace
 * site, so that an original is called without a second trip through ftrace.
 * Each is NULL until symbols.c, its feature or hook_set.c has resolved and checked it;
 * nothing is hooked before all that a feature needs are set.
 */
#ifndef TLBBATCH_KERNEL_CALLS_H
#define TLBBATCH_KERNEL_CALLS_H

#include <linux/static_call.h>

/* Never defined: they give the static calls below their types. */
unsigned long tlbbatch_type_kallsyms_lookup_name(const char *name);
unsigned long tlbbatch_type_ftrace_location(unsigned long ip);
unsigned long tlbbatch_type_ftrace_find_rec_direct(unsigned long ip);
/* Jumped to from assembler alone, which hands all arguments on as they are. */
void tlbbatch_type_jump(void);

/* Called, never hooked: set by symbols.c. What looking up and hooking need themselves: */
DECLARE_STATIC_CALL(tlbbatch_kallsyms_lookup_name,
		    tlbbatch_type_kallsyms_lookup_name);
DECLARE_STATIC_CALL(tlbbatch_ftrace_location, tlbbatch_type_ftrace_location);
DECLARE_STATIC_CALL(tlbbatch_ftrace_find_rec_direct,
		    tlbbatch_type_ftrace_find_rec_direct);

/**
 * struct tlbbatch_call - a static call as data, for tables
 * @key: its key
 * @tramp: its trampoline
 */
struct tlbbatch_call {
	struct static_call_key *key;
	void *tramp;
};

#define TLBBATCH_CALL(name)						\
	{ .key = &STATIC_CALL_KEY(name), .tramp = STATIC_CALL_TRAMP_ADDR(name) }

static inline void tlbbatch_call_set(const struct tlbbatch_call *call,
				     unsigned long addr)
{
	__static_call_update(call->key, call->tramp, (void *)addr);
}

#endif /* TLBBATCH_KERNEL_CALLS_H */
