// SPDX-License-Identifier: GPL-2.0-only
/*
 * The features: each has a row. They are loaded, begin to act in passes, and are
 * unloaded in the order of the rows. Features whose end may wait for ftrace, perhaps
 * for ever, come last, so that no other feature goes on meanwhile.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include "advise/advise.h"
#include "batch/knobs.h"
#include "core/feature.h"
#include "hold/hold.h"
#include "lazyfree/lazyfree.h"
#include "luf/luf_check.h"
#include "luf/luf_defer.h"
#include "luf/luf.h"
#include "pass/pass.h"
#include "shootdown/shootdown.h"
#include "wide/wide.h"
#ifdef TLBBATCH_EXAMPLE
#include "example/example.h"
#endif

const struct tlbbatch_row tlbbatch_features[] = {
	{
		.feature = &tlbbatch_batch,
		.files = &tlbbatch_batch_files,
		.load = tlbbatch_knobs_init,
		.unload = tlbbatch_knobs_exit,
	},
	/* Passes end for it before batching, which may write and free: rule G4. */
	{
		.feature = &tlbbatch_hold,
		.files = &tlbbatch_hold_files,
	},
	{
		.feature = &tlbbatch_wide,
		.files = &tlbbatch_wide_files,
	},
	{
		.feature = &tlbbatch_shootdown,
		.files = &tlbbatch_shootdown_files,
	},
#ifdef TLBBATCH_EXAMPLE
	{
		.feature = &tlbbatch_example,
		.files = &tlbbatch_example_files,
	},
#endif
	{
		.feature = &tlbbatch_lazyfree,
		.files = &tlbbatch_lazyfree_files,
	},
	/* Behind those that put flushes off in passes: rule A4. */
	{
		.feature = &tlbbatch_advise,
		.files = &tlbbatch_advise_files,
	},
	/* Checks what deferral does, and is the first of the three to go. */
	{
		.feature = &tlbbatch_luf_check,
	},
	/* Its unload also ends the next one, whose changes its mutex serialises. */
	{
		.feature = &tlbbatch_luf,
		.files = &tlbbatch_luf_sysfs_files,
		.load = tlbbatch_luf_load,
		.unload = tlbbatch_luf_unload,
	},
	{
		.feature = &tlbbatch_defer,
	},
};

const unsigned int tlbbatch_nr_features = ARRAY_SIZE(tlbbatch_features);
/*
 * Each feature may have a part in passes. To raise TLBBATCH_PASS_PARTS_MAX, add rows in
 * pass_calls.c.
 */
static_assert(ARRAY_SIZE(tlbbatch_features) <= TLBBATCH_PASS_PARTS_MAX);

/**
 * tlbbatch_features_passes() - register each feature's part in passes
 *
 * Context: load, before the table of passes is made.
 */
void tlbbatch_features_passes(void)
{
	const struct tlbbatch_row *row;

	for_each_tlbbatch_feature(row)
		if (row->feature->pass)
			tlbbatch_passes_add(row->feature->pass);
}

/**
 * tlbbatch_features_find() - find what each feature needs of the kernel
 *
 * Context: load; the symbols were looked up and BTF is open.
 */
void tlbbatch_features_find(void)
{
	const struct tlbbatch_row *row;

	for_each_tlbbatch_feature(row)
		tlbbatch_feature_find(row->feature);
}

static void unload_features(unsigned int nr)
{
	const struct tlbbatch_row *row;

	for (row = tlbbatch_features; row < tlbbatch_features + nr; row++) {
		if (row->unload)
			row->unload();
		else
			tlbbatch_feature_retire(row->feature);
	}
}

/**
 * tlbbatch_features_init() - do what the module parameters ask of each feature
 *
 * Context: load.
 * Return: 0, or the error of a feature; nothing is left behind then.
 */
int tlbbatch_features_init(void)
{
	unsigned int i;

	for (i = 0; i < tlbbatch_nr_features; i++) {
		const struct tlbbatch_row *row = &tlbbatch_features[i];
		int err = row->load ? row->load() : 0;

		if (err) {
			unload_features(i);
			return err;
		}
	}
	return 0;
}

/**
 * tlbbatch_features_exit() - stop all features for good
 *
 * Context: unload. The files in sysfs are gone, so that nobody writes to a knob.
 */
void tlbbatch_features_exit(void)
{
	unload_features(tlbbatch_nr_features);
}

/**
 * tlbbatch_features_on() - is any feature switched on?
 *
 * Context: any.
 */
bool tlbbatch_features_on(void)
{
	const struct tlbbatch_row *row;

	for_each_tlbbatch_feature(row)
		if (READ_ONCE(row->feature->on))
			return true;
	return false;
}
