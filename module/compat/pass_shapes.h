/* SPDX-License-Identifier: GPL-2.0-only */
/* What begins and ends a reclaim pass, in each kernel. */
#ifndef TLBBATCH_COMPAT_PASS_SHAPES_H
#define TLBBATCH_COMPAT_PASS_SHAPES_H

#include "hooks/hook.h"

extern const struct tlbbatch_target tlbbatch_shrink_folio_list_targets[];

#endif /* TLBBATCH_COMPAT_PASS_SHAPES_H */
