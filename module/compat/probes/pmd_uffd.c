// SPDX-License-Identifier: GPL-2.0-only
/* 7.3 renamed pmd_uffd_wp(), as userfaultfd can protect against reads, too. */
#include <linux/mm.h>

int probe(pmd_t pmd)
{
	return pmd_uffd(pmd);
}
