// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.13, since when madvise() makes guard pages: commit 662df3e5c376 ("mm: madvise: implement
 * lightweight guard page mechanism").
 */
#include <linux/mman.h>

int probe(void)
{
	return MADV_GUARD_INSTALL;
}
