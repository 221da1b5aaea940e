// SPDX-License-Identifier: GPL-2.0-only
/*
 * What LUF tracking watches, and what it does then: at the entry of each function that
 * is a "luf entry" in targets.tbl, and at two tracepoints. These are the pass, its unmaps
 * and flushes; pages that are taken; and the events of rule L11, by which a stale
 * read-only entry could be seen.
 *
 * An event is seen at its start, before the kernel acts. It meets the generations
 * that freed pages of its file: stale entries of a file's pages lie where a VMA of
 * that file is or was.
 */
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include "compat/ftrace_compat.h"
#include "compat/uffd_compat.h"
#include "debug/debug.h"
#include "hooks/watch.h"
#include "kernel/symbols.h"
#include "luf/luf_events.h"
#include "luf/luf_flush.h"
#include "luf/luf_pass.h"
#include "luf/luf_table.h"
#include "targets.h"

/* Offsets of the members that are read, in structs that are private to the kernel. */
static u32 move_old_vma;
static u32 flush_mm, flush_tlb_gen, flush_initiator;
static u32 madvise_vma;
/*
 * Up to 6.9 large folios go to the page allocator before the pass's flush. They may be
 * used again before their generation begins, so that it counts as untracked (rule L14).
 */
static bool large_freed_early;

static void vma_event(const struct vm_area_struct *vma,
		      enum tlbbatch_luf_reason reason)
{
	if (vma && vma->vm_file)
		tlbbatch_luf_give_up(vma->vm_file->f_mapping, reason);
}

/* Section: the pass */

static void see_shrink_folio_list(struct ftrace_regs *fregs)
{
	tlbbatch_luf_see_pass();
}

static void see_try_to_unmap(struct ftrace_regs *fregs)
{
	unsigned long flags = compat_ftrace_argument(fregs, 1);

	/* A folio is split, from 6.2 or so on. The task need not be in a pass. */
	if (flags & TTU_RMAP_LOCKED)
		tlbbatch_luf_see_other_unmap(TLBBATCH_LUF_UNMAP_SPLIT);
	else if (flags & TTU_BATCH_FLUSH)
		tlbbatch_luf_see_unmap((struct folio *)compat_ftrace_argument(fregs, 0),
				       large_freed_early);
}

static void see_move_folios_to_lru(struct ftrace_regs *fregs)
{
	tlbbatch_luf_see_pass_end();
}

/* A page is allocated on another node for a folio that is demoted, and unmapped next. */
static void see_demotion(struct ftrace_regs *fregs)
{
	tlbbatch_luf_see_demotion();
}

/*
 * Every task comes here as it exits, behind the point where it gets PF_EXITING. So does a
 * fork that fails, for the child that never ran.
 */
static void see_exit_files(struct ftrace_regs *fregs)
{
	if (compat_ftrace_argument(fregs, 0) == (unsigned long)current)
		tlbbatch_luf_see_exit();
}

static void see_flush_tlb_func(struct ftrace_regs *fregs)
{
	unsigned long info = compat_ftrace_argument(fregs, 0);

	tlbbatch_luf_see_flush_begin(*(struct mm_struct **)(info + flush_mm),
				     *(u64 *)(info + flush_tlb_gen),
				     *(unsigned int *)(info + flush_initiator));
}

static void see_flush_tlb_batched_pending(struct ftrace_regs *fregs)
{
	tlbbatch_luf_see_pending((struct mm_struct *)compat_ftrace_argument(fregs, 0));
}

/* Section: reuse, rule L9 */

/*
 * Compaction, contiguous allocation and page reporting take pages from the buddy here.
 */
static void see_isolate_free_page(struct ftrace_regs *fregs)
{
	if (!tlbbatch_luf_break(TLBBATCH_LUF_BREAK_LOOK))
		tlbbatch_luf_reuse(page_to_pfn((struct page *)compat_ftrace_argument(fregs, 0)),
				   1U << compat_ftrace_argument(fregs, 1));
}

/*
 * The page is charged before mm_page_alloc. Charging may reclaim, or fail: then the
 * page is freed again, and mm_page_alloc never comes.
 */
static void see_memcg_kmem_charge_page(struct ftrace_regs *fregs)
{
	unsigned long pfn = page_to_pfn((struct page *)compat_ftrace_argument(fregs, 0));

	tlbbatch_luf_reuse(pfn, 1U << compat_ftrace_argument(fregs, 2));
}

/* Section: events, rule L11 */

/* A write fault, or a write by GUP. */
static void see_write_fault(struct ftrace_regs *fregs)
{
	const struct vm_fault *vmf = (const struct vm_fault *)compat_ftrace_argument(fregs, 0);

	if (vmf->flags & FAULT_FLAG_WRITE)
		vma_event(vmf->vma, TLBBATCH_LUF_REASON_WRITE_FAULT);
}

/* mmap() clears VM_SHARED if the file isn't open for writing. */
static void see_uprobe_mmap(struct ftrace_regs *fregs)
{
	const struct vm_area_struct *vma;

	vma = (const struct vm_area_struct *)compat_ftrace_argument(fregs, 0);
	if (vma->vm_flags & VM_SHARED)
		vma_event(vma, TLBBATCH_LUF_REASON_SHARED_MAP);
}

/*
 * Some writers in the kernel (loop devices, file servers) don't ask for permission
 * before they write, but have opened the file for writing. This comes after
 * get_write_access(), whose full barrier pairs with those in tlbbatch_luf_interest(),
 * luf_files.c, and note_file(), luf_unmap.c.
 */
static void see_security_file_open(struct ftrace_regs *fregs)
{
	const struct file *file = (const struct file *)compat_ftrace_argument(fregs, 0);

	if (file->f_mode & FMODE_WRITE)
		tlbbatch_luf_give_up(file->f_mapping,
				     TLBBATCH_LUF_REASON_WRITTEN);
}

/*
 * Every write(2), splice, fallocate, copy and reflink asks for permission once, before
 * it writes. Until it ends the file is open for writing: see note_file().
 */
static void see_security_file_permission(struct ftrace_regs *fregs)
{
	const struct file *file = (const struct file *)compat_ftrace_argument(fregs, 0);

	if (compat_ftrace_argument(fregs, 1) & MAY_WRITE)
		tlbbatch_luf_give_up(file->f_mapping,
				     TLBBATCH_LUF_REASON_WRITTEN);
}

static void see_unmap_mapping(struct ftrace_regs *fregs)
{
	tlbbatch_luf_give_up((const struct address_space *)compat_ftrace_argument(fregs, 0),
			     TLBBATCH_LUF_REASON_TRUNCATED);
}

/*
 * The kernel calls this for each range of a file's VMA that it zaps, but for the OOM
 * reaper. It also does so for VMAs that are split or merged: an event too many is on
 * the safe side.
 */
static void see_uprobe_munmap(struct ftrace_regs *fregs)
{
	vma_event((const struct vm_area_struct *)compat_ftrace_argument(fregs, 0),
		  TLBBATCH_LUF_REASON_UNMAPPED);
}

static void see_change_protection(struct ftrace_regs *fregs)
{
	vma_event((const struct vm_area_struct *)compat_ftrace_argument(fregs, 1),
		  TLBBATCH_LUF_REASON_MPROTECT);
}

/* It puts markers into page table entries that reclaim may just have cleared. */
static void see_madvise_guard_install(struct ftrace_regs *fregs)
{
	vma_event(*(struct vm_area_struct **)(compat_ftrace_argument(fregs, 0) + madvise_vma),
		  TLBBATCH_LUF_REASON_MPROTECT);
}

static void see_uffd_install(struct ftrace_regs *fregs)
{
	vma_event((const struct vm_area_struct *)compat_ftrace_argument(fregs, 1),
		  TLBBATCH_LUF_REASON_USERFAULTFD);
}

static void see_uffd_install_mm(struct ftrace_regs *fregs)
{
	vma_event((const struct vm_area_struct *)compat_ftrace_argument(fregs, 2),
		  TLBBATCH_LUF_REASON_USERFAULTFD);
}

/*
 * The functions that install the zero page and poison are inlined, so that the ioctl is
 * watched. It isn't known here in which VMA they will be installed. But mfill_atomic()
 * wants an anonymous VMA or shmem, so of files only those of tmpfs are concerned.
 */
static void see_userfaultfd_ioctl(struct ftrace_regs *fregs)
{
	switch ((unsigned int)compat_ftrace_argument(fregs, 1)) {
	case UFFDIO_ZEROPAGE:
	case UFFDIO_POISON:
		tlbbatch_luf_give_up(TLBBATCH_LUF_ANY_SHMEM,
				     TLBBATCH_LUF_REASON_USERFAULTFD);
	}
}

static void see_move_page_tables(struct ftrace_regs *fregs)
{
	vma_event((const struct vm_area_struct *)compat_ftrace_argument(fregs, 0),
		  TLBBATCH_LUF_REASON_MREMAP);
}

static void see_move_page_tables_control(struct ftrace_regs *fregs)
{
	vma_event(*(struct vm_area_struct **)(compat_ftrace_argument(fregs, 0) + move_old_vma),
		  TLBBATCH_LUF_REASON_MREMAP);
}

static void see_try_to_migrate(struct ftrace_regs *fregs)
{
	struct folio *folio = (struct folio *)compat_ftrace_argument(fregs, 0);

	unsigned long flags = compat_ftrace_argument(fregs, 1);

	/* A split of a folio always passes TTU_SYNC; migration never does. */
	tlbbatch_luf_see_other_unmap(flags & TTU_SYNC ? TLBBATCH_LUF_UNMAP_SPLIT :
				     flags & TTU_BATCH_FLUSH ?
				     TLBBATCH_LUF_UNMAP_BATCHED :
				     TLBBATCH_LUF_UNMAP_FLUSHED);
	if (!folio_test_anon(folio) && !folio_test_swapcache(folio) &&
	    folio_mapping(folio))
		tlbbatch_luf_give_up(folio_mapping(folio),
				     TLBBATCH_LUF_REASON_MIGRATED);
}

static void see_collapse_file(struct ftrace_regs *fregs)
{
	const struct file *file = (const struct file *)compat_ftrace_argument(fregs, 2);

	tlbbatch_luf_see_other_unmap(TLBBATCH_LUF_UNMAP_FLUSHED);
	tlbbatch_luf_give_up(file->f_mapping, TLBBATCH_LUF_REASON_COLLAPSED);
}

static void see_uprobe_register(struct ftrace_regs *fregs)
{
	const struct inode *inode = (const struct inode *)compat_ftrace_argument(fregs, 0);

	tlbbatch_luf_give_up(inode->i_mapping, TLBBATCH_LUF_REASON_UPROBE);
}

static struct tlbbatch_entry entries[] = {
	TLBBATCH_TBL_luf_entry_names(TLBBATCH_ENTRY)
};

static void tlbbatch_luf_probe_mm_page_alloc(void *data, struct page *page,
					     unsigned int order, gfp_t gfp,
					     int migratetype)
{
	tlbbatch_luf_seen_youngest();
	if (page && (order || !tlbbatch_luf_index_empty(page_to_pfn(page))))
		tlbbatch_luf_reuse(page_to_pfn(page), 1U << order);
}

#define EVENT(name, symbol, proto)	\
	TLBBATCH_POINT(symbol, proto, tlbbatch_luf_probe_##name)
#define POINT(name, optional)	TLBBATCH_TBL_trace_##name(EVENT)

static struct tlbbatch_point points[] = {
	TLBBATCH_TBL_luf_trace_names(POINT)
};

static struct tlbbatch_sites sites;

struct tlbbatch_watches tlbbatch_luf_watches = {
	.entries = entries,
	.nr_entries = ARRAY_SIZE(entries),
	.sites = &sites,
	.points = points,
	.nr_points = ARRAY_SIZE(points),
};

#define MATCHES(code, symbol, proto)	tlbbatch_symbol_matches(symbol, proto)
/* Finds the member in a row of targets.tbl; its offset goes to the variable @name. */
#define FIND_MEMBER(name, tag, member, type)	tlbbatch_member_offset(tag, member, type, &(name))
#define find_member(name)	TLBBATCH_TBL_member_##name(FIND_MEMBER)
#define HAS_STRUCT(name, tag, member, type)	tlbbatch_kernel_has(tag, NULL)
#define has_struct_of(name)	TLBBATCH_TBL_member_##name(HAS_STRUCT)

/**
 * tlbbatch_luf_events_find() - find what the functions above need besides the entries
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_luf_events_find(void)
{
	u32 is_lazy;

	if (!find_member(flush_mm) || !find_member(flush_tlb_gen) ||
	    !find_member(flush_initiator))
		return "flush_tlb_info";
	if (!find_member(is_lazy) || is_lazy)
		return "tlb_state_shared.is_lazy";
	if (has_struct_of(move_old_vma) && !find_member(move_old_vma))
		return "pagetable_move_control.old";
	if (has_struct_of(madvise_vma) &&
	    (!find_member(madvise_vma) ||
	     !TLBBATCH_TBL_entry_madvise_guard_install(MATCHES)))
		return "madvise_guard_install";
	large_freed_early = !TLBBATCH_TBL_sign_free_unref_folios(MATCHES);
	return NULL;
}
