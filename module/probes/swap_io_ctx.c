// SPDX-License-Identifier: GPL-2.0-only
/* 7.3, "mm/swap: introduce struct swap_io_ctx": instead of a plug. */
#include <linux/swap_ops.h>

unsigned long probe(void)
{
	struct swap_io_ctx io = { };

	return (unsigned long)io.sio;
}
