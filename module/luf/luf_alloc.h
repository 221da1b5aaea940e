/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for what LUF tracking remembers. */
#ifndef TLBBATCH_LUF_ALLOC_H
#define TLBBATCH_LUF_ALLOC_H

#include <linux/overflow.h>
#include <linux/vmalloc.h>

/**
 * tlbbatch_luf_alloc() - memory for a table
 * @nr: entries
 * @size: of one, in bytes
 *
 * The flags keep this from invoking the OOM killer, and the memory need not be
 * contiguous. If memory is short, tracking doesn't begin. To be freed by vfree().
 *
 * Context: process context, may sleep.
 * Return: zeroed memory, aligned to a page; or NULL.
 */
static inline void *tlbbatch_luf_alloc(size_t nr, size_t size)
{
	return __vmalloc(array_size(nr, size), GFP_KERNEL | __GFP_ZERO |
			 __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

#endif /* TLBBATCH_LUF_ALLOC_H */
