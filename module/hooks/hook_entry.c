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

/* The entries. The build stops where they are too few. */
#define ENTRIES(X)							\
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)	\
	X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)

/* Each entry's jump to the original is the trampoline of a static call. */
#define JUMP(n)		DEFINE_STATIC_CALL_NULL(tlbbatch_jump_##n, tlbbatch_type_jump);
ENTRIES(JUMP)

#define ENTRY(n)	TLBBATCH_ARCH_ENTRY(n);
ENTRIES(ENTRY)

#define CODE(n)	void tlbbatch_entry_##n(void);
ENTRIES(CODE)

#define ROW(n)	{ tlbbatch_entry_##n, TLBBATCH_CALL(tlbbatch_jump_##n) },

static const struct entry {
	void (*code)(void);
	struct tlbbatch_call jump;
} entries[] = {
	ENTRIES(ROW)
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
