/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decisions of holding, as pure functions of plain facts. No kernel type appears here:
 * tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_HOLD_POLICY_H
#define TLBBATCH_HOLD_POLICY_H

#include "kernel/portable.h"

/* Pages: less than one group of single pages holds nothing, and 4 MiB are much for one pass. */
#define TLBBATCH_HOLD_MIN	31U
#define TLBBATCH_HOLD_MAX	1024U

/**
 * struct tlbbatch_hold_facts - a group of folios that reclaim is about to flush and free
 * @nr: folios in it
 * @room: folios that it has room for; reclaim flushes for less than that only at a pass's end
 * @nr_frozen: how many of @nr nobody has a reference to
 * @pages: pages in it
 * @held: pages that the pass holds already
 * @max: pages that a pass may hold
 * @owes: something was unmapped since the task's last flush
 * @dirty: among that was a dirty PTE
 */
struct tlbbatch_hold_facts {
	unsigned int nr;
	unsigned int room;
	unsigned int nr_frozen;
	unsigned long pages;
	unsigned long held;
	unsigned int max;
	bool owes;
	bool dirty;
};

/* What becomes of the group. Only the first leaves the flush out. */
enum tlbbatch_hold_verdict {
	TLBBATCH_HOLD_IT,
	TLBBATCH_HOLD_LAST,
	TLBBATCH_HOLD_OWES_NOTHING,
	TLBBATCH_HOLD_DIRTY,
	TLBBATCH_HOLD_REFERENCED,
	TLBBATCH_HOLD_FULL,
};

enum tlbbatch_hold_verdict
tlbbatch_hold_judge(const struct tlbbatch_hold_facts *facts);
bool tlbbatch_hold_may_free(bool owes);

#endif /* TLBBATCH_HOLD_POLICY_H */
