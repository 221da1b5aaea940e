// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gone in 6.16 with the series "Remove aops->writepage": the plug has been a
 * parameter of swap_writeout() since.
 */
#include <linux/writeback.h>

int probe(struct writeback_control *wbc, struct swap_iocb **plug)
{
	wbc->swap_plug = plug;
	return wbc->for_reclaim;
}
