// SPDX-License-Identifier: GPL-2.0-only
/* This compiles against every kernel. If it doesn't, the toolchain is broken. */
#include <linux/mm.h>
#include <linux/module.h>

unsigned long probe(const struct page *page)
{
	return page_to_pfn(page);
}
