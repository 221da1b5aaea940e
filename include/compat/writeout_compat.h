/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How reclaim hands a folio to swap and to shmem. The core speaks of folios
 * and swap plugs; what a kernel passes instead is translated here.
 */
#ifndef TLBBATCH_COMPAT_WRITEOUT_H
#define TLBBATCH_COMPAT_WRITEOUT_H

#include <linux/mm.h>
#include <linux/swap.h>
#include <linux/writeback.h>

struct swap_iocb;

/* Up to 6.15 a write-out takes a page and a writeback_control. */
#define COMPAT_SWAP_WRITEOUT_SYMBOL	"swap_writepage"
#define COMPAT_SHMEM_WRITEOUT_SYMBOL	"shmem_writepage"
#define COMPAT_WRITEOUT_PROTO \
	"int(struct page *, struct writeback_control *)"
#define COMPAT_PAGEOUT_PROTO \
	"pageout_t(struct folio *, struct address_space *, struct swap_iocb **)"

#define COMPAT_WRITEOUT_PARAMS	struct page *page, struct writeback_control *wbc
#define COMPAT_WRITEOUT_ARGS	page, wbc

typedef int compat_writeout_fn(COMPAT_WRITEOUT_PARAMS);

/* What a write-out hook needs to know, whatever the kernel calls it with. */
struct compat_writeout {
	struct folio *folio;
	struct swap_iocb **plug;
	bool for_reclaim;
};

static inline struct compat_writeout
compat_writeout_args(COMPAT_WRITEOUT_PARAMS)
{
	struct compat_writeout args = {
		.folio = page_folio(page),
		.plug = wbc->swap_plug,
		.for_reclaim = wbc->for_reclaim,
	};

	return args;
}

/*
 * Call a write-out as reclaim's pageout() does; @call is a static call. The
 * control lives in this call only, the plug as long as reclaim's pass.
 */
#define COMPAT_WRITEOUT(call, folio, swap_iocb_plug)	\
({							\
	struct writeback_control wbc_ = {		\
		.sync_mode = WB_SYNC_NONE,		\
		.nr_to_write = SWAP_CLUSTER_MAX,	\
		.range_start = 0,			\
		.range_end = LLONG_MAX,			\
		.for_reclaim = 1,			\
		.swap_plug = (swap_iocb_plug),		\
	};						\
							\
	static_call(call)(&(folio)->page, &wbc_);	\
})

/* Who writes a mapping's dirty folios. From 6.16 on reclaim writes no files. */
static inline unsigned long compat_mapping_writer(struct address_space *mapping)
{
	return (unsigned long)mapping->a_ops->writepage;
}

#endif /* TLBBATCH_COMPAT_WRITEOUT_H */
