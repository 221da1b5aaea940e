// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is this a kernel, and a machine, on which huge pages may be discarded?
 *
 * Rule F7: all rests on the dirty bit of the entry. From 6.6 on pmd_modify() lost it where
 * mprotect() or NUMA balancing took the right to write. Stable kernels have the fix in 6.12.111
 * and 7.2.7. A kernel without it loses data that is written again behind MADV_FREE, with or
 * without this module, so it is refused. Nothing but a try tells which kernel it is.
 *
 * pmd_modify() is an inline function. What is tried is the copy from the headers that the module
 * was built with. So the running kernel must be of the headers' release.
 */

/*
 * pmd_modify() keeps the bit of memory encryption, too, which is in a variable that modules can't
 * link. Here that bit is none, as on a machine without it. It has nothing to do with the dirty bit.
 */
#define cc_mask	tlbbatch_cc_mask

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <asm/cpufeature.h>
#include "compat/release_compat.h"
#include "debug/debug.h"
#include "lazyfree/lazyfree_fit.h"

#ifdef CONFIG_ARCH_HAS_CC_PLATFORM
u64 cc_mask;
#endif

/* A page frame that a huge page could begin at. Nobody looks at it. */
#define SOME_PFN	(1UL << (PMD_SHIFT - PAGE_SHIFT))

/* What mprotect() and NUMA balancing do to an entry that was written: each step there is. */
static bool keeps_dirty(void)
{
	const pgprot_t path[] = {
		PAGE_READONLY, PAGE_SHARED, PAGE_NONE, PAGE_SHARED,
		PAGE_READONLY, PAGE_NONE, PAGE_READONLY,
	};
	pmd_t pmd = pmd_mkdirty(pfn_pmd(SOME_PFN, __pgprot(pgprot_val(PAGE_SHARED) | _PAGE_PSE)));
	unsigned int i;

	if (!pmd_dirty(pmd) || !pmd_write(pmd))
		return false;
	for (i = 0; i < ARRAY_SIZE(path); i++) {
		pmd = pmd_modify(pmd, path[i]);
		if (!pmd_dirty(pmd))
			return false;
	}
	return true;
}

/**
 * tlbbatch_lazyfree_unsafe() - why discarding isn't safe with this kernel
 *
 * Context: any.
 * Return: why, or NULL.
 */
const char *tlbbatch_lazyfree_unsafe(void)
{
	if (!IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		return "this kernel has no transparent huge pages";
	/* Where spinlocks sleep, a task may sleep in a replacement: rule F9. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return "this kernel is PREEMPT_RT";
	if (compat_built_for_other())
		return compat_built_for_other();
	if (!keeps_dirty() || tlbbatch_debug_loses_dirty())
		return "pmd_modify() of this kernel loses the dirty bit, and data behind MADV_FREE";
	return NULL;
}

/**
 * tlbbatch_lazyfree_unfit() - why discarding can't be had on this machine
 *
 * Context: any.
 * Return: why, or NULL.
 */
const char *tlbbatch_lazyfree_unfit(void)
{
	/* Entries are changed as the processor sees them, without a word to the hypervisor. */
	if (boot_cpu_has(X86_FEATURE_XENPV))
		return "this is a paravirtual guest of Xen";
	return NULL;
}
