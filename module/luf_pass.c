// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reclaim pass has unmapped since its last flush, and what that flush is to
 * LUF. Seen from outside, at the entries of functions:
 *
 *  shrink_folio_list()		a pass begins: nothing of it is pending
 *  try_to_unmap()		a folio is about to be unmapped: read-only or not
 *  arch_tlbbatch_flush()	the flush: a generation, or one that LUF would send
 *    its return		and complete: it covers what came before it
 *  move_folios_to_lru()	the pass is over; where it isn't called (MADV_PAGEOUT)
 *				the task's next pass, other unmap or exit ends it
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/gfs2_ondisk.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/swap.h>
#include <tlbbatch/counters.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/luf_observe.h>
#include <tlbbatch/luf_pass.h>
#include <tlbbatch/luf_table.h>

/* A task looks at this many slots; when all are taken its pass isn't seen. */
#define PROBES		8
#define SLOTS_PER_CPU	8
#define SLOTS_MIN	64
#define SLOTS_MAX	1024
/*
 * A slot whose pass is over, as far as is known, is another task's for the taking,
 * as is one that wasn't used for so long.
 */
#define IDLE_JIFFIES	(60 * HZ)
/* Generations looked at with each flush, which adds one. */
#define SWEEP_EACH	4

/**
 * struct pass - what one task has pending
 * @lock: held by its task while it looks, or by one that takes the slot over
 * @task: whose it is; compared, never followed
 * @started: when that was started, in ns of boot time: addresses are used again
 * @used: when it was used last, in jiffies
 * @active: the task is in a pass, as far as is known
 * @readonly: folios unmapped read-only since the last flush
 * @mixed: others
 * @untracked: some didn't fit
 * @remote: one of them is of a file system that others write to, or can't be told
 * @open_write: the file of one is open for writing
 * @hit: an event of rule 19 met one of @files; written by anybody
 * @last_mixed: the last unmap wasn't read-only, and isn't settled yet
 * @was_pending: a flush was required before the last unmap
 * @stale_files: @files are of unmaps that are flushed already
 * @files: of the read-only ones; read by anybody
 * @pages: of the read-only ones
 * @before: the batch's CPUs before the last unmap
 * @owed: CPUs that certainly were added by unmaps that weren't read-only
 * @completes: the flush under way covers @owed up to @number
 * @number: the youngest generation when the flush began
 */
struct pass {
	raw_spinlock_t lock;
	const struct task_struct *task;
	u64 started;
	unsigned long used;
	bool active;
	unsigned int readonly;
	unsigned int mixed;
	bool untracked;
	bool remote;
	bool open_write;
	bool hit;
	bool last_mixed;
	bool was_pending;
	bool stale_files;
	struct tlbbatch_luf_files files;
	struct tlbbatch_luf_pages pages;
	unsigned long *before;
	unsigned long *owed;
	bool completes;
	u64 number;
};

/* Where the next flush goes on to look; any value is a good one. */
static unsigned int sweep_from;
/* Tracking is about to end. */
static bool closing;
static struct pass *passes;
static unsigned long *pass_masks;
static unsigned int passes_bits;

/**
 * tlbbatch_luf_passes_init() - make the table of passes
 *
 * Context: process context, may sleep. Return: 0 or -ENOMEM.
 */
int tlbbatch_luf_passes_init(void)
{
	unsigned int nr = clamp(num_possible_cpus() * SLOTS_PER_CPU, SLOTS_MIN,
				SLOTS_MAX);
	unsigned int words = BITS_TO_LONGS(nr_cpu_ids), i;

	nr = roundup_pow_of_two(nr);
	passes = kvcalloc(nr, sizeof(*passes), GFP_KERNEL);
	pass_masks = kvcalloc(nr, 2 * words * sizeof(*pass_masks), GFP_KERNEL);
	if (!passes || !pass_masks) {
		kvfree(pass_masks);
		kvfree(passes);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		raw_spin_lock_init(&passes[i].lock);
		passes[i].before = &pass_masks[2 * i * words];
		passes[i].owed = &pass_masks[(2 * i + 1) * words];
	}
	passes_bits = ilog2(nr);
	return 0;
}

static void forget_files(struct pass *pass)
{
	unsigned int i, nr = pass->files.nr;

	pass->stale_files = false;
	for (i = 0; i < nr; i++)
		tlbbatch_luf_interest(pass->files.file[i], -1);
	WRITE_ONCE(pass->files.nr, 0);
	pass->remote = false;
	pass->open_write = false;
}

static void forget_unmaps(struct pass *pass)
{
	pass->readonly = 0;
	pass->mixed = 0;
	pass->untracked = false;
	WRITE_ONCE(pass->hit, false);
	pass->last_mixed = false;
	bitmap_zero(pass->owed, nr_cpu_ids);
}

/* Nothing is pending. The files' interest and the pages are given back. */
static void forget(struct pass *pass)
{
	forget_files(pass);
	tlbbatch_luf_pages_drop(&pass->pages);
	forget_unmaps(pass);
}

/* Nothing is pending, but the next folio is likely of the same file. */
static void begin_anew(struct pass *pass)
{
	pass->stale_files = pass->files.nr;
	tlbbatch_luf_pages_reset(&pass->pages);
	forget_unmaps(pass);
}

/**
 * tlbbatch_luf_passes_exit() - free it
 *
 * Context: process context; nobody tracks any more.
 */
void tlbbatch_luf_passes_exit(void)
{
	unsigned int i;

	for (i = 0; i < BIT(passes_bits); i++)
		forget(&passes[i]);
	kvfree(pass_masks);
	kvfree(passes);
	passes = NULL;
}

static bool is_mine(const struct pass *pass)
{
	return pass->task == current &&
	       pass->started == current->start_boottime;
}

/* Return with the slot's lock held, or NULL. Only a thief contends, for a moment. */
static struct pass *get_pass(void)
{
	unsigned int first = hash_ptr(current, passes_bits), i;

	for (i = 0; i < PROBES; i++) {
		struct pass *pass = &passes[(first + i) & (BIT(passes_bits) - 1)];

		if (READ_ONCE(pass->task) != current)
			continue;
		raw_spin_lock(&pass->lock);
		if (is_mine(pass))
			return pass;
		raw_spin_unlock(&pass->lock);
	}
	return NULL;
}

static void put_pass(struct pass *pass)
{
	WRITE_ONCE(pass->used, jiffies);
	raw_spin_unlock(&pass->lock);
}

static bool is_idle(const struct pass *pass)
{
	return !READ_ONCE(pass->task) || !READ_ONCE(pass->active) ||
	       jiffies - READ_ONCE(pass->used) >= IDLE_JIFFIES;
}

static struct pass *claim_pass(void)
{
	unsigned int first = hash_ptr(current, passes_bits), i;

	for (i = 0; i < PROBES; i++) {
		struct pass *pass = &passes[(first + i) & (BIT(passes_bits) - 1)];

		if (!is_idle(pass) || !raw_spin_trylock(&pass->lock))
			continue;
		if (is_idle(pass)) {
			forget(pass);
			pass->completes = false;
			pass->started = current->start_boottime;
			WRITE_ONCE(pass->task, current);
			return pass;
		}
		raw_spin_unlock(&pass->lock);
	}
	return NULL;
}

/**
 * tlbbatch_luf_see_pass() - shrink_folio_list() begins
 *
 * What an earlier pass left pending was never flushed by this task as a batch: its
 * pages have no other CPU's entries.
 *
 * Context: reclaim, preemption off.
 */
void tlbbatch_luf_see_pass(void)
{
	struct pass *pass = get_pass() ?: claim_pass();

	if (!pass) {
		tlbbatch_count(TLBBATCH_LUF_PASSES_UNSEEN, 1);
		return;
	}
	forget(pass);
	WRITE_ONCE(pass->active, true);
	pass->completes = false;
	/* What is pending already wasn't seen: whose it is isn't known. */
	if (current->tlb_ubc.flush_required)
		pass->mixed = 1;
	put_pass(pass);
}

/* A file whose content only this kernel's file system changes. */
static bool is_local(const struct address_space *file)
{
	const struct super_block *sb = file->host->i_sb;

	switch (sb->s_magic) {
	case FUSE_SUPER_MAGIC:
	case GFS2_MAGIC:
	case OCFS2_SUPER_MAGIC:
		return false;
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
		return true;
	}
	/* A block device's own cache has none: a mounted file system writes to it. */
	return sb->s_type->fs_flags & FS_REQUIRES_DEV;
}

static bool is_readonly(struct address_space *file)
{
	return !mapping_writably_mapped(file) ||
	       tlbbatch_luf_break(TLBBATCH_LUF_BREAK_READONLY);
}

/*
 * Rule 18a: under the folio lock, before the unmap. The mapping of a swap-cache
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

/*
 * Nothing is pending if no unmap up to the last one left an entry on another CPU.
 * CPUs count as flushed by LUF only if an unmap that wasn't read-only brought them.
 */
static void settle_last(struct pass *pass)
{
	const unsigned long *now = cpumask_bits(&current->tlb_ubc.arch.cpumask);
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

static void note_file(struct pass *pass, const struct address_space *file)
{
	unsigned int nr;

	if (likely(!pass->stale_files) && holds(pass, file))
		return;
	/* A file that isn't this unmap's must not make it give up anything. */
	if (pass->stale_files && !(pass->files.nr == 1 && holds(pass, file)))
		forget_files(pass);
	pass->stale_files = false;
	if (!holds(pass, file)) {
		nr = pass->files.nr;
		if (nr == TLBBATCH_LUF_FILES) {
			pass->untracked = true;
			return;
		}
		/* Before the unmap: an event from here on finds it. */
		WRITE_ONCE(pass->files.file[nr], file);
		smp_store_release(&pass->files.nr, nr + 1);
		tlbbatch_luf_interest(file, 1);
	}
	if (!is_local(file))
		pass->remote = true;
	/*
	 * A write that is under way was seen before anybody cared, and some writers
	 * in the kernel aren't seen at all; but all keep the file open. One that
	 * opens it now is seen when it writes: the barrier is in the interest.
	 */
	if (inode_is_open_for_write(file->host))
		pass->open_write = true;
}

/**
 * tlbbatch_luf_see_unmap() - try_to_unmap() begins, for a batched flush
 * @folio: locked
 *
 * Context: reclaim, preemption off.
 */
void tlbbatch_luf_see_unmap(struct folio *folio)
{
	struct address_space *file = readonly_file(folio);
	unsigned int nr = folio_nr_pages(folio);
	unsigned long pfn = folio_pfn(folio);
	struct pass *pass = get_pass();

	if (!pass)
		return;
	if (!pass->active)
		goto out;
	settle_last(pass);
	if (file) {
		note_file(pass, file);
		/* It may have been mapped writable before anybody cared. */
		if (!is_readonly(file))
			file = NULL;
	}
	if (file) {
		tlbbatch_count(TLBBATCH_LUF_UNMAPS_READONLY, 1);
		pass->readonly++;
		if (!tlbbatch_luf_index_holds(pfn, nr) ||
		    (nr > 1 && tlbbatch_luf_large_freed_early()) ||
		    !tlbbatch_luf_pages_add(&pass->pages, pfn, nr))
			pass->untracked = true;
	} else {
		tlbbatch_count(TLBBATCH_LUF_UNMAPS_MIXED, 1);
		pass->mixed++;
		pass->last_mixed = true;
		pass->was_pending = current->tlb_ubc.flush_required;
		bitmap_copy(pass->before,
			    cpumask_bits(&current->tlb_ubc.arch.cpumask),
			    nr_cpu_ids);
	}
out:
	put_pass(pass);
}

/**
 * tlbbatch_luf_see_pass_end() - what shrink_folio_list() left is put back
 *
 * Context: reclaim, preemption off, perhaps under the lruvec's lock.
 */
void tlbbatch_luf_see_pass_end(void)
{
	tlbbatch_luf_see_other_unmap(false);
}

/**
 * tlbbatch_luf_see_other_unmap() - the task unmaps, and not to reclaim
 * @in_pass: a pass does it all the same: it splits a folio
 *
 * Otherwise it is migration or khugepaged: what they flush isn't a pass's.
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_other_unmap(bool in_pass)
{
	struct pass *pass = get_pass();

	if (!pass)
		return;
	if (in_pass) {
		/* Which CPUs it adds isn't followed: it completes nothing. */
		settle_last(pass);
		pass->mixed++;
	} else {
		forget(pass);
		WRITE_ONCE(pass->active, false);
	}
	put_pass(pass);
}

/**
 * tlbbatch_luf_see_exit() - the task exits, and needs its slot no more
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_exit(void)
{
	struct pass *pass = get_pass();

	if (!pass)
		return;
	forget(pass);
	WRITE_ONCE(pass->task, NULL);
	put_pass(pass);
}

/* Neighbours share a range, so each page counts; tails have no references. */
static bool is_frozen(unsigned long pfn, unsigned int nr, void *data)
{
	while (nr--)
		if (page_ref_count(pfn_to_page(pfn++)))
			return false;
	return true;
}

/* All of it was unmapped read-only: a generation, which may end as it is born. */
static void begin_generation(struct pass *pass, const unsigned long *cpus)
{
	struct tlbbatch_luf_files files = pass->files;
	unsigned int i;

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
	if (READ_ONCE(closing)) {
		tlbbatch_luf_stillborn(TLBBATCH_LUF_REASON_OFF);
		return;
	}
	/* What is freed behind this flush is frozen; what isn't, stays mapped or cached. */
	if (!tlbbatch_luf_pages_all(&pass->pages, is_frozen, NULL)) {
		tlbbatch_luf_stillborn(TLBBATCH_LUF_REASON_KEPT);
		return;
	}
	/* Its own interest: the pass gives its own back in forget(). */
	for (i = 0; i < files.nr; i++)
		tlbbatch_luf_interest(files.file[i], 1);
	if (!tlbbatch_luf_open(&files, &pass->pages, cpus)) {
		for (i = 0; i < files.nr; i++)
			tlbbatch_luf_interest(files.file[i], -1);
		return;
	}
	pass->pages = (struct tlbbatch_luf_pages){ 0 };
	/*
	 * An event that came too early to find the generation in the table found
	 * the pass. Pairs with the barrier in tlbbatch_luf_give_up().
	 */
	smp_mb();
	if (READ_ONCE(pass->hit))
		for (i = 0; i < files.nr; i++)
			tlbbatch_luf_give_up(files.file[i],
					     TLBBATCH_LUF_REASON_EARLY);
}

/**
 * tlbbatch_luf_close() - no generation begins any more, and all that are open end
 * @close: or begin again, if tracking can't end
 *
 * Before the first event goes unseen: else a generation could be saved behind it.
 *
 * Context: process context.
 */
void tlbbatch_luf_close(bool close)
{
	WRITE_ONCE(closing, close);
	if (!close)
		return;
	/* A pass that didn't see it in begin_generation() finds that it was hit. */
	smp_mb();
	tlbbatch_luf_give_up(NULL, TLBBATCH_LUF_REASON_OFF);
}

/* Judged where the task runs now; it can still be moved before the kernel does. */
static bool has_other_cpu(const struct arch_tlbflush_unmap_batch *batch)
{
	return cpumask_any_but(&batch->cpumask, raw_smp_processor_id()) <
	       nr_cpu_ids;
}

/**
 * tlbbatch_luf_see_flush() - arch_tlbbatch_flush() begins
 * @batch: what it flushes
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_flush(const struct arch_tlbflush_unmap_batch *batch)
{
	const unsigned long *cpus = cpumask_bits(&batch->cpumask);
	struct pass *pass;
	enum tlbbatch_luf_flush flush;

	if (batch != &current->tlb_ubc.arch)
		return;
	pass = get_pass();
	if (!pass)
		return;
	if (!pass->active)
		goto out;
	settle_last(pass);
	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_READONLY))
		pass->mixed = current->tlb_ubc.writable;
	flush = tlbbatch_luf_judge_flush(&(struct tlbbatch_luf_pending){
		.remote = has_other_cpu(batch),
		.readonly = pass->readonly,
		.mixed = pass->mixed,
		.untracked = pass->untracked,
	});
	pass->completes = false;
	pass->number = tlbbatch_luf_youngest();
	if (flush != TLBBATCH_LUF_FLUSH_LOCAL)
		tlbbatch_count(TLBBATCH_LUF_FLUSHES, 1);
	switch (flush) {
	case TLBBATCH_LUF_FLUSH_LOCAL:
		pass->completes = pass->mixed;
		break;
	case TLBBATCH_LUF_FLUSH_MIXED:
		tlbbatch_count(TLBBATCH_LUF_FLUSHES_MIXED, 1);
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
		forget(pass);
	tlbbatch_luf_check_missed();
	WRITE_ONCE(sweep_from,
		   tlbbatch_luf_sweep(READ_ONCE(sweep_from), SWEEP_EACH));
out:
	put_pass(pass);
}

/**
 * tlbbatch_luf_see_flush_end() - arch_tlbbatch_flush() returns
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_see_flush_end(void)
{
	struct pass *pass = get_pass();
	unsigned int cpu;

	if (!pass)
		return;
	if (pass->completes) {
		for_each_set_bit(cpu, pass->owed, nr_cpu_ids)
			tlbbatch_luf_cover(cpu, pass->number);
		pass->completes = false;
		forget(pass);
	}
	put_pass(pass);
}

/**
 * tlbbatch_luf_passes_hit() - an event met a file
 * @file: the file; NULL for all
 *
 * A pass that unmapped some of it and hasn't flushed yet gives up its generation.
 *
 * Context: any but NMI; no lock: a hit too many is on the safe side.
 */
void tlbbatch_luf_passes_hit(const struct address_space *file)
{
	unsigned int i, j, nr;

	for (i = 0; i < BIT(passes_bits); i++) {
		struct pass *pass = &passes[i];

		/* Pairs with the release in note_file(). */
		nr = smp_load_acquire(&pass->files.nr);
		for (j = 0; j < min(nr, TLBBATCH_LUF_FILES); j++)
			if (!file || READ_ONCE(pass->files.file[j]) == file)
				WRITE_ONCE(pass->hit, true);
	}
}
