// SPDX-License-Identifier: GPL-2.0-only
/*
 * The self-test of hooks that redirect (rule H8). It hooks a function of the module's
 * own, the dummy.
 *
 * It checks that the replacement runs, that the replacement can call the original, which
 * runs once, and that the hook leaves a caller alone for whom it doesn't act. A set of
 * hooks that look brings a self-test of its own.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/printk.h>
#include "debug/debug.h"
#include "hooks/hook.h"

#define DUMMY_ADDS		1
#define REPLACEMENT_ADDS	100

static bool acting;

/* barrier() keeps the compiler from computing the result without a call. */
static noinline __noclone int tlbbatch_dummy(int value)
{
	barrier();
	return value + DUMMY_ADDS;
}

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_dummy, tlbbatch_dummy);

static int replacement(int value)
{
	return static_call(tlbbatch_orig_dummy)(value) + REPLACEMENT_ADDS;
}

static bool notrace acts(unsigned long parent_ip)
{
	return READ_ONCE(acting);
}

static const struct tlbbatch_target target = {
	.function.symbol = "tlbbatch_dummy",
	.replacement = replacement,
	.original = TLBBATCH_CALL(tlbbatch_orig_dummy),
};

struct tlbbatch_hook tlbbatch_selftest_hook = {
	.name = "selftest",
	.acts = acts,
	.target = &target,
	.addr = (unsigned long)tlbbatch_dummy,
};

/**
 * tlbbatch_selftest_run() - does a hook redirect as the module expects?
 *
 * Context: process context; the ops is registered, with only the dummy in its filter.
 * Return: 0, or -EIO with the reason in the log.
 */
int tlbbatch_selftest_run(void)
{
	int alone, hooked;

	alone = tlbbatch_dummy(0);
	WRITE_ONCE(acting, true);
	hooked = tlbbatch_dummy(0);
	WRITE_ONCE(acting, false);

	if (alone == DUMMY_ADDS && hooked == DUMMY_ADDS + REPLACEMENT_ADDS &&
	    !tlbbatch_debug_fail_selftest())
		return 0;
	pr_err("self-test failed: %d without and %d with the hook\n", alone,
	       hooked);
	return -EIO;
}
