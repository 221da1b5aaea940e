/* SPDX-License-Identifier: GPL-2.0-only */
/* The shapes of what try_to_unmap_one() calls for a huge page. */
#ifndef TLBBATCH_COMPAT_LAZYFREE_SHAPES_H
#define TLBBATCH_COMPAT_LAZYFREE_SHAPES_H

#include "hooks/hook.h"

extern const struct tlbbatch_target tlbbatch_unmap_huge_pmd_locked_targets[];
extern const struct tlbbatch_target tlbbatch_split_huge_pmd_targets[];

void tlbbatch_lazyfree_wait(void);

#endif /* TLBBATCH_COMPAT_LAZYFREE_SHAPES_H */
