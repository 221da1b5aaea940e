/* SPDX-License-Identifier: GPL-2.0-only */
/* What reclaim writes file folios out by, in each kernel. */
#ifndef TLBBATCH_COMPAT_RECLAIM_SHAPES_H
#define TLBBATCH_COMPAT_RECLAIM_SHAPES_H

#include "hooks/hook.h"

extern const struct tlbbatch_target tlbbatch_pageout_targets[];

#endif /* TLBBATCH_COMPAT_RECLAIM_SHAPES_H */
