// SPDX-License-Identifier: GPL-2.0-only
/*
 * UFFDIO_MOVE, the one way to use a swap entry that trusts the folio lock.
 *
 * It moves the entry of a folio in the swap cache to another address, under the
 * folio's lock and both page table locks, and flushes nothing: reclaim used to
 * hold that lock from the unmapping to the flush. A folio that waits is unlocked,
 * so a CPU could go on storing through its old address into what then belongs to
 * the new one. folio_move_anon_rmap() is called right there, before the entry is
 * moved, and only if there is such a folio.
 */
#include <linux/mm.h>
#include <linux/swap.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/flush.h>
#include <tlbbatch/kernel_calls.h>
#include <tlbbatch/reclaim_hooks.h>

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_folio_move_anon_rmap,
			tlbbatch_type_folio_move_anon_rmap);

/**
 * tlbbatch_move_acts() - the hook acts for every task
 * @parent_ip: unused
 *
 * Its replacement doesn't sleep, so RCU-tasks alone covers who runs it.
 *
 * Context: ftrace callback, preemption off.
 * Return: true.
 */
bool notrace tlbbatch_move_acts(unsigned long parent_ip)
{
	return true;
}

/**
 * tlbbatch_hook_folio_move_anon_rmap() - an anonymous folio gets another VMA
 * @folio: locked
 * @vma: the VMA
 *
 * Other callers than UFFDIO_MOVE of a swap entry have @folio mapped.
 *
 * Context: page table locks held; doesn't sleep.
 */
void tlbbatch_hook_folio_move_anon_rmap(struct folio *folio,
					struct vm_area_struct *vma)
{
	if (folio_test_swapcache(folio) && !folio_mapped(folio) &&
	    !tlbbatch_debug_skip_move_flush())
		tlbbatch_flush_before_move(vma->vm_mm);
	static_call(tlbbatch_orig_folio_move_anon_rmap)(folio, vma);
}
