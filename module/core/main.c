// SPDX-License-Identifier: GPL-2.0-only
/*
 * tlbbatch: fewer TLB-shootdown IPIs from memory reclaim, on the running kernel.
 *
 * This file only loads and unloads the module. Unload does the steps of load in reverse.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>
#include "core/feature.h"
#include "core/sysfs.h"
#include "debug/debug.h"
#include "hooks/hook.h"
#include "kernel/symbols.h"
#include "pass/pass.h"

#ifndef TLBBATCH_VERSION
#error "TLBBATCH_VERSION comes from dkms.conf, through module/Kbuild"
#endif

static int passes_init(void)
{
	tlbbatch_features_passes();
	return tlbbatch_passes_init();
}

/* This can't fail: a feature is unavailable if something that it needs isn't found. */
static int hooks_init(void)
{
	tlbbatch_features_find();
	/* Nobody needs the BTF index any more. The rest of the module is smaller. */
	tlbbatch_symbols_exit();
	return 0;
}

/* Rule H13: only a task that is in a pass can sleep in a replacement. */
static void leave_passes(void)
{
	tlbbatch_passes_wait_turnover("unload", false);
}

static void hooks_exit(void)
{
	tlbbatch_hooks_retire(leave_passes);
}

/* A step that fails leaves nothing behind. */
static const struct step {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
} steps[] = {
	{ "passes", passes_init, tlbbatch_passes_exit },
	{ "symbols", tlbbatch_symbols_init, tlbbatch_symbols_exit },
	{ "hooks", hooks_init, hooks_exit },
	{ "features", tlbbatch_features_init, tlbbatch_features_exit },
	{ "sysfs", tlbbatch_sysfs_init, tlbbatch_sysfs_exit },
};

static void unwind(unsigned int nr)
{
	while (nr--)
		if (steps[nr].exit)
			steps[nr].exit();
}

static int run_step(unsigned int i)
{
	int err = tlbbatch_debug_fail_step(i);

	if (!err && steps[i].init)
		err = steps[i].init();
	return err;
}

static int __init tlbbatch_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		err = run_step(i);
		if (err) {
			pr_err("load failed at step %s (%d)\n", steps[i].name,
			       err);
			unwind(i);
			return err;
		}
	}
	pr_info("%s loaded, %s%s\n", TLBBATCH_VERSION,
		tlbbatch_features_on() ? "enabled" : "inert",
		TLBBATCH_DEBUG_NOTICE);
	return 0;
}

static void __exit tlbbatch_exit(void)
{
	unwind(ARRAY_SIZE(steps));
	pr_info("unloaded\n");
}

module_init(tlbbatch_init);
module_exit(tlbbatch_exit);

MODULE_DESCRIPTION("Batches TLB flushes of memory reclaim");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_VERSION(TLBBATCH_VERSION);
MODULE_LICENSE("GPL");
