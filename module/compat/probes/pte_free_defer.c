// SPDX-License-Identifier: GPL-2.0-only
/* 6.6, Hugh Dickins' series "mm: free retracted page table by RCU". */
#include <linux/mm.h>
#include <linux/pgtable.h>

void probe(struct mm_struct *mm, pgtable_t table)
{
	pte_free_defer(mm, table);
}
