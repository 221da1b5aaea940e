// SPDX-License-Identifier: GPL-2.0-only
/* 7.3, Christoph Hellwig's patch to introduce struct swap_io_ctx, of May 2026. */
#include <linux/swap_ops.h>

unsigned long probe(void)
{
	struct swap_io_ctx io = { };

	return (unsigned long)io.sio;
}
