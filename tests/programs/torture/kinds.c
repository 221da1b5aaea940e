// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kinds of torture's operations. A new kind is a row here, and a function that does it
 * once and checks what it has to lead to.
 */
#include "torture.h"

#define HUGE_PAGES	((int)(HUGE_BYTES / PAGE_BYTES))
#define SMALL_PAGES	16	/* 64 KiB */

static bool act_rewrite(struct worker *worker, int argument)
{
	unsigned int i;

	(void)argument;
	for (i = 0; i < OPS_PER_STEP; i++)
		one_rewrite(worker);
	return true;
}

const struct kind kinds[] = {
	{ "rewrite", ANY, 12, act_rewrite, 0, NULL, NULL },
	{ "read", ANY, 4, act_read, 0, NULL, NULL },
	{ "stores", ANON | SHMEM | SMALL, 10, act_stores, 0, NULL, NULL },

	{ "pageout", ANY, 6, act_advise, ADVICE_PAGEOUT, NULL, NULL },
	{ "cold", ANY, 2, act_advise, ADVICE_COLD, NULL, NULL },
	{ "willneed", ANY, 2, act_advise, ADVICE_WILLNEED, NULL, NULL },
	{ "populate", ANY, 2, act_advise, ADVICE_POPULATE, NULL, NULL },
	{ "collapse", HUGE, 2, act_advise, ADVICE_COLLAPSE, NULL, cannot_collapse },
	{ "hugepage", ANON, 1, act_advise, ADVICE_HUGE, NULL, cannot_huge },
	{ "nohugepage", HUGE | SMALL, 1, act_advise, ADVICE_NOHUGE, NULL, cannot_huge },
	{ "free", PRIVATE, 4, NULL, 0, free_step, NULL },
	{ "dontneed", ANY, 4, NULL, 0, dontneed_step, NULL },
	{ "guard", ANON, 2, act_guard, 0, NULL, cannot_guard },
	{ "mergeable", ANON, 2, act_twins, 0, NULL, cannot_twins },
	{ "mlock", ANON | SHMEM | HUGE, 2, act_lock, 0, NULL, NULL },
	{ "soft-dirty", ANON | SMALL, 1, act_soft_dirty, 0, NULL, cannot_soft_dirty },

	{ "mremap", ANY, 4, NULL, 0, mremap_step, NULL },
	{ "chase", ANON | SMALL, 2, act_chase, 0, NULL, NULL },
	{ "grow", ANON, 2, act_grow, 0, NULL, NULL },
	{ "mprotect", ANY, 4, NULL, 0, mprotect_step, NULL },
	{ "munmap", ANY, 4, NULL, 0, munmap_step, NULL },

	{ "move-pages", ANY, 3, act_move_pages, 0, NULL, cannot_nodes },
	{ "mbind", ANON | SHMEM | HUGE, 2, act_mbind, 0, NULL, cannot_nodes },

	{ "fill-thp", HUGE, 1, act_fill_huge, HUGE_PAGES, NULL, cannot_huge },
	{ "free-thp", HUGE, 3, act_free_huge, HUGE_PAGES, NULL, cannot_huge },
	{ "split-thp", HUGE, 3, act_split_huge, HUGE_PAGES, NULL, cannot_huge },
	{ "fill-mthp", SMALL, 3, act_fill_huge, SMALL_PAGES, NULL, cannot_small },
	{ "split-mthp", SMALL, 3, act_split_huge, SMALL_PAGES, NULL, cannot_small },

	{ "truncate", SHARED, 4, NULL, 0, truncate_step, NULL },
	{ "memfd", ANON, 2, act_memfd, 0, NULL, NULL },
	{ "file-write", SHARED, 3, act_file_write, 0, NULL, NULL },
	{ "file-read", SHARED, 2, act_file_read, 0, NULL, NULL },
	{ "msync", FILES, 2, act_sync, 0, NULL, NULL },
	{ "private-file", SHARED, 3, act_private, 0, NULL, NULL },

	{ "direct-write", ANON, 2, act_gup, GUP_DIRECT_WRITE, NULL, cannot_direct },
	{ "direct-read", ANON, 2, act_gup, GUP_DIRECT_READ, NULL, cannot_direct },
	{ "fixed-write", ANON, 2, act_gup, GUP_FIXED_WRITE, NULL, cannot_uring },
	{ "fixed-read", ANON, 2, act_gup, GUP_FIXED_READ, NULL, cannot_uring },
	{ "vmsplice", ANON, 2, act_gup, GUP_SPLICE, NULL, NULL },
	{ "vm-readv", ANON, 2, act_gup, GUP_REMOTE_READ, NULL, NULL },
	{ "vm-writev", ANON, 2, act_gup, GUP_REMOTE_WRITE, NULL, NULL },

	{ "uffd-wp", ANON, 3, act_uffd_wp, 0, NULL, cannot_uffd_wp },
	{ "uffd-move", ANON, 2, act_uffd_move, false, NULL, cannot_uffd_move },
	{ "uffd-chase", ANON, 2, act_uffd_move, true, NULL, cannot_uffd_move },

	{ "fork", PRIVATE, 2, act_fork, 0, NULL, NULL },
	{ "exit", ANON, 1, act_exit, 0, NULL, NULL },
	{ "process-madvise", PRIVATE, 1, act_process_madvise, 0, NULL, NULL },
	{ "child-writev", ANON, 1, act_remote_write, 0, NULL, NULL },
	{ "ptrace", ANON, 1, act_ptrace, 0, NULL, NULL },
};

const size_t nr_kinds = ARRAY_SIZE(kinds);

_Static_assert(ARRAY_SIZE(kinds) <= MAX_KINDS, "the board has no room for so many kinds");
