// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where huge pages are discarded: in place of what try_to_unmap_one() calls for a huge page.
 *
 *  split_huge_pmd_locked()	splits the mapping (6.12, 7.3). The page table lock is held, and
 *				the MMU notifiers were told
 *  split_huge_pmd_address()	the same (6.1). It takes the lock, and tells the notifiers, itself
 *  unmap_huge_pmd_locked()	the kernel's own discard (7.2, and 6.12 up to 6.12.116)
 *
 * Whoever else splits a mapping wants it split, so only the calls of try_to_unmap_one() are
 * redirected (rule F2). The replacements are in compat/lazyfree_shapes.c.
 */
#include <linux/kernel.h>
#include "compat/lazyfree_shapes.h"
#include "hooks/hook.h"
#include "lazyfree/lazyfree_discard.h"
#include "lazyfree/lazyfree_hooks.h"
#include "lazyfree/lazyfree_symbols.h"
#include "targets.h"

/* Rule H3: a hook that ftrace doesn't let go of does nothing. */
static bool notrace acts_split_huge_pmd(unsigned long parent_ip)
{
	return tlbbatch_lazyfree_acts() && tlbbatch_in_unmap_one(parent_ip);
}

/* Rule F6: whoever calls it, the entry must not be none for a while. */
static bool notrace acts_unmap_huge_pmd_locked(unsigned long parent_ip)
{
	return tlbbatch_lazyfree_acts();
}

#define HOOK(name_)							\
	{								\
		TLBBATCH_TBL_hook_##name_##_is,				\
		.targets = tlbbatch_##name_##_targets,			\
		.acts = acts_##name_,					\
	}

static struct tlbbatch_hook hooks[] = {
	HOOK(unmap_huge_pmd_locked),
	HOOK(split_huge_pmd),
};

/*
 * They are registered whole: their end needs no memory, and when it returns, no task is in a
 * replacement (rule F9).
 */
struct tlbbatch_redirects tlbbatch_lazyfree_redirects = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
	.whole = true,
	.drain = tlbbatch_lazyfree_wait,
};

/* A row above that has none in the table doesn't compile. This checks the reverse. */
#define COUNT(name, optional)	+ 1
static_assert(ARRAY_SIZE(hooks) == 0 TLBBATCH_TBL_lazyfree_hook_names(COUNT));
