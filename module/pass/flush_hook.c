// SPDX-License-Identifier: GPL-2.0-only
/* The hook of try_to_unmap_flush(), shared by all features that act in reclaim's flushes. */
#include "hooks/hook.h"
#include "pass/flush_calls.h"
#include "pass/flush_hook.h"
#include "targets.h"

static const struct tlbbatch_target targets[] = {
	TLBBATCH_TBL_hook_try_to_unmap_flush(TLBBATCH_TARGET)
	{ }
};

struct tlbbatch_hook tlbbatch_flush_hook = {
	TLBBATCH_TBL_hook_try_to_unmap_flush_is,
	.targets = targets,
	.acts = tlbbatch_flush_acts,
};
