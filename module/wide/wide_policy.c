// SPDX-License-Identifier: GPL-2.0-only
/* How many pages a pass takes. */
#include "wide/wide_policy.h"

/* Would a wider pass harm others? */
static bool is_unfit(const struct tlbbatch_wide_ask *ask)
{
	/* Protection is worked out before the ask. It is as small as that allows. */
	if (ask->is_protected)
		return true;
	/* Pages that are passed over aren't counted, and lru_lock is held meanwhile. */
	if (ask->other_pages)
		return true;
	return ask->isolated > ask->inactive / TLBBATCH_WIDE_ISOLATED;
}

/**
 * tlbbatch_wide_target() - how many pages a pass shall take
 * @ask: what is asked for
 *
 * Rule W2: no more than was asked for from a list of which @pass_min is a large part, and of
 * one cgroup of many no large multiple of a small ask. So a small cgroup keeps its working
 * set, and many cgroups don't lose a whole pass each.
 *
 * Context: pure.
 * Return: pages to ask for, @asked at least.
 */
unsigned int tlbbatch_wide_target(const struct tlbbatch_wide_ask *ask)
{
	unsigned long asked = ask->asked, pages = ask->pass_min;

	if (is_unfit(ask))
		return asked;
	pages = min(pages, ask->list_pages / TLBBATCH_WIDE_SHARE);
	if (ask->is_one_of_many)
		pages = min(pages, asked * TLBBATCH_WIDE_TIMES);
	return max(asked, pages);
}

/* The past counts less and less. So the sums stay small, too. */
static void forget(struct tlbbatch_wide_lists *lists)
{
	unsigned int list;

	if (++lists->nr_asks < TLBBATCH_WIDE_MEMORY)
		return;
	lists->nr_asks = 0;
	for (list = 0; list < 2; list++) {
		lists->asked[list] /= 2;
		lists->given[list] /= 2;
	}
}

/*
 * Was this list given a larger multiple of what was asked for than the other one? The list
 * that is asked for more is never held back: a short list can't keep up with it (rule W2).
 */
static bool is_ahead(const struct tlbbatch_wide_lists *lists, unsigned int list)
{
	return lists->asked[list] < lists->asked[!list] &&
	       (u64)lists->given[list] * lists->asked[!list] >
	       (u64)lists->given[!list] * lists->asked[list];
}

/**
 * tlbbatch_wide_give() - how many pages a pass over an inactive list takes now
 * @call: what is remembered of this call of shrink_lruvec(); zeroed at first
 * @lists: what is remembered of the lruvec; zeroed at first
 * @ask: what is asked for
 *
 * A wide pass takes pages before the kernel asks for them. For that, later asks are left
 * out or stay as they are:
 *
 * - One call of shrink_lruvec() asks the same list again and again, until it has asked for
 *   all that get_scan_count() says. What it asks for now it has got before. It stops only
 *   when nothing is left to ask for, or when it has reclaimed enough.
 * - This list is ahead of the other one: it was given a larger multiple of what it was
 *   asked for. The kernel asks both in turn, for numbers whose ratio is the balance
 *   between anonymous and file pages. Passes of one width would level it. So the list
 *   that is asked for more sets the pace (rule W6).
 *
 * Rule W3: at each moment the call has got as many pages of a list as it has asked for.
 * So no call finds less because of an ask that was left out.
 *
 * Context: pure; the caller serialises calls for @call and @lists.
 * Return: pages to ask for; 0 if the ask is left out.
 */
unsigned int tlbbatch_wide_give(struct tlbbatch_wide_call *call,
				struct tlbbatch_wide_lists *lists,
				const struct tlbbatch_wide_ask *ask)
{
	unsigned int list = ask->list, width;

	forget(lists);
	lists->asked[list] += ask->asked;
	if (call->early[list] >= ask->asked) {
		call->early[list] -= ask->asked;
		return 0;
	}
	width = is_ahead(lists, list) ? ask->asked : tlbbatch_wide_target(ask);
	lists->given[list] += width;
	return width;
}

/**
 * tlbbatch_wide_got() - remember what the call got for a widened ask
 * @call: what is remembered of this call
 * @ask: what was asked for
 * @pages: pages that it got; of each folio only as many as the kernel asks for at once
 *
 * A list may have had fewer pages, or a single folio with all of them. In place of a large
 * folio each ask would have taken another one.
 *
 * Context: pure; the caller serialises calls for @call.
 */
void tlbbatch_wide_got(struct tlbbatch_wide_call *call,
		       const struct tlbbatch_wide_ask *ask, unsigned int pages)
{
	if (pages > ask->asked)
		call->early[ask->list] += pages - ask->asked;
}
