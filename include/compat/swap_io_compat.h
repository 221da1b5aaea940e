/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes with struct swap_io_ctx, where there is one. */
#ifndef TLBBATCH_COMPAT_SWAP_IO_H
#define TLBBATCH_COMPAT_SWAP_IO_H

#include <linux/static_call.h>
#include "probed.h"

#ifdef TLBBATCH_HAVE_SWAP_IO_CTX
#include <linux/swap_ops.h>

void tlbbatch_type_swap_write_submit(struct swap_io_ctx *io);
DECLARE_STATIC_CALL(tlbbatch_swap_write_submit,
		    tlbbatch_type_swap_write_submit);

/* A row for the table of functions that are called and never hooked. */
#define COMPAT_SWAP_IO_HELPERS						\
	{ { "swap_write_submit" }, "void(struct swap_io_ctx *)",	\
	  TLBBATCH_CALL(tlbbatch_swap_write_submit) },
#else
#define COMPAT_SWAP_IO_HELPERS
#endif

#endif /* TLBBATCH_COMPAT_SWAP_IO_H */
