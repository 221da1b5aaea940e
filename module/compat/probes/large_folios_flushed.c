// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reclaim flushes before it frees a large folio that was mapped. Before 6.10 it may free it at
 * once: 6.1.178 corrects that, "mm/vmscan: flush deferred TLB before freeing large folios". No
 * prototype shows it.
 */
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 178) ||					\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) &&				\
	 LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0))
#error "large folios are freed before the flush"
#endif
