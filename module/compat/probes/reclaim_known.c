// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reclaim of 6.1 to 7.3 was looked at for what luf/mode=defer needs: which flush belongs to which
 * group of folios, and what comes between. Symbols and prototypes may stay while that changes.
 */
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 4, 0)
#error "nobody has looked at it yet"
#endif
