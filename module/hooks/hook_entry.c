// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries: how an original is entered behind its ftrace site (rule H10).
 *
 * A replacement calls an entry of this file, and the entry jumps into the original. The
 * kernel doesn't expect a call into the middle of a function: with call depth tracking
 * (retbleed=stuff) it puts the code that counts a static call into the padding in front
 * of the call's target. An entry has that padding. The target of a jump needs none,
 * because a jump isn't counted.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/static_call.h>
#include "arch/x86.h"
#include "hooks/hook.h"
#include "kernel/kernel_calls.h"
#include "targets.h"

/* Each entry's jump to the original is the trampoline of one of these static calls. */
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_0, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_1, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_2, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_3, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_4, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_5, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_6, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_7, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_8, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_9, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_10, tlbbatch_type_jump);
DEFINE_STATIC_CALL_NULL(tlbbatch_jump_11, tlbbatch_type_jump);

TLBBATCH_ARCH_ENTRY(0);
TLBBATCH_ARCH_ENTRY(1);
TLBBATCH_ARCH_ENTRY(2);
TLBBATCH_ARCH_ENTRY(3);
TLBBATCH_ARCH_ENTRY(4);
TLBBATCH_ARCH_ENTRY(5);
TLBBATCH_ARCH_ENTRY(6);
TLBBATCH_ARCH_ENTRY(7);
TLBBATCH_ARCH_ENTRY(8);
TLBBATCH_ARCH_ENTRY(9);
TLBBATCH_ARCH_ENTRY(10);
TLBBATCH_ARCH_ENTRY(11);

/* Declares an entry, which TLBBATCH_ARCH_ENTRY() made, to C. */
#define CODE(n)	void tlbbatch_entry_##n(void)

CODE(0);
CODE(1);
CODE(2);
CODE(3);
CODE(4);
CODE(5);
CODE(6);
CODE(7);
CODE(8);
CODE(9);
CODE(10);
CODE(11);

#define ROW(n)	{ tlbbatch_entry_##n, TLBBATCH_CALL(tlbbatch_jump_##n) }

static const struct entry {
	void (*code)(void);
	struct tlbbatch_call jump;
} entries[] = {
	ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7),
	ROW(8), ROW(9), ROW(10), ROW(11),
};

/* One for each hook of all features, should it redirect, and the self-test's dummy. */
static_assert(ARRAY_SIZE(entries) >= TLBBATCH_TBL_NR_HOOKED + 1);

static unsigned int used;

/**
 * tlbbatch_entry_to() - take an entry, and aim it at an address
 * @addr: where the entry jumps to; the code there gets the caller's arguments and
 *	returns to the caller
 *
 * Context: process context, may sleep; calls never run in parallel. They come at load,
 *	and for the self-test's dummy at the first attach, under the engine's mutex.
 * Return: the address of the entry, or 0 if all entries are taken.
 */
unsigned long tlbbatch_entry_to(unsigned long addr)
{
	const struct entry *entry = &entries[used];

	if (used == ARRAY_SIZE(entries))
		return 0;
	used++;
	tlbbatch_call_set(&entry->jump, addr);
	return (unsigned long)entry->code;
}
