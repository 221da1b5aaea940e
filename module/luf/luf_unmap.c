// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reclaim pass has unmapped since its last flush, and what that flush is to
 * LUF:
 *
 *  try_to_unmap()		a folio is about to be unmapped: read-only or not
 *  arch_tlbbatch_flush()	the flush: a generation, or one that LUF would send
 *    its return		and complete: it covers what came before it
 */
#include <linux/bitmap.h>
#include <linux/blkdev.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/gfs2_ondisk.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include "arch/x86.h"
#include "debug/debug.h"
#include "luf/luf_counters.h"
#include "luf/luf_coverage.h"
#include "luf/luf_pass.h"
#include "luf/luf_pending.h"
#include "luf/luf_table.h"

/* Generations looked at with each flush, which adds one. */
#define SWEEP_EACH	4

/*
 * Where the sweep of a CPU's next flush begins, counted from its own part's first slot.
 */
static DEFINE_PER_CPU(unsigned int, sweep_from);

/* Nothing is pending. The files are kept: the next folio is likely of the same file. */
static void begin_anew(struct pass *pass)
{
	pass->stale_files = pass->files.nr;
	tlbbatch_luf_pages_reset(&pass->pages);
	tlbbatch_luf_forget_unmaps(pass);
}

/* Does only this kernel's file system change the file's content? */
static bool is_local(const struct address_space *file)
{
	const struct super_block *sb = file->host->i_sb;

	/* A file system or swap on a block device bypasses the device's page cache. */
	if (sb->s_magic == BDEVFS_MAGIC)
		return !I_BDEV(file->host)->bd_holder;
	switch (sb->s_magic) {
	case FUSE_SUPER_MAGIC:
	case GFS2_MAGIC:
	case OCFS2_SUPER_MAGIC:
		return false;
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
		return true;
	}
	return sb->s_type->fs_flags & FS_REQUIRES_DEV;
}

/* Rule L13: the kernel doesn't count writers of a memfd. */
static bool is_unnamed(const struct super_block *sb)
{
	return sb->s_magic == TMPFS_MAGIC && sb->s_flags & SB_KERNMOUNT;
}

static bool is_readonly(struct address_space *file)
{
	return !mapping_writably_mapped(file) ||
	       tlbbatch_luf_break(TLBBATCH_LUF_BREAK_READONLY);
}

/*
 * Rule L2: under the folio lock, before the unmap. The mapping of a swap-cache
 * folio is the swap address space, which no VMA maps: it would look read-only.
 */
static struct address_space *readonly_file(struct folio *folio)
{
	struct address_space *file;

	if (folio_test_anon(folio) || folio_test_swapcache(folio))
		return NULL;
	file = folio_mapping(folio);
	return file && file->host && is_readonly(file) ? file : NULL;
}

static const unsigned long *
batch_cpus(const struct arch_tlbflush_unmap_batch *batch)
{
	return cpumask_bits(tlbbatch_arch_batch_mask(batch));
}

/*
 * Settles the last unmap. If no flush is required now, the unmaps so far left nothing to
 * flush, and nothing is pending. LUF would flush a CPU only if an unmap that wasn't
 * read-only added it to the batch (rule L4).
 */
static void settle_last(struct pass *pass)
{
	const unsigned long *now = batch_cpus(tlbbatch_arch_my_batch());
	unsigned int i;

	if (!current->tlb_ubc.flush_required) {
		if (pass->readonly || pass->mixed)
			begin_anew(pass);
		return;
	}
	if (!pass->last_mixed)
		return;
	pass->last_mixed = false;
	for (i = 0; i < BITS_TO_LONGS(nr_cpu_ids); i++)
		pass->owed[i] |= pass->was_pending ? now[i] & ~pass->before[i] :
						     now[i];
}

static bool holds(const struct pass *pass, const struct address_space *file)
{
	unsigned int i;

	for (i = 0; i < pass->files.nr; i++)
		if (pass->files.file[i] == file)
			return true;
	return false;
}

/*
 * Adds a file before the unmap: an event from here on finds the pass. Has the full
 * barrier of tlbbatch_luf_interest().
 */
static bool add_file(struct pass *pass, const struct address_space *file)
{
	unsigned int nr = pass->files.nr;

	if (nr == TLBBATCH_LUF_FILES)
		return false;
	/* One table for all files of the pass, whatever CPU gives them back. */
	if (!nr)
		pass->files.table = tlbbatch_luf_my_table();
	WRITE_ONCE(pass->files.file[nr], file);
	/* Publishes the file; pairs with the acquire in hit_passes(), luf_pass.c. */
	smp_store_release(&pass->files.nr, nr + 1);
	tlbbatch_luf_interest(pass->files.table, file, 1);
	return true;
}

static void note_file(struct pass *pass, const struct address_space *file)
{
	bool shmem = file->host->i_sb->s_magic == TMPFS_MAGIC;

	if (likely(!pass->stale_files) && holds(pass, file))
		return;
	/*
	 * An event on a file of unmaps that are flushed already must not hit this pass.
	 */
	if (pass->stale_files && !(pass->files.nr == 1 && holds(pass, file)))
		tlbbatch_luf_forget_files(pass);
	pass->stale_files = false;
	if (holds(pass, file)) {
		/*
		 * As in add_file(): pairs with get_write_access(), mapping_map_writable(),
		 * and with smp_mb() in tlbbatch_luf_close(), luf_pass.c.
		 */
		smp_mb();
	} else if ((shmem && !holds(pass, TLBBATCH_LUF_ANY_SHMEM) &&
		    !add_file(pass, TLBBATCH_LUF_ANY_SHMEM)) ||
		   !add_file(pass, file)) {
		pass->untracked = true;
		return;
	}
	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_EVENTS))
		return;
	if (!is_local(file))
		pass->remote = true;
	/*
	 * Rule L13: a write that is under way began before the file was of interest, and
	 * some writers in the kernel aren't seen at all. But all of them have the file
	 * open for writing. An open from now on is seen: see the barriers above.
	 */
	if (inode_is_open_for_write(file->host) || is_unnamed(file->host->i_sb))
		pass->open_write = true;
}

/**
 * tlbbatch_luf_see_unmap() - try_to_unmap() begins, for a batched flush
 * @folio: locked
 * @large_freed_early: large folios are freed before the pass's flush: rule L14
 *
 * Context: reclaim, preemption off.
 */
void tlbbatch_luf_see_unmap(struct folio *folio, bool large_freed_early)
{
	struct address_space *file = readonly_file(folio);
	unsigned int nr = folio_nr_pages(folio);
	unsigned long pfn = folio_pfn(folio);
	struct pass *pass = tlbbatch_luf_get_pass();

	if (!pass)
		return;
	if (!pass->active)
		goto out;
	settle_last(pass);
	if (file) {
		note_file(pass, file);
		/* It may have been mapped writable before it was of interest. */
		if (!is_readonly(file))
			file = NULL;
	}
	if (file || tlbbatch_luf_break(TLBBATCH_LUF_BREAK_READONLY)) {
		tlbbatch_luf_count(TLBBATCH_LUF_UNMAPS_READONLY, 1);
		pass->readonly++;
		if (!tlbbatch_luf_index_holds(pfn, nr) ||
		    (nr > 1 && large_freed_early) ||
		    !tlbbatch_luf_pages_add(&pass->pages, pfn, nr))
			pass->untracked = true;
	} else {
		tlbbatch_luf_count(TLBBATCH_LUF_UNMAPS_MIXED, 1);
		pass->mixed++;
		pass->last_mixed = true;
		pass->was_pending = current->tlb_ubc.flush_required;
		bitmap_copy(pass->before,
			    batch_cpus(tlbbatch_arch_my_batch()),
			    nr_cpu_ids);
	}
out:
	tlbbatch_luf_put_pass(pass);
}

/**
 * tlbbatch_luf_see_demotion() - a pass is about to demote folios
 *
 * It may also be a migration by a task whose pass is over: see
 * tlbbatch_luf_see_other_unmap().
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_demotion(void)
{
	struct pass *pass = tlbbatch_luf_get_pass();

	if (!pass)
		return;
	pass->demotes = pass->active &&
			!tlbbatch_luf_break(TLBBATCH_LUF_BREAK_DEMOTION);
	tlbbatch_luf_put_pass(pass);
}

/**
 * tlbbatch_luf_see_other_unmap() - the task unmaps for another purpose than reclaim
 * @how: what happens to the flush
 *
 * If a pass splits or demotes folios, their flush is one of the pass's, and LUF would
 * not put it off. Otherwise this is migration or khugepaged, and what they flush isn't
 * a pass's (rule L15).
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_other_unmap(enum tlbbatch_luf_unmap how)
{
	struct pass *pass = tlbbatch_luf_get_pass();

	if (!pass)
		return;
	if (how == TLBBATCH_LUF_UNMAP_SPLIT || pass->demotes) {
		/* The CPUs that it adds aren't noted, so that they complete nothing. */
		settle_last(pass);
		if (how != TLBBATCH_LUF_UNMAP_FLUSHED)
			pass->mixed++;
	} else {
		tlbbatch_luf_forget(pass);
		WRITE_ONCE(pass->active, false);
	}
	tlbbatch_luf_put_pass(pass);
}

/* A range may hold many folios, so each page is asked. Tail pages have no references. */
static bool is_frozen(unsigned long pfn, unsigned int nr, void *data)
{
	while (nr--)
		if (page_ref_count(pfn_to_page(pfn++)))
			return false;
	return true;
}

/* All was unmapped read-only: this makes a generation, which may be given up at once. */
static void begin_generation(struct pass *pass, const unsigned long *cpus)
{
	unsigned int slot;

	if (READ_ONCE(pass->hit)) {
		tlbbatch_luf_stillborn(TLBBATCH_LUF_REASON_EARLY);
		return;
	}
	if (pass->remote) {
		tlbbatch_luf_stillborn(TLBBATCH_LUF_REASON_REMOTE);
		return;
	}
	if (pass->open_write) {
		tlbbatch_luf_stillborn(TLBBATCH_LUF_REASON_OPEN_WRITE);
		return;
	}
	if (tlbbatch_luf_is_closing()) {
		tlbbatch_luf_stillborn(TLBBATCH_LUF_REASON_OFF);
		return;
	}
	/* Rule L10: what is freed behind this flush is frozen; the rest stays mapped or cached. */
	if (!tlbbatch_luf_break(TLBBATCH_LUF_BREAK_LOOK) &&
	    !tlbbatch_luf_pages_all(&pass->pages, is_frozen, NULL)) {
		tlbbatch_luf_stillborn(TLBBATCH_LUF_REASON_KEPT);
		return;
	}
	slot = tlbbatch_luf_open(&pass->files, &pass->pages, pass->sent, cpus);
	if (slot == TLBBATCH_LUF_GENERATIONS)
		return;
	pass->pages = (struct tlbbatch_luf_pages){ 0 };
	/*
	 * Rule L12: an event that came too early to find the generation in the table has
	 * hit the pass. Pairs with smp_mb() in tlbbatch_luf_give_up(), luf_pass.c. (If
	 * another one is in the slot by now, that is given up, which is safe.)
	 */
	smp_mb();
	if (READ_ONCE(pass->hit))
		tlbbatch_luf_give_up_slot(slot, NULL, TLBBATCH_LUF_REASON_EARLY);
	/* The generation has taken over the interest in the files. */
	WRITE_ONCE(pass->files.nr, 0);
}

/*
 * Finds the CPUs that the flush is about to reach, and returns how many of them it
 * interrupts (rule L6). It depends on which CPU the task runs on and which are lazy; the
 * kernel looks at both a little later.
 */
static unsigned int find_receivers(struct pass *pass, const unsigned long *cpus)
{
	unsigned int cpu, nr = 0, this_cpu = raw_smp_processor_id();

	bitmap_zero(pass->sent, nr_cpu_ids);
	for_each_set_bit(cpu, cpus, nr_cpu_ids) {
		if (!tlbbatch_arch_gets_batch_flush(cpu) &&
		    !tlbbatch_luf_break(TLBBATCH_LUF_BREAK_LAZY))
			continue;
		__set_bit(cpu, pass->sent);
		nr += cpu != this_cpu;
	}
	return nr;
}

static bool names_other_cpu(const struct arch_tlbflush_unmap_batch *batch)
{
	return cpumask_any_but(tlbbatch_arch_batch_mask(batch),
			       raw_smp_processor_id()) < nr_cpu_ids;
}

/*
 * Each CPU has its own place, so that CPUs that flush at once look at different slots.
 */
static void sweep_slots(void)
{
	unsigned int first = tlbbatch_luf_my_first_slot(), slot;

	slot = (first + __this_cpu_read(sweep_from)) % TLBBATCH_LUF_GENERATIONS;
	slot = tlbbatch_luf_sweep(slot, SWEEP_EACH);
	__this_cpu_write(sweep_from, (slot - first) % TLBBATCH_LUF_GENERATIONS);
}

/**
 * tlbbatch_luf_see_flush() - arch_tlbbatch_flush() begins
 * @batch: what it flushes
 *
 * Rule L4: only a flush that LUF would not have put off completes anything.
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_flush(const struct arch_tlbflush_unmap_batch *batch)
{
	const unsigned long *cpus = batch_cpus(batch);
	struct pass *pass;
	enum tlbbatch_luf_flush flush;
	unsigned int receivers;

	if (batch != tlbbatch_arch_my_batch())
		return;
	pass = tlbbatch_luf_get_pass();
	if (!pass)
		return;
	pass->completes = false;
	if (!pass->active)
		goto out;
	settle_last(pass);
	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_READONLY))
		pass->mixed = current->tlb_ubc.writable;
	receivers = find_receivers(pass, cpus);
	flush = tlbbatch_luf_judge_flush(&(struct tlbbatch_luf_pending){
		.remote = receivers,
		.readonly = pass->readonly,
		.mixed = pass->mixed,
		.untracked = pass->untracked,
	});
	pass->number = tlbbatch_luf_youngest();
	if (flush != TLBBATCH_LUF_FLUSH_LOCAL)
		tlbbatch_luf_count(TLBBATCH_LUF_FLUSHES, 1);
	else if (names_other_cpu(batch))
		tlbbatch_luf_count(TLBBATCH_LUF_FLUSHES_UNSENT, 1);
	tlbbatch_luf_count(TLBBATCH_LUF_IPIS, receivers);
	switch (flush) {
	case TLBBATCH_LUF_FLUSH_LOCAL:
		pass->completes = pass->mixed;
		break;
	case TLBBATCH_LUF_FLUSH_MIXED:
		tlbbatch_luf_count(TLBBATCH_LUF_FLUSHES_MIXED, 1);
		pass->completes = true;
		break;
	case TLBBATCH_LUF_FLUSH_READONLY:
		begin_generation(pass, cpus);
		break;
	case TLBBATCH_LUF_FLUSH_UNTRACKED:
		tlbbatch_luf_untracked();
		break;
	}
	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_ECHO)) {
		pass->number = tlbbatch_luf_youngest();
		bitmap_copy(pass->owed, cpus, nr_cpu_ids);
		pass->completes = true;
	}
	if (!pass->completes)
		tlbbatch_luf_forget(pass);
	sweep_slots();
out:
	tlbbatch_luf_put_pass(pass);
}

/**
 * tlbbatch_luf_see_flush_end() - arch_tlbbatch_flush() returns
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_flush_end(void)
{
	struct pass *pass = tlbbatch_luf_get_pass();
	unsigned int cpu;

	if (!pass)
		return;
	if (pass->completes) {
		for_each_set_bit(cpu, pass->owed, nr_cpu_ids)
			tlbbatch_luf_cover_all(cpu, pass->number);
		pass->completes = false;
		tlbbatch_luf_forget(pass);
	}
	tlbbatch_luf_put_pass(pass);
}
