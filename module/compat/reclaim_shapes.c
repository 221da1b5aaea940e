// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shapes of pageout(), private to mm/vmscan.c. BTF tells at load which one the kernel
 * has.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include "batch/reclaim_hooks.h"
#include "compat/reclaim_shapes.h"
#include "hooks/hook.h"
#include "probed.h"
#include "targets.h"

struct swap_iocb;

#ifdef TLBBATCH_HAVE_AOPS_WRITEPAGE

static unsigned long mapping_writer(const struct address_space *mapping)
{
	return mapping ? (unsigned long)mapping->a_ops->writepage : 0;
}

/* From 6.12 at the latest: the list takes what a shmem folio is split into. */
#define PAGEOUT_LIST_PARAMS						\
	struct folio *folio, struct address_space *mapping,		\
	struct swap_iocb **plug, struct list_head *folio_list
#define PAGEOUT_LIST_ARGS	folio, mapping, plug, folio_list

typedef int tlbbatch_type_pageout_list(PAGEOUT_LIST_PARAMS);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_pageout_list, tlbbatch_type_pageout_list);

static int tlbbatch_hook_pageout_list(PAGEOUT_LIST_PARAMS)
{
	struct tlbbatch_file_write write;

	tlbbatch_file_write_begin(&write, folio, mapping_writer(mapping));
	return tlbbatch_file_write_end(&write,
		static_call(tlbbatch_orig_pageout_list)(PAGEOUT_LIST_ARGS));
}

/* 6.1 */
#define PAGEOUT_PLAIN_PARAMS						\
	struct folio *folio, struct address_space *mapping,		\
	struct swap_iocb **plug
#define PAGEOUT_PLAIN_ARGS	folio, mapping, plug

typedef int tlbbatch_type_pageout_plain(PAGEOUT_PLAIN_PARAMS);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_pageout_plain, tlbbatch_type_pageout_plain);

static int tlbbatch_hook_pageout_plain(PAGEOUT_PLAIN_PARAMS)
{
	struct tlbbatch_file_write write;

	tlbbatch_file_write_begin(&write, folio, mapping_writer(mapping));
	return tlbbatch_file_write_end(&write,
		static_call(tlbbatch_orig_pageout_plain)(PAGEOUT_PLAIN_ARGS));
}

#endif /* TLBBATCH_HAVE_AOPS_WRITEPAGE */

const struct tlbbatch_target tlbbatch_pageout_targets[] = {
	TLBBATCH_TBL_hook_pageout(TLBBATCH_TARGET)
	{ }
};
