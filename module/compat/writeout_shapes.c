// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shapes of swap's and shmem's write-out, private to mm/. BTF tells at load
 * which one the kernel has. Each comes with its writer, which the core calls with
 * a folio and what gathers swap I/O.
 */
#include <linux/mm.h>
#include <linux/swap.h>
#include <linux/writeback.h>
#include "batch/flush.h"
#include "batch/folio_write.h"
#include "batch/reclaim_hooks.h"
#include "compat/ftrace_compat.h"
#include "compat/swap_io_compat.h"
#include "compat/writeout_shapes.h"
#include "hooks/hook.h"
#include "probed.h"
#include "targets.h"

/* A shape is compiled for every kernel whose headers have its types, used or not. */
#define WRITEOUT_SHAPE(name, gate_, params, args, folio_, io_, for_reclaim_) \
typedef int tlbbatch_type_##name(params);				\
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_##name, tlbbatch_type_##name);	\
									\
static int tlbbatch_hook_##name(params)					\
{									\
	struct tlbbatch_writeout out = {				\
		.folio = (folio_),					\
		.io = (struct swap_io_ctx *)(io_),			\
		.gate = (gate_),					\
		.for_reclaim = (for_reclaim_),				\
	};								\
									\
	if (tlbbatch_gate_defers(&out))					\
		return 0;						\
	return tlbbatch_gate_wrote(&out,				\
				   static_call(tlbbatch_orig_##name)(args)); \
}

#define WRITEOUT_TARGET(code, symbol, proto, to, passes_)		\
	{								\
		.function = { symbol, proto },				\
		.replacement = tlbbatch_hook_##code,			\
		.original = TLBBATCH_CALL(tlbbatch_orig_##code),	\
		.passes = passes_,					\
		.write_out = write_##code,				\
		.writer = TLBBATCH_CALL(to),				\
	},

#define SWAP_TARGET(code, symbol, proto)				\
	WRITEOUT_TARGET(code, symbol, proto, tlbbatch_write_swap, NULL)
#define SHMEM_TARGET(code, symbol, proto)				\
	WRITEOUT_TARGET(code, symbol, proto, tlbbatch_write_shmem, passes_##code)

#define LIST(...)	__VA_ARGS__

/*
 * Shmem's third parameter is a list for what a large folio is split into. The writers
 * below pass NULL, because no large shmem folio waits.
 *
 * Reclaim always hands over a swap plug or, from 7.3 on, that list. A caller that
 * doesn't is not reclaim.
 */

#ifdef TLBBATCH_HAVE_SWAP_IO_CTX

WRITEOUT_SHAPE(swap_writeout_ctx, TLBBATCH_GATE_SWAP,
	       LIST(struct swap_io_ctx *io, struct folio *folio),
	       LIST(io, folio), folio, io, true)
WRITEOUT_SHAPE(shmem_writeout_ctx, TLBBATCH_GATE_SHMEM,
	       LIST(struct swap_io_ctx *io, struct folio *folio,
		    struct list_head *folio_list),
	       LIST(io, folio, folio_list), folio, io, true)

static void notrace passes_shmem_writeout_ctx(struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)compat_ftrace_argument(fregs, 1);

	if (!compat_ftrace_argument(fregs, 2))
		tlbbatch_flush_before_foreign_write(folio);
}

static int write_swap_writeout_ctx(struct swap_io_ctx *io, struct folio *folio)
{
	return static_call(tlbbatch_orig_swap_writeout_ctx)(io, folio);
}

static int write_shmem_writeout_ctx(struct swap_io_ctx *io, struct folio *folio)
{
	return static_call(tlbbatch_orig_shmem_writeout_ctx)(io, folio, NULL);
}

#endif /* TLBBATCH_HAVE_SWAP_IO_CTX */

/* 6.16 to 7.2: a swap plug. */

WRITEOUT_SHAPE(swap_writeout_plug, TLBBATCH_GATE_SWAP,
	       LIST(struct folio *folio, struct swap_iocb **plug),
	       LIST(folio, plug), folio, plug, true)
WRITEOUT_SHAPE(shmem_writeout_plug, TLBBATCH_GATE_SHMEM,
	       LIST(struct folio *folio, struct swap_iocb **plug,
		    struct list_head *folio_list),
	       LIST(folio, plug, folio_list), folio, plug, true)

static void notrace passes_shmem_writeout_plug(struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)compat_ftrace_argument(fregs, 0);

	if (!compat_ftrace_argument(fregs, 1))
		tlbbatch_flush_before_foreign_write(folio);
}

static int write_swap_writeout_plug(struct swap_io_ctx *io, struct folio *folio)
{
	return static_call(tlbbatch_orig_swap_writeout_plug)(folio,
			(struct swap_iocb **)io);
}

static int write_shmem_writeout_plug(struct swap_io_ctx *io, struct folio *folio)
{
	return static_call(tlbbatch_orig_shmem_writeout_plug)(folio,
			(struct swap_iocb **)io, NULL);
}

#ifdef TLBBATCH_HAVE_WBC_SWAP_PLUG

/* Up to 6.15: a page, and the plug in a writeback_control. */

WRITEOUT_SHAPE(swap_writeout_wbc, TLBBATCH_GATE_SWAP,
	       LIST(struct page *page, struct writeback_control *wbc),
	       LIST(page, wbc), page_folio(page), wbc->swap_plug,
	       wbc->for_reclaim)
WRITEOUT_SHAPE(shmem_writeout_wbc, TLBBATCH_GATE_SHMEM,
	       LIST(struct page *page, struct writeback_control *wbc),
	       LIST(page, wbc), page_folio(page), wbc->swap_plug,
	       wbc->for_reclaim)

static void notrace passes_shmem_writeout_wbc(struct ftrace_regs *fregs)
{
	struct page *page = (struct page *)compat_ftrace_argument(fregs, 0);
	const struct writeback_control *wbc;

	wbc = (const struct writeback_control *)compat_ftrace_argument(fregs, 1);
	if (!wbc->swap_plug)
		tlbbatch_flush_before_foreign_write(page_folio(page));
}

/* As reclaim's pageout() fills it in; it lives in one write-out only. */
#define RECLAIM_WBC(io) {						\
	.sync_mode = WB_SYNC_NONE,					\
	.nr_to_write = SWAP_CLUSTER_MAX,				\
	.range_start = 0,						\
	.range_end = LLONG_MAX,						\
	.for_reclaim = 1,						\
	.swap_plug = (struct swap_iocb **)(io),				\
}

static int write_swap_writeout_wbc(struct swap_io_ctx *io, struct folio *folio)
{
	struct writeback_control wbc = RECLAIM_WBC(io);

	return static_call(tlbbatch_orig_swap_writeout_wbc)(&folio->page, &wbc);
}

static int write_shmem_writeout_wbc(struct swap_io_ctx *io, struct folio *folio)
{
	struct writeback_control wbc = RECLAIM_WBC(io);

	return static_call(tlbbatch_orig_shmem_writeout_wbc)(&folio->page, &wbc);
}

#endif /* TLBBATCH_HAVE_WBC_SWAP_PLUG */

const struct tlbbatch_target tlbbatch_swap_writeout_targets[] = {
	TLBBATCH_TBL_hook_swap_writeout(SWAP_TARGET)
	{ }
};

const struct tlbbatch_target tlbbatch_shmem_writeout_targets[] = {
	TLBBATCH_TBL_hook_shmem_writeout(SHMEM_TARGET)
	{ }
};
