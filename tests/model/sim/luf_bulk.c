// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bulk allocator, and what ends tracking meanwhile: rules L1, L9 and H13. See luf_rules.c.
 */
#include "luf_world.h"
#include "hooks/hook.h"

static const struct tlbbatch_hook *bulk_hook;
static struct page *array[8];
static struct list_head list;

/* Newer kernels have no list. */
static unsigned long original_array(gfp_t gfp, int nid, nodemask_t *mask, int nr,
				    struct page **pages)
{
	unsigned int i;

	if (gfp != 7 || nid != 1 || mask || nr != 5 || pages != array)
		sim_breach("the original has other arguments");
	for (i = 0; i < 3; i++) {
		sim_pages[100 + i].refs = 1;
		pages[i] = &sim_pages[100 + i];
	}
	return 3;
}

static unsigned long original_list(gfp_t gfp, int nid, nodemask_t *mask, int nr,
				   struct list_head *to, struct page **pages)
{
	if (!to)
		return 0;
	sim_pages[100].refs = 1;
	sim_pages[100].lru.next = to->next;
	to->next = &sim_pages[100].lru;
	return 1;
}

/* Who is inside leaves when he is waited for. */
static void leaves(void)
{
	sim_note("waited");
	bulk_replacement()(7, 1, NULL, 5, NULL, NULL);
}

static void end_tracking(void)
{
	sim_others = leaves;
	tlbbatch_luf_redirects.drain();
	sim_others = NULL;
}

/* A page of the array: the first one, and the last one. */
static void test_array(void)
{
	unsigned long pfn;

	for (pfn = 100; pfn <= 102; pfn += 2) {
		anew();
		generation(&file_a, pfn, 1, ON(0) | ON(1));
		forget();
		memset(array, 0, sizeof(array));
		bulk_hook->acts(0);
		ok_int(bulk_array_replacement()(7, 1, NULL, 5, array), 3,
		       "L1: the result is the original's");
		want("L9: a page of the bulk allocator's array is used again",
		     "open=-1 needed=1 open_as_posted=-1 needed_as_posted=1");
	}
	anew();
	sim_forget();
	ok(tlbbatch_luf_redirects.hooks[0].acts(0), "it acts for each flush of a batch");
	end_tracking();
	ok(!sim_did("waited"), "H13: who has left the bulk allocator isn't waited for");
}

/* He has come back from the original, and looks at his pages. */
static void test_drain_meanwhile(void)
{
	anew();
	generation(&file_a, 100, 1, ON(0) | ON(1));
	list.next = &list;
	sim_forget();
	bulk_hook->acts(0);
	sim_at_acquire = end_tracking;
	bulk_replacement()(7, 1, NULL, 5, &list, NULL);
	ok(sim_did("waited"), "H13: who tells of his pages is inside, and is waited for");
	/* As often inside as outside. */
	bulk_hook->acts(0);
	sim_others = NULL;
	anew();
}

int main(void)
{
	world_init();
	if (!ok(!track(true), "tracking begins"))
		return tap_done();
	ok(tlbbatch_luf.redirects == &tlbbatch_luf_redirects &&
	   tlbbatch_luf.watches == &tlbbatch_luf_watches,
	   "L18: all that is redirected or watched is the feature's");
	bulk_hook = &tlbbatch_luf_redirects.hooks[1];
	bulk_array_world(original_array);
	bulk_world(original_list);
	test_array();
	test_drain_meanwhile();
	track(false);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
