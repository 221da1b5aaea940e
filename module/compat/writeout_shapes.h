/* SPDX-License-Identifier: GPL-2.0-only */
/* What writes anonymous and shared folios out, in each kernel. */
#ifndef TLBBATCH_COMPAT_WRITEOUT_SHAPES_H
#define TLBBATCH_COMPAT_WRITEOUT_SHAPES_H

#include "hooks/hook.h"

extern const struct tlbbatch_target tlbbatch_swap_writeout_targets[];
extern const struct tlbbatch_target tlbbatch_shmem_writeout_targets[];

#endif /* TLBBATCH_COMPAT_WRITEOUT_SHAPES_H */
