// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a pass demote? Then it migrates, retries, and flushes in between (rule B19), so that
 * nothing may wait in it. All that is asked for is found at load.
 */
#include <linux/kernel.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/string.h>
#include "debug/debug.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "pass/demotion.h"
#include "targets.h"

DEFINE_STATIC_CALL_NULL(tlbbatch_node_get_allowed_targets,
			tlbbatch_type_node_get_allowed_targets);

static const struct tlbbatch_helper helpers[] = {
	TLBBATCH_HELPER(TLBBATCH_TBL_call_node_get_allowed_targets,
			tlbbatch_node_get_allowed_targets)
};

/* The symbol in a row of targets.tbl that has no alternatives. */
#define NAME_OF(row)	TLBBATCH_TBL_##row(TLBBATCH_TBL_SYMBOL)

static char missing[TLBBATCH_REASON_LEN];
static const bool *demotion_enabled;

/**
 * tlbbatch_demotion_find() - find what tells whether passes demote
 *
 * Each feature that must know calls it.
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_demotion_find(void)
{
	if (!tlbbatch_helpers_resolve(helpers, ARRAY_SIZE(helpers), missing,
				      sizeof(missing)))
		return missing;
	demotion_enabled = (const bool *)
		tlbbatch_symbol_address(NAME_OF(data_numa_demotion_enabled));
	if (!demotion_enabled) {
		strscpy(missing, NAME_OF(data_numa_demotion_enabled) " not found",
			sizeof(missing));
		return missing;
	}
	return NULL;
}

/**
 * tlbbatch_demotes() - may a pass on this node demote folios?
 * @nid: the node
 *
 * Context: reclaim.
 */
bool tlbbatch_demotes(int nid)
{
	nodemask_t lower;

	if (!READ_ONCE(*demotion_enabled) ||
	    tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_DEMOTION))
		return false;
	static_call(tlbbatch_node_get_allowed_targets)(NODE_DATA(nid), &lower);
	return !nodes_empty(lower);
}
