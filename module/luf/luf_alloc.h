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
 * Tracking is no reason to kill anybody, nor to compact memory for pages in a row:
 * without memory it doesn't begin. Given back by vfree().
 *
 * Context: process context, may sleep. Return: zeroed, on a page's boundary; or NULL.
 */
static inline void *tlbbatch_luf_alloc(size_t nr, size_t size)
{
	return __vmalloc(array_size(nr, size), GFP_KERNEL | __GFP_ZERO |
			 __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

#endif /* TLBBATCH_LUF_ALLOC_H */
