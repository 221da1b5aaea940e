// SPDX-License-Identifier: GPL-2.0-only
/*
 * Required: an UFFDIO_MOVE, which came with 6.8, that looks for a folio in the swap cache before it
 * moves an entry (rule B17). No prototype shows that. It is known of 6.12.43 and of 6.16.
 */
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0) &&					\
	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 43) ||				\
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) &&				\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)))
#error "UFFDIO_MOVE of this kernel may move the entry of a folio that waits"
#endif
