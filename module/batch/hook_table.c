// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of the kernel that batching hooks: each has a row, in the order of
 * targets.tbl. If a function's prototype differs between kernels, module/compat/
 * has a replacement for each prototype (rule H1).
 */
#include "batch/flush.h"
#include "batch/reclaim_context.h"
#include "batch/reclaim_hooks.h"
#include "compat/ftrace_compat.h"
#include "compat/reclaim_shapes.h"
#include "compat/writeout_shapes.h"
#include "hooks/hook.h"
#include "pass/flush_hook.h"
#include "targets.h"

static const struct tlbbatch_target tlbbatch_try_to_unmap_flush_dirty_targets[] = {
	TLBBATCH_TBL_hook_try_to_unmap_flush_dirty(TLBBATCH_TARGET)
	{ }
};

#define LOOKED_AT(code, symbol, proto)	{ .function = { symbol, proto } },

static const struct tlbbatch_target tlbbatch_folio_move_anon_rmap_targets[] = {
	TLBBATCH_TBL_hook_folio_move_anon_rmap(LOOKED_AT)
	{ }
};

static void notrace passes_filemap_remove_folio(struct ftrace_regs *fregs)
{
	tlbbatch_flush_before_removal((struct folio *)compat_ftrace_argument(fregs, 0));
}

#define PASSED(code, symbol, proto)	\
	{ .function = { symbol, proto }, .passes = passes_##code },

static const struct tlbbatch_target tlbbatch_filemap_remove_folio_targets[] = {
	TLBBATCH_TBL_hook_filemap_remove_folio(PASSED)
	{ }
};

#define HOOK(name_, how)						\
	{								\
		TLBBATCH_TBL_hook_##name_##_is,				\
		.targets = tlbbatch_##name_##_targets,			\
		how,							\
	}

/*
 * Rule H9: the hooks are attached in this order and detached in reverse. That of
 * shrink_folio_list() opens passes, and without a pass no folio waits. So it is attached
 * last: see pass_hook.c.
 */
static struct tlbbatch_hook hooks[] = {
	HOOK(try_to_unmap_flush_dirty, .acts = tlbbatch_context_acts),
	HOOK(swap_writeout, .acts = tlbbatch_context_gates),
	HOOK(shmem_writeout, .acts = tlbbatch_context_gates_shmem),
	HOOK(pageout, .acts = tlbbatch_context_gates),
	HOOK(folio_move_anon_rmap, .look = &tlbbatch_move_set),
	HOOK(filemap_remove_folio, .acts = NULL),
};

struct tlbbatch_redirects tlbbatch_batch_redirects = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
	.shared = { &tlbbatch_flush_hook },
	.nr_shared = 1,
};

/* A row above that has none in targets.tbl doesn't compile. This checks the reverse. */
#define COUNT(name, optional)	+ 1
static_assert(ARRAY_SIZE(hooks) == 0 TLBBATCH_TBL_batch_hook_names(COUNT));
