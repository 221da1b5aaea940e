// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guard pages of files: the one event of rule D3 that must be seen at its end. The kernel puts a
 * guard into PTEs that are none, without a flush, and nothing tells passes that it is doing so. So a
 * pass may unmap a page behind the event's begin, and before the guard. At the end either the pass is
 * seen, or it comes later and finds the guard.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/static_call.h>
#include "compat/guard_compat.h"
#include "debug/debug.h"
#include "hooks/hook.h"
#include "hooks/hook_inside.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "luf/luf_defer_events.h"
#include "luf/luf_defer_guard.h"
#include "luf/luf_defer_interest.h"
#include "pass/flush_hook.h"
#include "pass/group.h"
#include "targets.h"

static DEFINE_PER_CPU(u32, inside);

/* Preemption is off here: a task on its way to the replacement is counted (rule H13). */
static bool notrace acts(unsigned long parent_ip)
{
	tlbbatch_enters(inside);
	return true;
}

#if COMPAT_GUARD_PAGES
struct madvise_behavior;

/* Never defined: it gives the static call its type. */
long tlbbatch_type_madvise_guard_install(struct madvise_behavior *behavior);

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_madvise_guard_install,
			tlbbatch_type_madvise_guard_install);

/* The offset of struct madvise_behavior's vma, which is private to the kernel. */
static u32 guarded_vma;

static long tlbbatch_hook_madvise_guard_install(struct madvise_behavior *behavior)
{
	const struct vm_area_struct *vma;
	const struct file *file;
	long ret;

	/* mmap_lock, or the VMA's, is held until the caller returns. */
	vma = *(struct vm_area_struct **)((char *)behavior + guarded_vma);
	file = vma->vm_file;
	ret = static_call(tlbbatch_orig_madvise_guard_install)(behavior);
	/* PTEs were changed under their lock. Pairs with tlbbatch_interest_add(). */
	smp_mb();
	if (file && !tlbbatch_defer_break(TLBBATCH_DEFER_BREAK_GUARD))
		tlbbatch_defer_event(tlbbatch_defer_hash(file->f_mapping), DEFER_CAUSE_GUARD);
	tlbbatch_leaves(inside);
	return ret;
}
#endif /* COMPAT_GUARD_PAGES */

static const struct tlbbatch_target targets[] = {
	TLBBATCH_TBL_hook_madvise_guard_install(TLBBATCH_TARGET)
	{ }
};

static struct tlbbatch_hook hooks[] = {
	{
		TLBBATCH_TBL_hook_madvise_guard_install_is,
		.targets = targets,
		.acts = acts,
	},
};

static void wait_for_guards(void)
{
	tlbbatch_inside_wait(&inside, "luf: off waits for guard pages to be made");
}

struct tlbbatch_redirects tlbbatch_defer_redirects = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
	.shared = { &tlbbatch_group_hook, &tlbbatch_flush_hook },
	.nr_shared = 2,
	.whole = true,
	.drain = wait_for_guards,
};

#define FIND_MEMBER(name, tag, member, type)				\
	if (!tlbbatch_member_offset(tag, member, type, &(name)))	\
		return tag "." member;

/**
 * tlbbatch_defer_guard_find() - find what the replacement needs
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL. One without guard pages lacks nothing.
 */
const char *tlbbatch_defer_guard_find(void)
{
	TLBBATCH_TBL_member_guarded_vma(FIND_MEMBER)
	return NULL;
}
