/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What gathers swap writes until they are submitted. The core hands it on as a struct
 * swap_io_ctx, which there is from 7.3 on; before, it is reclaim's struct swap_iocb **
 * under that name.
 */
#ifndef TLBBATCH_COMPAT_SWAP_IO_H
#define TLBBATCH_COMPAT_SWAP_IO_H

#include <linux/mm_types.h>
#include "batch/batch_symbols.h"
#include "probed.h"

#ifdef TLBBATCH_HAVE_SWAP_IO_CTX

#include <linux/swap_ops.h>

/**
 * struct compat_swap_io - one of the module's own
 * @ctx: all writes
 *
 * All zero is an empty one. It lives on its user's stack.
 */
struct compat_swap_io {
	struct swap_io_ctx ctx;
};

static inline struct swap_io_ctx *
compat_swap_io_handle(struct compat_swap_io *own)
{
	return &own->ctx;
}

static inline void compat_swap_io_submit(struct compat_swap_io *own)
{
	static_call(tlbbatch_swap_write_submit)(&own->ctx);
}

#else

struct swap_iocb;

/*
 * One of the module's own, as above. It only gathers writes to a swap file
 * (SWP_FS_OPS).
 */
struct compat_swap_io {
	struct swap_iocb *plug;
};

static inline struct swap_io_ctx *
compat_swap_io_handle(struct compat_swap_io *own)
{
	return (struct swap_io_ctx *)&own->plug;
}

static inline void compat_swap_io_submit(struct compat_swap_io *own)
{
	if (own->plug)
		static_call(tlbbatch_swap_write_unplug)(own->plug);
}

#endif /* TLBBATCH_HAVE_SWAP_IO_CTX */

#endif /* TLBBATCH_COMPAT_SWAP_IO_H */
