// SPDX-License-Identifier: GPL-2.0-only
/*
 * Removed in 6.16 by Matthew Wilcox's series "Remove aops->writepage": from then on
 * reclaim writes anonymous and shmem folios only.
 */
#include <linux/fs.h>

unsigned long probe(const struct address_space_operations *ops)
{
	return (unsigned long)ops->writepage;
}
