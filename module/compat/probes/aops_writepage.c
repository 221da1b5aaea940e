// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gone in 6.16 with Matthew Wilcox's series "Remove aops->writepage": from then on reclaim
 * writes anonymous and shmem folios only.
 */
#include <linux/fs.h>

unsigned long probe(const struct address_space_operations *ops)
{
	return (unsigned long)ops->writepage;
}
