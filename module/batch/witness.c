// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tripwire's witness (rule B4): how many pages a pass wrote, by reclaim's own
 * account. If its statistics don't say so (stat_compat.h), its trace event does.
 */
#include <linux/mm.h>
#include "batch/reclaim_context.h"
#include "batch/reclaim_hooks.h"
#include "compat/stat_compat.h"
#include "hooks/watch.h"
#include "targets.h"

static void saw_write(void *data, struct folio *folio)
{
	struct tlbbatch_context *ctx = tlbbatch_context_batched();

	if (ctx)
		ctx->pages_traced += folio_nr_pages(folio);
}

#define EVENT(name, symbol, proto)	TLBBATCH_POINT(symbol, proto, saw_write)

static struct tlbbatch_point points[] = {
	TLBBATCH_TBL_trace_mm_vmscan_write_folio(EVENT)
};

struct tlbbatch_watches tlbbatch_batch_watches = {
	.name = "the tripwire",
	.lost = "a write-out that goes by its hooks is not noticed",
	.points = points,
	.nr_points = COMPAT_WITNESS_IS_TRACED ? ARRAY_SIZE(points) : 0,
};
