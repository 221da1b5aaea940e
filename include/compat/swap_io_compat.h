/* SPDX-License-Identifier: GPL-2.0-only */
/* The swap I/O that write-outs of one batch are gathered in. */
#ifndef TLBBATCH_COMPAT_SWAP_IO_H
#define TLBBATCH_COMPAT_SWAP_IO_H

#include <linux/mm_types.h>
#include <linux/static_call.h>
#include "probed.h"

#ifdef TLBBATCH_HAVE_SWAP_IO_CTX
#include <linux/swap_ops.h>
#endif

struct swap_iocb;

/**
 * struct compat_swap_io - what gathers swap writes until they are submitted
 * @plug: up to 7.2, the writes to a swap file that its file system asked to gather
 * @ctx: from 7.3 on, all writes
 *
 * All zero is an empty one. It lives on its user's stack.
 */
struct compat_swap_io {
	struct swap_iocb *plug;
#ifdef TLBBATCH_HAVE_SWAP_IO_CTX
	struct swap_io_ctx ctx;
#endif
};

/* Its static call, and rows for the table of functions that are called, never hooked. */
#ifdef TLBBATCH_HAVE_SWAP_IO_CTX

void tlbbatch_type_swap_write_submit(struct swap_io_ctx *io);
DECLARE_STATIC_CALL(tlbbatch_swap_write_submit,
		    tlbbatch_type_swap_write_submit);

#define COMPAT_SWAP_IO_DEFINE						\
	DEFINE_STATIC_CALL_NULL(tlbbatch_swap_write_submit,		\
				tlbbatch_type_swap_write_submit)
#define COMPAT_SWAP_SUBMIT_HELPERS					\
	{ { "swap_write_submit" }, "void(struct swap_io_ctx *)",	\
	  TLBBATCH_CALL(tlbbatch_swap_write_submit) },
#define COMPAT_SWAP_UNPLUG_HELPERS

static inline void compat_swap_io_submit(struct compat_swap_io *io)
{
	static_call(tlbbatch_swap_write_submit)(&io->ctx);
}

#else

void tlbbatch_type_swap_write_unplug(struct swap_iocb *plug);
DECLARE_STATIC_CALL(tlbbatch_swap_write_unplug,
		    tlbbatch_type_swap_write_unplug);

#define COMPAT_SWAP_IO_DEFINE						\
	DEFINE_STATIC_CALL_NULL(tlbbatch_swap_write_unplug,		\
				tlbbatch_type_swap_write_unplug)
#define COMPAT_SWAP_SUBMIT_HELPERS
#define COMPAT_SWAP_UNPLUG_HELPERS					\
	{ { "swap_write_unplug" }, "void(struct swap_iocb *)",		\
	  TLBBATCH_CALL(tlbbatch_swap_write_unplug) },

static inline void compat_swap_io_submit(struct compat_swap_io *io)
{
	if (io->plug)
		static_call(tlbbatch_swap_write_unplug)(io->plug);
}

#endif /* TLBBATCH_HAVE_SWAP_IO_CTX */

#endif /* TLBBATCH_COMPAT_SWAP_IO_H */
