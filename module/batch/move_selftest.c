// SPDX-License-Identifier: GPL-2.0-only
/*
 * The self-test of the hook of move_hook.c, which looks (rule H8). It hooks a function
 * of the module's own, the dummy. It checks that the hook sees the arguments that
 * concern it, and changes none.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/printk.h>
#include "batch/reclaim_hooks.h"
#include "hooks/hook.h"

#define VMA		((struct vm_area_struct *)0x5ee)

/* Stand for a folio that is in the swap cache, and for one that isn't. */
static struct folio looked_at, passed_by;
static unsigned int seen;

/* Another one if the two are changed, or exchanged. */
static __always_inline unsigned long result_of(const struct folio *folio,
					       const struct vm_area_struct *vma)
{
	return (unsigned long)folio - (unsigned long)vma;
}

static noinline __noclone unsigned long
tlbbatch_look_dummy(struct folio *folio, struct vm_area_struct *vma)
{
	barrier();
	return result_of(folio, vma);
}

static const struct tlbbatch_target look_target = {
	.function.symbol = "tlbbatch_look_dummy",
};

struct tlbbatch_hook tlbbatch_move_dummy = {
	.name = "selftest_look",
	.target = &look_target,
	.addr = (unsigned long)tlbbatch_look_dummy,
};

/**
 * tlbbatch_move_selftest_saw() - note that the hook looks at a folio of the self-test's
 * @folio: the folio
 *
 * Context: any.
 * Return: true if it is the self-test's, and the hook has nothing more to do.
 */
bool notrace tlbbatch_move_selftest_saw(const struct folio *folio)
{
	if (folio != &looked_at && folio != &passed_by)
		return false;
	seen++;
	return true;
}

/**
 * tlbbatch_move_selftest() - does the hook look as the module expects?
 *
 * Context: process context; the ops is registered, with only the dummy in its filter.
 * Return: 0, or -EIO with the reason in the log.
 */
int tlbbatch_move_selftest(void)
{
	bool kept;

	seen = 0;
	set_bit(PG_swapbacked, (unsigned long *)&looked_at.flags);
	set_bit(PG_swapcache, (unsigned long *)&looked_at.flags);
	kept = tlbbatch_look_dummy(&looked_at, VMA) == result_of(&looked_at, VMA);
	/*
	 * If another tracer shares the dummy, ftrace calls the hook's callback instead
	 * of its trampoline: then this folio is seen, too.
	 */
	kept &= tlbbatch_look_dummy(&passed_by, VMA) == result_of(&passed_by, VMA);
	if (kept && seen && seen <= 2)
		return 0;
	pr_err("self-test failed: %u of 1 seen, arguments %s\n", seen,
	       kept ? "kept" : "changed");
	return -EIO;
}
