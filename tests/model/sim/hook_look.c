// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook that only looks (move_hook.c, rule B17), and its self-test (move_selftest.c, rule H8).
 */
#include "hook_rules.h"

static const struct tlbbatch_target targets[] = {
	{ .function = { "fn_looked", "int(int)" } },
	{ .function = { NULL, NULL } },
};

static struct tlbbatch_hook hooks[] = {
	{ .name = "moved", .lost = "all", .look = &tlbbatch_move_set, .targets = targets },
};

static struct tlbbatch_redirects redirects = { .hooks = hooks, .nr = 1 };
static struct mm_struct *flushed;
static unsigned int flushes;

void tlbbatch_flush_before_move(struct mm_struct *mm)
{
	flushed = mm;
	flushes++;
}

static const char *find(void)
{
	tlbbatch_redirects_resolve(&redirects, NULL, NULL);
	return NULL;
}

static int attach(void)
{
	sim_forget();
	return tlbbatch_redirects_attach(&redirects);
}

/* fn_looked() is called with the folio and the VMA of folio_move_anon_rmap(). */
static unsigned int call(struct folio *folio, struct vm_area_struct *vma)
{
	long (*volatile function)(struct folio *, struct vm_area_struct *) = (void *)fn_looked;
	unsigned int before = flushes;

	function(folio, vma);
	return flushes - before;
}

int main(void)
{
	struct mm_struct *mm = (void *)0x1000;
	struct vm_area_struct vma = { .vm_mm = mm };
	struct folio waits = { .flags = BIT(PG_swapcache) }, mapped = waits, other = { 0 };

	mapped.mapped = true;
	hook_world_init();
	alpha.find = find;
	ok_int(sim_load(), 0, "it loads");
	ok(!hooks[0].reason[0], "the hook can be had");

	sim_trouble.unpatched = "dummy";
	ok_int(attach(), -EIO, "H8: a hook that sees nothing is noticed");
	right(!sim_did("+fn_looked") && !sim_nr_registered(), "H8: before it is attached");
	sim_trouble.unpatched = NULL;
	sim_trouble.clobbers = true;
	ok_int(attach(), -EIO, "H8: one that changes arguments is noticed");
	sim_trouble.clobbers = false;
	sim_trouble.exchanges = true;
	ok_int(attach(), -EIO, "H8: so is one that exchanges them");
	sim_trouble.exchanges = false;

	ok_int(attach(), 0, "it is attached");
	ok(!(tlbbatch_move_set.ops.flags & FTRACE_OPS_FL_IPMODIFY),
	   "H4, H5: it excludes nobody who redirects the function");
	ok_int(flushes, 0, "H8: the self-test flushes nothing");
	ok_int(call(&waits, &vma), 1, "B17: a folio in the swap cache that nobody maps is flushed");
	ok(flushed == mm, "B17: in the mm that it is moved in");
	ok_int(call(&mapped, &vma), 0, "B17: nobody else is");
	ok_int(call(&other, &vma), 0, "B17: nor is one that isn't in the swap cache");
	sim_trouble.no_memory = 5;
	ok_int(tlbbatch_redirects_detach(&redirects), -ENOMEM,
	       "there is no memory to detach it");
	ok_int(call(&waits, &vma), 0, "H3: it is still called, and does nothing");
	ok_int(attach(), 0, "it is attached again");
	ok_int(call(&waits, &vma), 1, "H3: then it flushes again");
	ok_int(tlbbatch_redirects_detach(&redirects), 0, "it is detached");
	ok_int(call(&waits, &vma), 0, "then it doesn't look");
	right(nothing_attached(), "nothing is attached");
	sim_unload();
	ok_int(sim_nr_registered() + sim_allocated() + sim_breaches(), 0, "nothing is left");
	return tap_done();
}
