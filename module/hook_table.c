// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every function of the kernel that is hooked, a row each. Where its shape
 * differs from kernel to kernel, include/compat/ lists the targets (rule H1).
 */
#include <compat/ftrace_compat.h>
#include <compat/reclaim_shapes.h>
#include <compat/writeout_shapes.h>
#include <tlbbatch/flush.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/reclaim_hooks.h>

#define TARGET(function, proto_)					\
	{								\
		.symbol = #function,					\
		.proto = (proto_),					\
		.replacement = tlbbatch_hook_##function,		\
		.original = TLBBATCH_CALL(tlbbatch_orig_##function),	\
	}

static const struct tlbbatch_target flush_dirty_targets[] = {
	TARGET(try_to_unmap_flush_dirty, "void(void)"), { }
};

static const struct tlbbatch_target flush_targets[] = {
	TARGET(try_to_unmap_flush, "void(void)"), { }
};

static const struct tlbbatch_target move_targets[] = {
	{
		.symbol = "folio_move_anon_rmap",
		.proto = "void(struct folio *, struct vm_area_struct *)",
	}, { }
};

static void notrace passes_filemap_remove_folio(struct ftrace_regs *fregs)
{
	tlbbatch_flush_before_removal((struct folio *)compat_ftrace_argument(fregs, 0));
}

static const struct tlbbatch_target remove_targets[] = {
	{
		.symbol = "filemap_remove_folio",
		.proto = "void(struct folio *)",
		.passes = passes_filemap_remove_folio,
	}, { }
};

/* Rule H9: attached in this order and detached in reverse; shrink_folio_list() opens
 * the contexts without which folios never wait, so it comes last.
 */
struct tlbbatch_hook tlbbatch_hooks[] = {
	{
		.name = "try_to_unmap_flush_dirty",
		.lost = "flushes per dirty folio cannot be put off",
		.acts = tlbbatch_context_acts,
		.targets = flush_dirty_targets,
	},
	{
		.name = "try_to_unmap_flush",
		.lost = "flushes that cover a batch could not be told",
		.acts = tlbbatch_context_acts,
		.targets = flush_targets,
	},
	{
		.name = "swap_writeout",
		.lost = "anonymous folios cannot wait",
		.acts = tlbbatch_context_gates,
		.targets = swap_writeout_targets,
	},
	{
		.name = "shmem_writeout",
		.lost = "shmem folios could be written before their flush",
		.acts = tlbbatch_context_gates_shmem,
		.targets = shmem_writeout_targets,
	},
	{
		.name = "pageout",
		.lost = "kswapd could write file folios before their flush",
		.acts = tlbbatch_context_gates,
		.need = { "address_space_operations", "writepage",
			  "reclaim of this kernel writes no files" },
		.targets = pageout_targets,
	},
	{
		.name = "folio_move_anon_rmap",
		.lost = "UFFDIO_MOVE could move a page that a CPU still stores to",
		.looks = true,
		.need = { "uffdio_move", NULL, "this kernel has no UFFDIO_MOVE" },
		.targets = move_targets,
	},
	{
		.name = "filemap_remove_folio",
		.lost = "a hole punched into shmem could swallow a later store",
		.targets = remove_targets,
	},
	{
		.name = "shrink_folio_list",
		.lost = "no reclaim pass can be batched",
		.acts = tlbbatch_context_enter,
		.targets = shrink_folio_list_targets,
	},
};

const unsigned int tlbbatch_nr_hooks = ARRAY_SIZE(tlbbatch_hooks);
