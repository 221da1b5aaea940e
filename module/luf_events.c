// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every function of the kernel whose entry LUF tracking watches, a row each: the
 * pass, its unmaps and flushes; pages that are taken without mm_page_alloc; and the
 * events of rule L11, by which a stale read-only entry could be seen.
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
#include <compat/ftrace_compat.h>
#include <compat/uffd_compat.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/luf_observe.h>
#include <tlbbatch/luf_pass.h>
#include <tlbbatch/luf_table.h>
#include <tlbbatch/symbols.h>

/* Where structs that are the kernel's own have what is read of them. */
static u32 move_old_vma;
static u32 flush_mm, flush_tlb_gen, flush_initiator;
static u32 madvise_vma;
/* Up to 6.9 large folios go to the page allocator before the pass's flush. */
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

	/* A split of a folio, from 6.2 or so on; perhaps in no pass at all. */
	if (flags & TTU_RMAP_LOCKED)
		tlbbatch_luf_see_other_unmap(TLBBATCH_LUF_UNMAP_SPLIT);
	else if (flags & TTU_BATCH_FLUSH)
		tlbbatch_luf_see_unmap((struct folio *)compat_ftrace_argument(fregs, 0));
}

static void see_move_folios_to_lru(struct ftrace_regs *fregs)
{
	tlbbatch_luf_see_pass_end();
}

/* Pages on another node, for folios that the pass demotes: their unmap comes next. */
static void see_demotion(struct ftrace_regs *fregs)
{
	tlbbatch_luf_see_demotion();
}

static void see_do_exit(struct ftrace_regs *fregs)
{
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

/* Compaction, contiguous allocation, page reporting: all take from the buddy here. */
static void see_isolate_free_page(struct ftrace_regs *fregs)
{
	if (!tlbbatch_luf_break(TLBBATCH_LUF_BREAK_LOOK))
		tlbbatch_luf_reuse(page_to_pfn((struct page *)compat_ftrace_argument(fregs, 0)),
				   1U << compat_ftrace_argument(fregs, 1));
}

/*
 * mm_page_alloc comes behind this, which may reclaim, or fail: then the page is free
 * again, and nothing was told.
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

/* VM_SHARED is only kept for a file that may be written. */
static void see_uprobe_mmap(struct ftrace_regs *fregs)
{
	const struct vm_area_struct *vma;

	vma = (const struct vm_area_struct *)compat_ftrace_argument(fregs, 0);
	if (vma->vm_flags & VM_SHARED)
		vma_event(vma, TLBBATCH_LUF_REASON_SHARED_MAP);
}

/*
 * Whoever writes without asking, some in the kernel, has opened it: loop devices,
 * file servers. Behind get_write_access(), whose full barrier pairs with those in
 * tlbbatch_luf_interest() and note_file().
 */
static void see_security_file_open(struct ftrace_regs *fregs)
{
	const struct file *file = (const struct file *)compat_ftrace_argument(fregs, 0);

	if (file->f_mode & FMODE_WRITE)
		tlbbatch_luf_give_up(file->f_mapping,
				     TLBBATCH_LUF_REASON_WRITTEN);
}

/*
 * Every write(2), splice, fallocate, copy and reflink asks before it writes, once;
 * for the rest of it the file is open for writing: see note_file().
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
 * The kernel tells uprobes of each range of a file's VMA that it zaps, but for the
 * OOM reaper, and of VMAs that are split and merged: too many are on the safe side.
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

/* Markers go where reclaim has just taken the entries away. */
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
 * The zero page and poison are put there by functions that are inlined. Whose VMA it
 * is going to be isn't known here; but of files only those of tmpfs let themselves be
 * filled (mfill_atomic() wants an anonymous VMA or shmem).
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

	/* A split of a folio always waits for others; migration never does. */
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

struct tlbbatch_luf_entry tlbbatch_luf_entries[] = {
	{ .symbol = "shrink_folio_list", .see = see_shrink_folio_list, .or = true,
	  .proto = "unsigned int(struct list_head *, struct pglist_data *, "
		   "struct scan_control *, struct reclaim_stat *, bool, "
		   "struct mem_cgroup *)" },
	{ .symbol = "shrink_folio_list", .see = see_shrink_folio_list,
	  .proto = "unsigned int(struct list_head *, struct pglist_data *, "
		   "struct scan_control *, struct reclaim_stat *, bool)" },
	{ .symbol = "try_to_unmap", .see = see_try_to_unmap,
	  .proto = "void(struct folio *, enum ttu_flags)" },
	{ .symbol = "move_folios_to_lru", .see = see_move_folios_to_lru, .or = true,
	  .proto = "unsigned int(struct list_head *)" },
	{ .symbol = "move_folios_to_lru", .see = see_move_folios_to_lru,
	  .proto = "unsigned int(struct lruvec *, struct list_head *)" },
	{ .symbol = "alloc_demote_folio", .see = see_demotion, .or = true,
	  .proto = "struct folio *(struct folio *, unsigned long)" },
	{ .symbol = "alloc_migrate_folio", .see = see_demotion, .or = true,
	  .proto = "struct folio *(struct folio *, unsigned long)" },
	{ .symbol = "alloc_demote_page", .see = see_demotion,
	  .proto = "struct page *(struct page *, unsigned long)" },
	{ .symbol = "do_exit", .see = see_do_exit, .proto = "void(long)" },
	{ .symbol = "flush_tlb_func", .see = see_flush_tlb_func,
	  .proto = "void(void *)" },
	{ .symbol = "flush_tlb_batched_pending",
	  .see = see_flush_tlb_batched_pending,
	  .proto = "void(struct mm_struct *)" },
	{ .symbol = "__isolate_free_page", .see = see_isolate_free_page,
	  .proto = "int(struct page *, unsigned int)" },
	{ .symbol = "__memcg_kmem_charge_page", .see = see_memcg_kmem_charge_page,
	  .proto = "int(struct page *, gfp_t, int)" },
	{ .symbol = "finish_fault", .see = see_write_fault,
	  .proto = "vm_fault_t(struct vm_fault *)" },
	{ .symbol = "do_wp_page", .see = see_write_fault,
	  .proto = "vm_fault_t(struct vm_fault *)" },
	{ .symbol = "uprobe_mmap", .see = see_uprobe_mmap,
	  .proto = "int(struct vm_area_struct *)" },
	{ .symbol = "security_file_open", .see = see_security_file_open,
	  .proto = "int(struct file *)" },
	{ .symbol = "security_file_permission",
	  .see = see_security_file_permission,
	  .proto = "int(struct file *, int)" },
	{ .symbol = "unmap_mapping_range", .see = see_unmap_mapping,
	  .proto = "void(struct address_space *, const loff_t, const loff_t, int)" },
	{ .symbol = "unmap_mapping_pages", .see = see_unmap_mapping,
	  .proto = "void(struct address_space *, unsigned long, unsigned long, bool)" },
	{ .symbol = "uprobe_munmap", .see = see_uprobe_munmap,
	  .proto = "void(struct vm_area_struct *, unsigned long, unsigned long)" },
	{ .symbol = "change_protection", .see = see_change_protection, .or = true,
	  .proto = "long(struct mmu_gather *, struct vm_area_struct *, "
		   "unsigned long, unsigned long, unsigned long)" },
	{ .symbol = "change_protection", .see = see_change_protection,
	  .proto = "long(struct mmu_gather *, struct vm_area_struct *, "
		   "unsigned long, unsigned long, pgprot_t, unsigned long)" },
	{ .symbol = "move_page_tables", .see = see_move_page_tables_control,
	  .proto = "unsigned long(struct pagetable_move_control *)", .or = true },
	{ .symbol = "move_page_tables", .see = see_move_page_tables, .or = true,
	  .proto = "unsigned long(struct vm_area_struct *, unsigned long, "
		   "struct vm_area_struct *, unsigned long, unsigned long, bool, "
		   "bool)" },
	{ .symbol = "move_page_tables", .see = see_move_page_tables,
	  .proto = "unsigned long(struct vm_area_struct *, unsigned long, "
		   "struct vm_area_struct *, unsigned long, unsigned long, bool)" },
	{ .symbol = "mfill_atomic_install_pte", .see = see_uffd_install, .or = true,
	  .proto = "int(pmd_t *, struct vm_area_struct *, unsigned long, "
		   "struct page *, uffd_flags_t)" },
	{ .symbol = "mfill_atomic_install_pte", .see = see_uffd_install, .or = true,
	  .proto = "int(pmd_t *, struct vm_area_struct *, unsigned long, "
		   "struct page *, bool, uffd_flags_t)" },
	{ .symbol = "mfill_atomic_install_pte", .see = see_uffd_install_mm,
	  .proto = "int(struct mm_struct *, pmd_t *, struct vm_area_struct *, "
		   "unsigned long, struct page *, bool, bool)" },
	{ .symbol = "userfaultfd_ioctl", .see = see_userfaultfd_ioctl,
	  .proto = "long(struct file *, unsigned int, unsigned long)" },
	/* From 6.13 on, where madvise() knows its VMA by a struct: see the check below. */
	{ .symbol = "madvise_guard_install", .see = see_madvise_guard_install,
	  .proto = "long(struct madvise_behavior *)", .optional = true },
	{ .symbol = "try_to_migrate", .see = see_try_to_migrate,
	  .proto = "void(struct folio *, enum ttu_flags)" },
	{ .symbol = "collapse_file", .see = see_collapse_file, .or = true,
	  .proto = "enum scan_result(struct mm_struct *, unsigned long, "
		   "struct file *, unsigned long, struct collapse_control *)" },
	{ .symbol = "collapse_file", .see = see_collapse_file,
	  .proto = "int(struct mm_struct *, unsigned long, struct file *, "
		   "unsigned long, struct collapse_control *)" },
	{ .symbol = "uprobe_register", .see = see_uprobe_register, .or = true,
	  .proto = "struct uprobe *(struct inode *, loff_t, loff_t, "
		   "struct uprobe_consumer *)" },
	{ .symbol = "uprobe_register", .see = see_uprobe_register,
	  .proto = "int(struct inode *, loff_t, struct uprobe_consumer *)" },
	/* Up to 6.11. */
	{ .symbol = "uprobe_register_refctr", .see = see_uprobe_register,
	  .proto = "int(struct inode *, loff_t, loff_t, struct uprobe_consumer *)",
	  .optional = true },
};

const unsigned int tlbbatch_luf_nr_entries = ARRAY_SIZE(tlbbatch_luf_entries);

/**
 * tlbbatch_luf_large_freed_early() - does reclaim free large folios unflushed?
 *
 * Then they may be in use before their generation begins: it isn't tracked (rule L14).
 *
 * Context: any.
 */
bool tlbbatch_luf_large_freed_early(void)
{
	return large_freed_early;
}

/**
 * tlbbatch_luf_events_resolve() - find what the rows above need besides
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_luf_events_resolve(void)
{
	u32 is_lazy;

	if (!tlbbatch_member_offset("flush_tlb_info", "mm", "struct mm_struct *",
				    &flush_mm) ||
	    !tlbbatch_member_offset("flush_tlb_info", "new_tlb_gen", "u64",
				    &flush_tlb_gen) ||
	    !tlbbatch_member_offset("flush_tlb_info", "initiating_cpu",
				    "unsigned int", &flush_initiator))
		return "flush_tlb_info";
	if (!tlbbatch_member_offset("tlb_state_shared", "is_lazy", "bool",
				    &is_lazy) || is_lazy)
		return "tlb_state_shared.is_lazy";
	if (tlbbatch_kernel_has("pagetable_move_control", NULL) &&
	    !tlbbatch_member_offset("pagetable_move_control", "old",
				    "struct vm_area_struct *", &move_old_vma))
		return "pagetable_move_control.old";
	if (tlbbatch_kernel_has("madvise_behavior", NULL) &&
	    (!tlbbatch_member_offset("madvise_behavior", "vma",
				     "struct vm_area_struct *", &madvise_vma) ||
	     !tlbbatch_symbol_matches("madvise_guard_install",
				      "long(struct madvise_behavior *)")))
		return "madvise_guard_install";
	large_freed_early = !tlbbatch_symbol_matches("free_unref_folios",
						     "void(struct folio_batch *)");
	return NULL;
}
