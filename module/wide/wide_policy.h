/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decisions of wider passes, as pure functions of plain facts. No kernel type appears
 * here: tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_WIDE_POLICY_H
#define TLBBATCH_WIDE_POLICY_H

#include "kernel/portable.h"

/* Pages: the widest passes that were measured (docs/wide.md). */
#define TLBBATCH_WIDE_MAX	256U

/* A pass is widened to one page in so many of the list, at most. */
#define TLBBATCH_WIDE_SHARE	16U

/*
 * Reclaim that goes from cgroup to cgroup asks each for a few pages. It shall not get a whole
 * pass of each, but so many times what it asks for.
 */
#define TLBBATCH_WIDE_TIMES	16U

/*
 * As much of a node's list may be isolated besides. The kernel lets reclaim wait if more than
 * an eighth is (too_many_isolated()).
 */
#define TLBBATCH_WIDE_ISOLATED	16U

/* After so many asks, what was before counts half. */
#define TLBBATCH_WIDE_MEMORY	128U

/**
 * struct tlbbatch_wide_ask - what is asked of one list of an lruvec
 * @list: 0 or 1: of anonymous pages, of file pages
 * @asked: pages that the kernel asks for
 * @pass_min: pages that a pass shall take at least
 * @list_pages: pages on the list that may be taken
 * @other_pages: pages on it that must be passed over, since their zone doesn't help
 * @inactive: pages on the lists of that type of the whole node
 * @isolated: pages of that type that are off these lists now, in somebody's pass
 * @is_one_of_many: reclaim goes from cgroup to cgroup, and is at this one
 * @is_protected: the cgroup has memory that reclaim shall leave to it
 */
struct tlbbatch_wide_ask {
	unsigned int list;
	unsigned int asked;
	unsigned int pass_min;
	unsigned long list_pages;
	unsigned long other_pages;
	unsigned long inactive;
	unsigned long isolated;
	bool is_one_of_many;
	bool is_protected;
};

/**
 * struct tlbbatch_wide_call - what is remembered of a call of shrink_lruvec()
 * @early: by list, pages that it got before it asked for them
 */
struct tlbbatch_wide_call {
	unsigned int early[2];
};

/**
 * struct tlbbatch_wide_lists - what is remembered of the two inactive lists of an lruvec
 * @nr_asks: asks since the past counts half
 * @asked: by list, pages that were asked for of late
 * @given: by list, pages that were given of late
 */
struct tlbbatch_wide_lists {
	unsigned int nr_asks;
	unsigned int asked[2];
	unsigned int given[2];
};

unsigned int tlbbatch_wide_target(const struct tlbbatch_wide_ask *ask);
unsigned int tlbbatch_wide_give(struct tlbbatch_wide_call *call,
				struct tlbbatch_wide_lists *lists,
				const struct tlbbatch_wide_ask *ask);
void tlbbatch_wide_got(struct tlbbatch_wide_call *call,
		       const struct tlbbatch_wide_ask *ask, unsigned int pages);

#endif /* TLBBATCH_WIDE_POLICY_H */
