/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel that modules cannot link against, as static calls.
 *
 * A static call is a direct call. It needs no ENDBR at its target (IBT), and costs no
 * retpoline. That of a hooked function enters the function behind its ftrace site, so
 * that calling the original doesn't go through ftrace a second time (rule H10).
 *
 * Each is NULL until symbols.c, its feature or hook_set.c sets it, after its function
 * was found and checked. A feature hooks nothing before all those that it needs are
 * set.
 */
#ifndef TLBBATCH_KERNEL_CALLS_H
#define TLBBATCH_KERNEL_CALLS_H

#include <linux/static_call.h>

/* These are never defined: they give the static calls below their types. */
unsigned long tlbbatch_type_kallsyms_lookup_name(const char *name);
unsigned long tlbbatch_type_ftrace_location(unsigned long ip);
unsigned long tlbbatch_type_ftrace_find_rec_direct(unsigned long ip);
/* Only assembler (hook_entry.c) jumps to one. It passes all arguments on as they are. */
void tlbbatch_type_jump(void);

/*
 * Functions that are called and never hooked. Those that look-ups and hooks need
 * themselves:
 */
DECLARE_STATIC_CALL(tlbbatch_kallsyms_lookup_name,
		    tlbbatch_type_kallsyms_lookup_name);
DECLARE_STATIC_CALL(tlbbatch_ftrace_location, tlbbatch_type_ftrace_location);
DECLARE_STATIC_CALL(tlbbatch_ftrace_find_rec_direct,
		    tlbbatch_type_ftrace_find_rec_direct);

/**
 * struct tlbbatch_call - a static call as data, for tables
 * @key: the static call's key
 * @tramp: the static call's trampoline
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
