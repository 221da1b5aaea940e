// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shapes of shrink_folio_list(), private to mm/vmscan.c. BTF tells at load which one
 * the kernel has.
 */
#include <linux/mm.h>
#include "compat/pass_shapes.h"
#include "hooks/hook.h"
#include "pass/pass_calls.h"
#include "targets.h"

/* From 7.2 on: the cgroup, which decides where folios may be demoted to. */
#define SHRINK_MEMCG_PARAMS						\
	struct list_head *folio_list, struct pglist_data *pgdat,	\
	struct scan_control *sc, struct reclaim_stat *stat,		\
	bool ignore_references, struct mem_cgroup *memcg
#define SHRINK_MEMCG_ARGS	\
	folio_list, pgdat, sc, stat, ignore_references, memcg

typedef unsigned int tlbbatch_type_shrink_folio_list_memcg(SHRINK_MEMCG_PARAMS);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_shrink_folio_list_memcg,
			tlbbatch_type_shrink_folio_list_memcg);

static unsigned int tlbbatch_hook_shrink_folio_list_memcg(SHRINK_MEMCG_PARAMS)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_begin(pgdat, sc, stat);

	return tlbbatch_pass_end(pass,
		static_call(tlbbatch_orig_shrink_folio_list_memcg)(SHRINK_MEMCG_ARGS));
}

/* Up to 7.1: without the cgroup. */
#define SHRINK_PLAIN_PARAMS						\
	struct list_head *folio_list, struct pglist_data *pgdat,	\
	struct scan_control *sc, struct reclaim_stat *stat,		\
	bool ignore_references
#define SHRINK_PLAIN_ARGS	folio_list, pgdat, sc, stat, ignore_references

typedef unsigned int tlbbatch_type_shrink_folio_list_plain(SHRINK_PLAIN_PARAMS);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_shrink_folio_list_plain,
			tlbbatch_type_shrink_folio_list_plain);

static unsigned int tlbbatch_hook_shrink_folio_list_plain(SHRINK_PLAIN_PARAMS)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_begin(pgdat, sc, stat);

	return tlbbatch_pass_end(pass,
		static_call(tlbbatch_orig_shrink_folio_list_plain)(SHRINK_PLAIN_ARGS));
}

const struct tlbbatch_target tlbbatch_shrink_folio_list_targets[] = {
	TLBBATCH_TBL_hook_shrink_folio_list(TLBBATCH_TARGET)
	{ }
};
