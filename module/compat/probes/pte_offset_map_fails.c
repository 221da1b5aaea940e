// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.5, Hugh Dickins' series "mm: allow pte_offset_map[_lock]() to fail": from then on who walks
 * page tables finds no table behind an entry that is none, and says so.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>

void *probe(void)
{
	return __pte_offset_map;
}
