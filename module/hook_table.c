// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every function of the kernel that is hooked, a row each. A row's target is
 * named through include/compat/, so a new kernel changes only that.
 */
#include <tlbbatch/hook.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/reclaim_hooks.h>

/* Attached in this order and detached in reverse; shrink_folio_list() opens
 * the contexts without which no other hook acts, so it comes last.
 */
struct tlbbatch_hook tlbbatch_hooks[] = {
	{
		.name = "try_to_unmap_flush_dirty",
		.lost = "flushes per dirty folio cannot be put off",
		.acts = tlbbatch_context_acts_on_flush,
		.targets = { {
			.symbol = "try_to_unmap_flush_dirty",
			.proto = "void(void)",
			.replacement = tlbbatch_hook_try_to_unmap_flush_dirty,
			.original = TLBBATCH_CALL(tlbbatch_orig_try_to_unmap_flush_dirty),
		} },
	},
	{
		.name = "try_to_unmap_flush",
		.lost = "a batch could not be written before folios are freed",
		.acts = tlbbatch_context_acts_on_flush,
		.targets = { {
			.symbol = "try_to_unmap_flush",
			.proto = "void(void)",
			.replacement = tlbbatch_hook_try_to_unmap_flush,
			.original = TLBBATCH_CALL(tlbbatch_orig_try_to_unmap_flush),
		} },
	},
	{
		.name = "swap_writeout",
		.lost = "anonymous folios cannot wait",
		.acts = tlbbatch_context_gates,
		.targets = { {
			.symbol = COMPAT_SWAP_WRITEOUT_SYMBOL,
			.proto = COMPAT_WRITEOUT_PROTO,
			.replacement = tlbbatch_hook_swap_writeout,
			.original = TLBBATCH_CALL(tlbbatch_orig_swap_writeout),
		} },
	},
	{
		.name = "shmem_writeout",
		.lost = "shmem folios could be written before their flush",
		.acts = tlbbatch_context_gates,
		.targets = { {
			.symbol = COMPAT_SHMEM_WRITEOUT_SYMBOL,
			.proto = COMPAT_WRITEOUT_PROTO,
			.replacement = tlbbatch_hook_shmem_writeout,
			.original = TLBBATCH_CALL(tlbbatch_orig_shmem_writeout),
		} },
	},
	{
		.name = "pageout",
		.lost = "kswapd could write file folios before their flush",
		.acts = tlbbatch_context_gates,
		.targets = { {
			.symbol = "pageout",
			.proto = COMPAT_PAGEOUT_PROTO,
			.replacement = tlbbatch_hook_pageout,
			.original = TLBBATCH_CALL(tlbbatch_orig_pageout),
		} },
	},
	{
		.name = "shrink_folio_list",
		.lost = "no reclaim pass can be batched",
		.acts = tlbbatch_context_enter,
		.targets = { {
			.symbol = "shrink_folio_list",
			.proto = COMPAT_SHRINK_FOLIO_LIST_PROTO,
			.replacement = tlbbatch_hook_shrink_folio_list,
			.original = TLBBATCH_CALL(tlbbatch_orig_shrink_folio_list),
		} },
	},
};

const unsigned int tlbbatch_nr_hooks = ARRAY_SIZE(tlbbatch_hooks);
