// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gone in 6.16, "mm: Remove swap_writepage() and shmem_writepage()" and its
 * series: the plug has been a parameter of swap_writeout() since.
 */
#include <linux/writeback.h>

int probe(struct writeback_control *wbc, struct swap_iocb **plug)
{
	wbc->swap_plug = plug;
	return wbc->for_reclaim;
}
