// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.11, Lance Yang's series "Reclaim lazyfree THP without splitting": from then on
 * try_to_unmap_one() splits with the page table lock held.
 */
#include <linux/mm.h>

void *probe(void)
{
	return split_huge_pmd_locked;
}
