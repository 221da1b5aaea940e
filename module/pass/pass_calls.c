// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls what features do when a pass begins and ends. These are static calls: on the
 * path of reclaim nothing is called through a pointer.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/static_call.h>
#include "debug/debug.h"
#include "kernel/kernel_calls.h"
#include "pass/pass.h"
#include "pass/pass_calls.h"

/* This is never defined: it gives the static calls below their type. */
void tlbbatch_type_pass(struct tlbbatch_pass *pass);

DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_0, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_0, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_1, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_1, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_2, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_2, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_3, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_3, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_4, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_4, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_5, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_5, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_6, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_6, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_7, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_7, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_8, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_8, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_begin_9, tlbbatch_type_pass);
DEFINE_STATIC_CALL_NULL(tlbbatch_pass_end_9, tlbbatch_type_pass);

#define ROW(n)								\
	{								\
		TLBBATCH_CALL(tlbbatch_pass_begin_##n),			\
		TLBBATCH_CALL(tlbbatch_pass_end_##n),			\
	}

static const struct {
	struct tlbbatch_call begin;
	struct tlbbatch_call end;
} calls[] = {
	ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(8), ROW(9),
};

static_assert(ARRAY_SIZE(calls) == TLBBATCH_PASS_PARTS_MAX);

/**
 * tlbbatch_pass_calls() - set what a feature does when a pass begins and ends
 * @part: the feature's part in passes
 * @begin: called before the original; features begin in the order of their rows
 * @end: called after the original, in the reverse order
 *
 * Context: load.
 */
void tlbbatch_pass_calls(const struct tlbbatch_pass_part *part,
			 void (*begin)(struct tlbbatch_pass *pass),
			 void (*end)(struct tlbbatch_pass *pass))
{
	tlbbatch_call_set(&calls[part->bit].begin, (unsigned long)begin);
	tlbbatch_call_set(&calls[part->bit].end, (unsigned long)end);
}

#define CALL(what, n)							\
	do {								\
		if (pass->parts & BIT(n))				\
			static_call(tlbbatch_pass_##what##_##n)(pass);	\
	} while (0)

/**
 * tlbbatch_pass_begin() - shrink_folio_list() is about to run
 * @pgdat: the node
 * @sc: its scan_control
 * @stat: its statistics, on its caller's stack
 *
 * No feature acts in a pass that is nested in another (rule B19). There is none as long
 * as reclaim sets PF_MEMALLOC.
 *
 * Context: reclaim; the callback has claimed a slot for this task.
 * Return: the pass, for tlbbatch_pass_end().
 */
struct tlbbatch_pass *tlbbatch_pass_begin(struct pglist_data *pgdat,
					  struct scan_control *sc,
					  struct reclaim_stat *stat)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();

	if (pass->depth == 1) {
		pass->pgdat = pgdat;
		pass->sc = sc;
		pass->stat = stat;
		pass->puts_off = false;
		pass->flushes = 0;
		pass->is_reclaims = false;
		pass->group = NULL;
		pass->nr_reclaimed = 0;
		CALL(begin, 0);
		CALL(begin, 1);
		CALL(begin, 2);
		CALL(begin, 3);
		CALL(begin, 4);
		CALL(begin, 5);
		CALL(begin, 6);
		CALL(begin, 7);
		CALL(begin, 8);
		CALL(begin, 9);
	}
	tlbbatch_debug_in_pass();
	return pass;
}

/**
 * tlbbatch_pass_end() - shrink_folio_list() has run
 * @pass: from tlbbatch_pass_begin()
 * @nr_reclaimed: pages reclaimed, as the original returned it
 *
 * Context: reclaim, after the original. @pass may be another task's afterwards.
 * Return: pages reclaimed, those that features freed included.
 */
unsigned int tlbbatch_pass_end(struct tlbbatch_pass *pass,
			       unsigned int nr_reclaimed)
{
	if (pass->depth == 1) {
		CALL(end, 9);
		CALL(end, 8);
		CALL(end, 7);
		CALL(end, 6);
		CALL(end, 5);
		CALL(end, 4);
		CALL(end, 3);
		CALL(end, 2);
		CALL(end, 1);
		CALL(end, 0);
		nr_reclaimed += pass->nr_reclaimed;
	}
	tlbbatch_pass_left(pass);
	return nr_reclaimed;
}
