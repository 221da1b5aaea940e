// SPDX-License-Identifier: GPL-2.0-only
/* The hook of shrink_folio_list(), by which passes begin and end. */
#include "compat/pass_shapes.h"
#include "hooks/hook.h"
#include "pass/pass.h"
#include "pass/pass_hook.h"
#include "targets.h"

/* Shared by all features that act in passes. It opens passes, so it is attached last. */
struct tlbbatch_hook tlbbatch_pass_hook = {
	TLBBATCH_TBL_hook_shrink_folio_list_is,
	.targets = tlbbatch_shrink_folio_list_targets,
	.acts = tlbbatch_pass_enter,
};
