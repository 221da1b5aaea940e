// SPDX-License-Identifier: GPL-2.0-only
/*
 * The self-test (rule H8): hook functions of the module's own. Of a hook that redirects, see
 * that the replacement runs, that the original can be called from it exactly once,
 * and that a caller for whom the hook doesn't act is left alone; of one that looks,
 * that it sees the arguments it is there for and no others, and changes none.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/printk.h>
#include "debug/debug.h"
#include "hooks/hook.h"

#define DUMMY_ADDS		1
#define REPLACEMENT_ADDS	100

static bool acting;

/* Kept apart by barrier(): a compiler that knew its result would not call it. */
static noinline __noclone int dummy(int value)
{
	barrier();
	return value + DUMMY_ADDS;
}

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_dummy, dummy);

static int replacement(int value)
{
	return static_call(tlbbatch_orig_dummy)(value) + REPLACEMENT_ADDS;
}

static bool notrace acts(unsigned long parent_ip)
{
	return READ_ONCE(acting);
}

static const struct tlbbatch_target target = {
	.function.symbol = "dummy",
	.replacement = replacement,
	.original = TLBBATCH_CALL(tlbbatch_orig_dummy),
};

struct tlbbatch_hook tlbbatch_selftest_hook = {
	.name = "selftest",
	.acts = acts,
	.target = &target,
	.addr = (unsigned long)dummy,
};

/**
 * tlbbatch_selftest_run() - is a hook what this module takes it for?
 *
 * Context: process context; the ops is registered on the dummy alone.
 * Return: 0, or -EIO with the reason in the log.
 */
int tlbbatch_selftest_run(void)
{
	int alone, hooked;

	alone = dummy(0);
	WRITE_ONCE(acting, true);
	hooked = dummy(0);
	WRITE_ONCE(acting, false);

	if (alone == DUMMY_ADDS && hooked == DUMMY_ADDS + REPLACEMENT_ADDS &&
	    !tlbbatch_debug_fail_selftest())
		return 0;
	pr_err("self-test failed: %d without and %d with the hook\n", alone,
	       hooked);
	return -EIO;
}

#define VMA		((struct vm_area_struct *)0x5ee)

/* In the place of a folio that is, or isn't, in the swap cache. */
static struct folio looked_at, passed_by;
static unsigned int seen;

static noinline __noclone unsigned long look_dummy(struct folio *folio,
						   struct vm_area_struct *vma)
{
	barrier();
	return (unsigned long)folio + (unsigned long)vma;
}

static const struct tlbbatch_target look_target = {
	.function.symbol = "look_dummy",
};

struct tlbbatch_hook tlbbatch_selftest_look = {
	.name = "selftest_look",
	.target = &look_target,
	.addr = (unsigned long)look_dummy,
};

/**
 * tlbbatch_selftest_saw() - is a folio that a hook looks at the self-test's?
 * @folio: the folio
 *
 * Context: any.
 * Return: true if it is, and there is nothing more to do.
 */
bool notrace tlbbatch_selftest_saw(const struct folio *folio)
{
	if (folio != &looked_at && folio != &passed_by)
		return false;
	seen++;
	return true;
}

/**
 * tlbbatch_selftest_run_look() - the same, of a hook that looks
 *
 * Context: process context; the ops is registered on the dummy alone.
 * Return: 0, or -EIO with the reason in the log.
 */
int tlbbatch_selftest_run_look(void)
{
	bool kept;

	seen = 0;
	set_bit(PG_swapbacked, (unsigned long *)&looked_at.flags);
	set_bit(PG_swapcache, (unsigned long *)&looked_at.flags);
	kept = look_dummy(&looked_at, VMA) ==
	       (unsigned long)&looked_at + (unsigned long)VMA;
	/* With another tracer on all functions this one is seen, too. */
	kept &= look_dummy(&passed_by, VMA) ==
		(unsigned long)&passed_by + (unsigned long)VMA;
	if (kept && seen && seen <= 2)
		return 0;
	pr_err("self-test failed: %u of 1 seen, arguments %s\n", seen,
	       kept ? "kept" : "changed");
	return -EIO;
}
