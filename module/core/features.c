// SPDX-License-Identifier: GPL-2.0-only
/*
 * The features, a row each, in the order in which they are loaded, begin to act in passes,
 * and are unloaded. One whose end waits for ftrace, perhaps for ever, comes last, so that
 * no other one goes on meanwhile.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include "batch/knobs.h"
#include "core/feature.h"
#include "luf/luf.h"
#include "pass/pass.h"
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
#ifdef TLBBATCH_EXAMPLE
	{
		.feature = &tlbbatch_example,
		.files = &tlbbatch_example_files,
	},
#endif
	{
		.feature = &tlbbatch_luf,
		.files = &tlbbatch_luf_sysfs_files,
		.unload = tlbbatch_luf_unload,
	},
};

const unsigned int tlbbatch_nr_features = ARRAY_SIZE(tlbbatch_features);
/* Each may have a part: raise it, in pass_calls.c, too. */
static_assert(ARRAY_SIZE(tlbbatch_features) <= TLBBATCH_PASS_PARTS_MAX);

/**
 * tlbbatch_features_passes() - say what each feature remembers of a pass
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
 * Context: load; symbols found and BTF open.
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
 * tlbbatch_features_init() - do what modprobe asks each feature for
 *
 * Context: load. Return: 0, or what a feature returned; nothing is left behind then.
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
 * Context: unload; sysfs is gone, so no writer is left.
 */
void tlbbatch_features_exit(void)
{
	unload_features(tlbbatch_nr_features);
}

/**
 * tlbbatch_features_on() - does any feature act?
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
