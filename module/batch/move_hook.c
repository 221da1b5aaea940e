// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook that flushes before UFFDIO_MOVE moves a swap entry: rule B17.
 *
 * UFFDIO_MOVE moves the entry of a folio in the swap cache to another address, under
 * the folio's lock and both page table locks. It flushes nothing, because reclaim
 * without this module holds the folio lock from the unmapping to the flush. A folio
 * that waits is unlocked: a CPU could go on storing through the old address into a page
 * that then belongs to the new one. If there is such a folio, UFFDIO_MOVE calls
 * folio_move_anon_rmap() before it moves the entry.
 *
 * folio_move_anon_rmap() is also called at each copy-on-write fault that reuses a page
 * for the first time. That is frequent, and of no concern here. So the function's
 * ftrace site calls a trampoline of this file, which costs four instructions then. If
 * another tracer shares the function, ftrace calls the callback instead.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/objtool.h>
#include <linux/page-flags.h>
#include <linux/stddef.h>
#include <linux/swap.h>
#include <asm/linkage.h>
#include "batch/flush.h"
#include "batch/reclaim_hooks.h"
#include "compat/ftrace_compat.h"
#include "debug/debug.h"
#include "hooks/hook.h"

/*
 * The anon_vma of a folio is about to change. For all callers but UFFDIO_MOVE of a swap
 * entry the folio is mapped.
 */
static void notrace look(struct folio *folio, struct vm_area_struct *vma)
{
	if (unlikely(tlbbatch_move_selftest_saw(folio)))
		return;
	/* For want of memory the hook may stay when batching is off (rule H3). */
	if (!READ_ONCE(tlbbatch_move_set.users))
		return;
	if (folio_test_swapcache(folio) && !folio_mapped(folio) &&
	    !tlbbatch_debug_skip_move_flush())
		tlbbatch_flush_before_move(vma->vm_mm);
}

/**
 * tlbbatch_move_callback() - folio_move_anon_rmap() is entered
 * @ip: its ftrace site
 * @parent_ip: its caller
 * @ops: the ops
 * @fregs: its arguments: the folio, locked, and the VMA
 *
 * There is no lock against recursion, because a call that it skipped would lose data.
 * The flush calls functions that others may trace, but not folio_move_anon_rmap(), so
 * that this can't recurse.
 *
 * Context: page table locks held; doesn't sleep (rule H12).
 */
void notrace tlbbatch_move_callback(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops,
				    struct ftrace_regs *fregs)
{
	look((struct folio *)compat_ftrace_argument(fregs, 0),
	     (struct vm_area_struct *)compat_ftrace_argument(fregs, 1));
}

/* Called by the trampoline below, for a folio with the bit of the swap cache. */
static noinline __used notrace void look_closely(struct folio *folio,
						 struct vm_area_struct *vma)
{
	look(folio, vma);
}

/*
 * The trampoline, at the function's ftrace site: all of its arguments are in their
 * registers, and are handed on as they are. It is entered by calls alone, so it
 * needs no ENDBR. With call depth tracking the call that enters it isn't counted, but
 * its return is: so the kernel refills the return stack too early, never too late.
 *
 * This C function is never called: it gives the assembler the constants.
 */
static noinline __used void trampoline(void)
{
	asm volatile("	.pushsection .text.tlbbatch_move, \"ax\", @progbits\n"
		     "	.balign 16\n"
		     "	.type tlbbatch_move_trampoline, @function\n"
		     "	.globl tlbbatch_move_trampoline\n"
		     "tlbbatch_move_trampoline:\n"
		     ANNOTATE_NOENDBR "\n"
		     "	testl %[swapcache], %c[flags](%%rdi)\n"
		     "	jnz 1f\n"
		     ASM_RET
		     "1:\n"
		     "	pushq %%rbp\n"
		     "	movq %%rsp, %%rbp\n"
		     "	pushq %%rax\n"
		     "	pushq %%rcx\n"
		     "	pushq %%rdx\n"
		     "	pushq %%rsi\n"
		     "	pushq %%rdi\n"
		     "	pushq %%r8\n"
		     "	pushq %%r9\n"
		     "	pushq %%r10\n"
		     "	pushq %%r11\n"
		     "	call look_closely\n"
		     "	popq %%r11\n"
		     "	popq %%r10\n"
		     "	popq %%r9\n"
		     "	popq %%r8\n"
		     "	popq %%rdi\n"
		     "	popq %%rsi\n"
		     "	popq %%rdx\n"
		     "	popq %%rcx\n"
		     "	popq %%rax\n"
		     "	popq %%rbp\n"
		     ASM_RET
		     "	.size tlbbatch_move_trampoline, . - tlbbatch_move_trampoline\n"
		     "	.popsection\n"
		     : : [swapcache] "i" (BIT(PG_swapcache)),
			 [flags] "i" (offsetof(struct folio, flags)));
}

/* Changes no path: it shares a function with livepatches and BPF trampolines. */
struct tlbbatch_hook_set tlbbatch_move_set = {
	.ops = {
		.func = tlbbatch_move_callback,
		.trampoline = (unsigned long)tlbbatch_move_trampoline,
		.flags = FTRACE_OPS_FL_PERMANENT,
	},
	.dummy = &tlbbatch_move_dummy,
	.selftest = tlbbatch_move_selftest,
};
