// SPDX-License-Identifier: GPL-2.0-only
/*
 * Removed in 6.16 by the series "Remove aops->writepage": since then the plug is a
 * parameter of swap_writeout().
 */
#include <linux/writeback.h>

int probe(struct writeback_control *wbc, struct swap_iocb **plug)
{
	wbc->swap_plug = plug;
	return wbc->for_reclaim;
}
