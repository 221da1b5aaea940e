/* SPDX-License-Identifier: GPL-2.0-only */
/* Guard pages. */
#ifndef TLBBATCH_COMPAT_GUARD_H
#define TLBBATCH_COMPAT_GUARD_H

#include "probed.h"

/* Does madvise() make them? */
#ifdef TLBBATCH_HAVE_GUARD_PAGES
#define COMPAT_GUARD_PAGES	1
#else
#define COMPAT_GUARD_PAGES	0
#endif

#endif /* TLBBATCH_COMPAT_GUARD_H */
