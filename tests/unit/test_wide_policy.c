// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decisions of wider passes: single ones, and totals over calls that ask as
 * shrink_lruvec() does.
 */
#include "wide/wide_policy.h"
#include "rnd.h"
#include "tap.h"

#define CLUSTER		32U
#define LONG_LIST	(1UL << 20)

static struct tlbbatch_wide_lists lists;

static struct tlbbatch_wide_ask facts(unsigned int list, unsigned int asked,
				      unsigned int pass_min)
{
	return (struct tlbbatch_wide_ask){
		.list = list, .asked = asked, .pass_min = pass_min,
		.list_pages = LONG_LIST, .inactive = LONG_LIST,
	};
}

static unsigned int ask(struct tlbbatch_wide_call *call, unsigned int list,
			unsigned int asked, unsigned int pass_min)
{
	struct tlbbatch_wide_ask it = facts(list, asked, pass_min);
	unsigned int got = tlbbatch_wide_give(call, &lists, &it);

	if (got > asked)
		tlbbatch_wide_got(call, &it, got);
	return got;
}

struct totals {
	unsigned long asked[2];
	unsigned long given[2];
	unsigned long passes;
	/* Times that a call had been given less of a list than it had asked for. */
	unsigned long behind;
	/* The most that a call was given beyond that, of one list. */
	unsigned long beyond;
};

/*
 * Does what shrink_lruvec() does with what get_scan_count() says: both lists in turn, a
 * cluster at a time, until there is nothing left to ask for.
 */
static void shrink_lruvec(struct totals *totals, unsigned long anon, unsigned long file,
			  unsigned int pass_min)
{
	unsigned long left[2] = { anon, file }, asked[2] = { 0 }, given[2] = { 0 };
	struct tlbbatch_wide_call call = { };
	unsigned int list;

	while (left[0] || left[1]) {
		for (list = 0; list < 2; list++) {
			unsigned int n = min(left[list], CLUSTER), got;

			if (!n)
				continue;
			left[list] -= n;
			got = ask(&call, list, n, pass_min);
			asked[list] += n;
			given[list] += got;
			totals->passes += got != 0;
			totals->behind += given[list] < asked[list];
			totals->beyond = max(totals->beyond, given[list] - asked[list]);
		}
	}
	for (list = 0; list < 2; list++) {
		totals->asked[list] += asked[list];
		totals->given[list] += given[list];
	}
}

static void calls(struct totals *totals, unsigned int nr, unsigned long anon,
		  unsigned long file, unsigned int pass_min)
{
	while (nr--)
		shrink_lruvec(totals, anon, file, pass_min);
}

/* How far the ratio that is given is from the one that is asked for. */
static bool is_balanced(const struct totals *totals)
{
	double wanted = (double)totals->asked[0] / totals->asked[1];
	double got = (double)totals->given[0] / totals->given[1];

	return got > wanted * 0.8 && got < wanted * 1.25;
}

static unsigned int target(unsigned int asked, unsigned int pass_min,
			   unsigned long list_pages)
{
	struct tlbbatch_wide_ask it = facts(0, asked, pass_min);

	it.list_pages = list_pages;
	return tlbbatch_wide_target(&it);
}

static void check_target(void)
{
	struct tlbbatch_wide_ask it;

	ok_int(target(4, 96, LONG_LIST), 96, "a long list");
	ok_int(target(4, 96, 16 * 96), 96, "one page in 16 is as many");
	ok_int(target(4, 96, 16 * 96 - 1), 95, "one page in 16 is fewer");
	ok_int(target(4, 96, 16 * 4), 4, "one page in 16 is what was asked for");
	ok_int(target(32, 96, 0), 32, "never fewer than was asked for");
	ok_int(target(128, 96, LONG_LIST), 128, "wide already");
	ok_int(target(7, 0, LONG_LIST), 7, "switched off");
	ok_int(target(1, 256, ULONG_MAX), 256, "the longest list");

	it = facts(0, 4, 96);
	it.is_one_of_many = true;
	ok_int(tlbbatch_wide_target(&it), 64, "one cgroup of many: 16 times what was asked for");
	it.asked = 6;
	ok_int(tlbbatch_wide_target(&it), 96, "one of many that is asked for enough");
	it.asked = UINT_MAX / 8;
	ok_int(tlbbatch_wide_target(&it), UINT_MAX / 8, "one of many that is asked for all");

	it = facts(0, 4, 96);
	it.is_protected = true;
	ok_int(tlbbatch_wide_target(&it), 4, "a protected cgroup");

	it = facts(0, 4, 96);
	it.other_pages = 1;
	ok_int(tlbbatch_wide_target(&it), 4, "a page that must be passed over");

	it = facts(0, 4, 96);
	it.isolated = LONG_LIST / 16;
	ok_int(tlbbatch_wide_target(&it), 96, "a 16th of the node's list is isolated");
	it.isolated++;
	ok_int(tlbbatch_wide_target(&it), 4, "a page more is isolated");
}

static void check_single(void)
{
	struct tlbbatch_wide_call call = { }, other = { };

	lists = (struct tlbbatch_wide_lists){ 0 };
	ok_int(ask(&call, 1, 32, 96), 96, "the first of several asks");
	ok_int(ask(&call, 1, 32, 96), 0, "the second is left out");
	ok_int(ask(&other, 1, 32, 96), 96, "not that of another call");
	ok_int(ask(&call, 0, 32, 96), 96, "nor that of the other list");
	ok_int(ask(&call, 1, 32, 96), 0, "so is the third");
	ok_int(ask(&call, 1, 32, 96), 96, "the fourth is widened");
	ok_int(ask(&call, 1, 63, 96), 0, "one for nearly all that is left");
	ok_int(ask(&call, 1, 2, 96), 96, "one for more than is left is widened");
	call = (struct tlbbatch_wide_call){ };
	ok_int(ask(&call, 1, 32, 48), 48, "a pass that is wider by half");
	ok_int(ask(&call, 1, 32, 48), 48, "another one");
	ok_int(ask(&call, 1, 32, 48), 0, "what both got early makes one ask, which is left out");
	ok_int(ask(&call, 1, 32, 48), 48, "and then nothing is left of it");
}

/* Rule W3: what counts is what came. */
static void check_got(void)
{
	struct tlbbatch_wide_ask it = facts(1, 32, 96);
	struct tlbbatch_wide_call call = { };

	lists = (struct tlbbatch_wide_lists){ 0 };
	ok_int(tlbbatch_wide_give(&call, &lists, &it), 96, "a wide ask");
	tlbbatch_wide_got(&call, &it, 32);
	ok_int(tlbbatch_wide_give(&call, &lists, &it), 96, "one large folio came: no ask is left out");
	tlbbatch_wide_got(&call, &it, 5);
	ok_int(tlbbatch_wide_give(&call, &lists, &it), 96, "less came than was asked for: nor then");
	tlbbatch_wide_got(&call, &it, 64);
	ok_int(tlbbatch_wide_give(&call, &lists, &it), 0, "two large folios came: one is left out");
	ok_int(tlbbatch_wide_give(&call, &lists, &it), 96, "not the next one");
}

/* Rule W2: a large number is scanned in fewer passes, and no larger. */
static void check_large(void)
{
	struct totals off = { 0 }, on = { 0 };

	lists = (struct tlbbatch_wide_lists){ 0 };
	calls(&off, 100, 0, 1024, 0);
	calls(&on, 100, 0, 1024, 96);
	ok_int(off.given[1], 100 * 1024, "off: what was asked for");
	ok_int(off.passes, 100 * 32, "off: a cluster at a time");
	ok(on.given[1] >= off.given[1] && on.given[1] <= 100 * (1024 + 96),
	   "no more than that and a pass: %lu", on.given[1]);
	ok(on.passes <= 100 * 11, "in a third of the passes: %lu", on.passes);
}

/* Rule W6: the ratio of the two lists stays. */
static void check_balance(void)
{
	static const unsigned int ratios[][2] = {
		{ 1, 31 }, { 2, 45 }, { 4, 4 }, { 30, 3 }, { 8, 24 }, { 16, 400 }, { 500, 20 },
	};
	struct totals before = { 0 }, after = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ratios); i++) {
		struct totals on = { 0 };

		lists = (struct tlbbatch_wide_lists){ 0 };
		calls(&on, 2000, ratios[i][0], ratios[i][1], 96);
		ok(is_balanced(&on), "%u to %u: %lu to %lu are given", ratios[i][0],
		   ratios[i][1], on.given[0], on.given[1]);
		ok_int(on.behind, 0, "no call was given less than it asked for");
	}

	/* What was long ago doesn't count: the kernel may want another balance now. */
	lists = (struct tlbbatch_wide_lists){ 0 };
	calls(&before, 100000, 30, 3, 96);
	calls(&after, 300, 3, 30, 96);
	memset(&after, 0, sizeof(after));
	calls(&after, 500, 3, 30, 96);
	ok(after.given[0] * 10 * 3 > after.given[1] * 2, "the other list isn't held back for long: %lu to %lu",
	   after.given[0], after.given[1]);
	ok(after.given[1] >= 500 * 90UL, "and the list that is asked for more is widened");
	ok(is_balanced(&after), "nor is it widened as if it were still asked for more");
}

/* Rule W6: also where the product of two sums is large. */
static void check_large_sums(void)
{
	struct tlbbatch_wide_call call = { };

	lists = (struct tlbbatch_wide_lists){
		.asked = { 1U << 20, 1U << 21 },
		.given = { 1U << 20, 1U << 16 },
	};
	ok_int(ask(&call, 0, 4, 96), 4, "large sums: the list that is ahead isn't widened");
	ok_int(ask(&call, 1, 4, 96), 96, "large sums: the other one is");
}

/* Rule W6: only a list that is asked for less and got a larger multiple is held back. */
static void check_equal(void)
{
	struct tlbbatch_wide_call call = { };

	lists = (struct tlbbatch_wide_lists){ .asked = { 60, 64 }, .given = { 256, 64 } };
	ok_int(ask(&call, 0, 4, 96), 96, "W6: a list that is asked for as much as the other one isn't held back");
	call = (struct tlbbatch_wide_call){ };
	lists = (struct tlbbatch_wide_lists){ .asked = { 28, 64 }, .given = { 64, 128 } };
	ok_int(ask(&call, 0, 4, 96), 96, "W6: nor one that got the same multiple");
}

/* Rules W2 and W3, whatever comes. */
static void check_any(void)
{
	struct totals totals = { 0 };
	unsigned int i;

	lists = (struct tlbbatch_wide_lists){ 0 };
	for (i = 0; i < 200000; i++)
		shrink_lruvec(&totals, rnd(3) ? rnd(200) : 0, 1 + rnd(200), 1 + rnd(256));
	ok_int(totals.behind, 0, "no call of many was ever given less than it asked for");
	ok(totals.beyond < 256, "nor a pass more than that: %lu", totals.beyond);
}

int main(void)
{
	check_target();
	check_single();
	check_got();
	check_large();
	check_balance();
	check_large_sums();
	check_equal();
	check_any();
	return tap_done();
}
