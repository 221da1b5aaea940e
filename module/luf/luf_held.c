// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is remembered of each frame that is held back, while luf/check is on: whose page it was,
 * what it has, and whether the flush that is owed for it was made. So anything that must not
 * happen to it meanwhile is noticed (rule D9). The first hit is printed, and ends deferral.
 *
 *  noted	a pass is about to unmap it
 *  held	taken over, and checked from now on
 *  owed	the number of its debt is known: a flush of a node covers all up to the last one
 *	that it took along
 *  settled	no event has met the pass. From now on an event must flush before it goes on
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/page-flags.h>
#include <linux/pagemap.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "luf/luf_alloc.h"
#include "luf/luf_defer_counters.h"
#include "luf/luf_held.h"

/* Enough for what a node holds by default, and for many passes. What finds no room is counted. */
#define FRAME_BITS	14
#define FRAMES		(1U << FRAME_BITS)
#define FILE_BITS	12
#define FILES		(1U << FILE_BITS)
/* An NMI may find the lock taken by what it has interrupted. */
#define TRIES		100
#define POISON		0x5a

/**
 * struct frame - a folio that is held back, or about to be
 * @pfn: of its first page
 * @by: the pass that has noted it; NULL once it is settled
 * @file: whose page it was; NULL when that is gone. Never followed
 * @index: which page, the first of @nr
 * @nr: how many
 * @ino: the file's inode
 * @dev: and its file system
 * @debt: the number of the debt, U64_MAX until it is known
 * @nid: the node that owes
 * @since: when it was held, in jiffies
 * @sum: a checksum of what it has
 * @next: the next one with the same hash, or that is free; numbered from 1
 * @held: behind a note
 */
struct frame {
	unsigned long pfn;
	const void *by;
	const void *file;
	unsigned long index;
	unsigned int nr;
	unsigned long ino;
	dev_t dev;
	u64 debt;
	int nid;
	unsigned long since;
	u32 sum;
	u16 next;
	bool held;
};

static_assert(FRAMES < U16_MAX);

/**
 * struct table - all of them
 * @flushed: the last debt of each node that a flush has covered
 * @first: by the hash of the frame's number
 * @free: the first that is free
 * @top: none behind that was ever used
 * @files: how many are held of files with that hash
 * @frame: the frames, numbered from 1
 */
struct table {
	u64 flushed[MAX_NUMNODES];
	u16 first[FRAMES];
	u16 free;
	u16 top;
	u16 files[FILES];
	struct frame frame[FRAMES + 1];
};

/* Of all below. Taken in interrupts, too, which allocate and free pages. */
static DEFINE_RAW_SPINLOCK(held_lock);
static struct table *table;
static struct work_struct *on_hit;
static bool poisons, trip, untold;

static unsigned long pfn_of(const struct folio *folio)
{
	return page_to_pfn(&folio->page);
}

static u16 *first_of(unsigned long pfn)
{
	return &table->first[hash_long(pfn, FRAME_BITS)];
}

static struct frame *frame_of(unsigned long pfn)
{
	u16 at;

	for (at = table ? *first_of(pfn) : 0; at; at = table->frame[at].next)
		if (table->frame[at].pfn == pfn)
			return &table->frame[at];
	return NULL;
}

static struct frame *frame_make(unsigned long pfn)
{
	u16 at = table ? table->free : 0, *first;

	if (!at)
		return NULL;
	first = first_of(pfn);
	table->free = table->frame[at].next;
	table->top = max(table->top, at);
	table->frame[at] = (struct frame){ .pfn = pfn, .next = *first };
	WRITE_ONCE(*first, at);
	return &table->frame[at];
}

static u16 *files_of(const void *file)
{
	return &table->files[hash_ptr((void *)file, FILE_BITS)];
}

/* Nobody tells of its file any more. */
static void lose_file(struct frame *frame)
{
	u16 *files;

	if (frame->held && frame->file) {
		files = files_of(frame->file);
		WRITE_ONCE(*files, *files - 1);
	}
	frame->file = NULL;
}

static void frame_drop(struct frame *frame)
{
	u16 at = frame - table->frame, *link = first_of(frame->pfn);

	lose_file(frame);
	while (*link != at)
		link = &table->frame[*link].next;
	WRITE_ONCE(*link, frame->next);
	*frame = (struct frame){ .next = table->free };
	table->free = at;
}

/* A table may go at any time before the lock is taken. */
static bool is_on(void)
{
	return READ_ONCE(table);
}

/* Section: hits */

static const char *const events[] = {
	[TLBBATCH_HELD_ALLOCATED] = "was allocated",
	[TLBBATCH_HELD_FREED] = "was freed",
	[TLBBATCH_HELD_WRITTEN] = "the file was written there, and not flushed for",
	[TLBBATCH_HELD_CUT] = "the file was cut there, and not flushed for",
	[TLBBATCH_HELD_CHANGED] = "its content has changed",
	[TLBBATCH_HELD_UNFLUSHED] = "was given back before its flush",
};

/* The first hit. It isn't told at once, since whoever allocates may hold any lock. */
static struct {
	struct frame frame;
	enum tlbbatch_held_event what;
	unsigned long at;
} first;

static void tell(struct irq_work *unused)
{
	struct work_struct *work = READ_ONCE(on_hit);

	pr_err("luf: frame %lx, page %lu of inode %lu on %u:%u, held back for %u ms: %s\n",
	       first.frame.pfn, first.frame.index, first.frame.ino, MAJOR(first.frame.dev),
	       MINOR(first.frame.dev), jiffies_to_msecs(first.at - first.frame.since),
	       events[first.what]);
	if (work)
		queue_work(system_long_wq, work);
}

static DEFINE_IRQ_WORK(tell_work, tell);

/* Only the first one is told: the rest may be of the same cause. The lock is held. */
static void hit(const struct frame *frame, enum tlbbatch_held_event what)
{
	tlbbatch_defer_count(DEFER_CHECK_HITS, 1);
	if (trip)
		return;
	first.frame = *frame;
	first.what = what;
	first.at = jiffies;
	WRITE_ONCE(trip, true);
	untold = true;
}

/* Tracing may run, and allocate, in whatever is called under the lock. */
static void unlock_and_tell(unsigned long flags)
	__releases(&held_lock)
{
	bool queue = untold;

	untold = false;
	raw_spin_unlock_irqrestore(&held_lock, flags);
	if (queue)
		irq_work_queue(&tell_work);
}

/* The lock is held. */
static void see(const struct frame *frame, enum tlbbatch_held_event what)
{
	struct tlbbatch_held_frame facts = {
		.held = frame->held,
		.settled = !frame->by,
		.flushed = frame->debt <= table->flushed[frame->nid],
	};

	if (tlbbatch_held_hits(&facts, what))
		hit(frame, what);
}

/**
 * tlbbatch_held_tripped() - was there a hit since it was last armed?
 *
 * Context: any.
 */
bool tlbbatch_held_tripped(void)
{
	return READ_ONCE(trip);
}

/**
 * tlbbatch_held_rearm() - the next hit is told again, and flushes may be put off
 *
 * Context: process context.
 */
void tlbbatch_held_rearm(void)
{
	WRITE_ONCE(trip, false);
}

/**
 * tlbbatch_held_on_hit() - what to do behind a hit
 * @work: it; NULL if nothing
 *
 * When this returns, nobody queues the previous work any more. It may have been queued before: the
 * caller cancels it.
 *
 * Context: load, or unload.
 */
void tlbbatch_held_on_hit(struct work_struct *work)
{
	WRITE_ONCE(on_hit, work);
	irq_work_sync(&tell_work);
}

/* Section: a frame's way */

/* Returns false if it must not be read: the hardware has given a page of it up. */
static bool sum_of(struct folio *folio, u32 *sum)
{
	unsigned long i;

	*sum = 0;
	for (i = 0; i < folio_nr_pages(folio); i++) {
		struct page *page = folio_page(folio, i);

		if (PageHWPoison(page))
			return false;
		*sum = jhash2(page_address(page), PAGE_SIZE / sizeof(u32), *sum);
	}
	return true;
}

/**
 * tlbbatch_held_note() - a folio is about to be unmapped, and may be held back
 * @by: the pass's part
 * @folio: locked
 * @file: its file
 *
 * Context: any.
 */
void tlbbatch_held_note(const void *by, struct folio *folio,
			const struct address_space *file)
{
	unsigned long pfn = pfn_of(folio), flags;
	struct frame *frame;

	if (!is_on())
		return;
	raw_spin_lock_irqsave(&held_lock, flags);
	frame = frame_of(pfn) ?: frame_make(pfn);
	if (frame) {
		lose_file(frame);
		frame->by = by;
		frame->held = false;
		frame->file = file;
		frame->index = folio->index;
		frame->nr = folio_nr_pages(folio);
		frame->ino = file->host->i_ino;
		frame->dev = file->host->i_sb->s_dev;
	} else if (table) {
		tlbbatch_defer_count(DEFER_FRAMES_UNCHECKED, 1);
	}
	raw_spin_unlock_irqrestore(&held_lock, flags);
}

/* NULL if another pass has noted it, or none. The folio may be free again: it isn't looked at. */
static struct frame *noted_by(const void *by, const struct folio *folio)
{
	struct frame *frame = frame_of(pfn_of(folio));

	return frame && frame->by == by ? frame : NULL;
}

/**
 * tlbbatch_held_forget() - they were flushed for, and aren't held back
 * @by: the pass's part
 * @folios: what it has noted
 * @nr: how many
 *
 * Context: any.
 */
void tlbbatch_held_forget(const void *by, const struct folio *const *folios, unsigned int nr)
{
	struct frame *frame;
	unsigned long flags;

	if (!is_on())
		return;
	raw_spin_lock_irqsave(&held_lock, flags);
	while (nr--) {
		frame = noted_by(by, folios[nr]);
		if (frame && !frame->held)
			frame_drop(frame);
	}
	raw_spin_unlock_irqrestore(&held_lock, flags);
}

/**
 * tlbbatch_held_hold() - it is taken over
 * @by: the pass's part
 * @folio: frozen, and on no list that others know
 *
 * Poison is what a stale read finds then: so it shows that a load makes such reads.
 *
 * Context: any.
 */
void tlbbatch_held_hold(const void *by, struct folio *folio)
{
	struct frame *frame;
	unsigned long flags;
	u16 *files;
	bool good;
	u32 sum;

	if (!is_on())
		return;
	good = sum_of(folio, &sum);
	if (good && READ_ONCE(poisons)) {
		memset(page_address(&folio->page), POISON, folio_size(folio));
		good = sum_of(folio, &sum);
	}
	raw_spin_lock_irqsave(&held_lock, flags);
	frame = noted_by(by, folio);
	if (frame && !good) {
		frame_drop(frame);
		tlbbatch_defer_count(DEFER_FRAMES_UNCHECKED, 1);
	} else if (frame) {
		files = files_of(frame->file);
		WRITE_ONCE(*files, *files + 1);
		frame->held = true;
		frame->debt = U64_MAX;
		frame->since = jiffies;
		frame->sum = sum;
	}
	raw_spin_unlock_irqrestore(&held_lock, flags);
}

/**
 * tlbbatch_held_owe() - their flush is owed
 * @folios: the folios
 * @nid: the node that owes
 * @nr: the number of its debt
 *
 * Context: the node's lock is held, so that no flush with that number was made.
 */
void tlbbatch_held_owe(const struct list_head *folios, int nid, u64 nr)
{
	const struct folio *folio;
	struct frame *frame;
	unsigned long flags;

	if (!is_on())
		return;
	raw_spin_lock_irqsave(&held_lock, flags);
	list_for_each_entry(folio, folios, lru) {
		frame = frame_of(pfn_of(folio));
		if (frame && frame->held) {
			frame->nid = nid;
			frame->debt = nr;
		}
	}
	raw_spin_unlock_irqrestore(&held_lock, flags);
}

/**
 * tlbbatch_held_settle() - no event has met the pass that held them
 * @by: the pass's part
 * @folios: what it has noted
 * @nr: how many
 *
 * An event that comes now must flush for them before it goes on.
 *
 * Context: any.
 */
void tlbbatch_held_settle(const void *by, const struct folio *const *folios, unsigned int nr)
{
	struct frame *frame;
	unsigned long flags;

	if (!is_on())
		return;
	raw_spin_lock_irqsave(&held_lock, flags);
	while (nr--) {
		frame = noted_by(by, folios[nr]);
		if (frame && frame->held)
			frame->by = NULL;
	}
	raw_spin_unlock_irqrestore(&held_lock, flags);
}

/**
 * tlbbatch_held_flushed() - a flush is complete
 * @nid: the node that owed it
 * @nr: it covers all debts up to that number
 *
 * Context: any.
 */
void tlbbatch_held_flushed(int nid, u64 nr)
{
	unsigned long flags;

	if (!is_on())
		return;
	raw_spin_lock_irqsave(&held_lock, flags);
	if (table && table->flushed[nid] < nr)
		table->flushed[nid] = nr;
	raw_spin_unlock_irqrestore(&held_lock, flags);
}

/**
 * tlbbatch_held_release() - it is given back
 * @folio: still frozen
 *
 * Context: any.
 */
void tlbbatch_held_release(struct folio *folio)
{
	struct frame *frame;
	unsigned long flags;
	bool good;
	u32 sum;

	if (!is_on())
		return;
	good = sum_of(folio, &sum);
	raw_spin_lock_irqsave(&held_lock, flags);
	frame = frame_of(pfn_of(folio));
	if (frame && frame->held) {
		see(frame, TLBBATCH_HELD_UNFLUSHED);
		if (good && frame->sum != sum)
			see(frame, TLBBATCH_HELD_CHANGED);
		tlbbatch_defer_count(DEFER_FRAMES_CHECKED, 1);
		frame_drop(frame);
	}
	unlock_and_tell(flags);
}

/* Section: what must not happen meanwhile. By probes, which end before the table goes. */

static void see_pfn(unsigned long pfn, enum tlbbatch_held_event what)
{
	const struct frame *frame;
	unsigned int tries = 0;
	unsigned long flags;

	/* Who has the lock may be what this NMI has interrupted, so nobody waits long. */
	while (!raw_spin_trylock_irqsave(&held_lock, flags)) {
		if (++tries == TRIES)
			return;
		cpu_relax();
	}
	frame = frame_of(pfn);
	if (frame)
		see(frame, what);
	unlock_and_tell(flags);
}

/**
 * tlbbatch_held_see_frames() - the page allocator gives, or takes, pages
 * @page: the first
 * @order: there are 2^@order
 * @what: TLBBATCH_HELD_ALLOCATED or TLBBATCH_HELD_FREED
 *
 * A folio that is held back is known by its first page: what becomes of its others alone isn't
 * noticed.
 *
 * Context: any, also an NMI.
 */
void tlbbatch_held_see_frames(const struct page *page, unsigned int order,
			      enum tlbbatch_held_event what)
{
	unsigned long pfn = page_to_pfn(page), end = pfn + (1UL << order);

	for (; pfn < end; pfn++)
		/* Nearly never. */
		if (READ_ONCE(*first_of(pfn)))
			see_pfn(pfn, what);
}

/* Of all that is held of a file. */
#define for_each_held(frame_, file_)					\
	for (frame_ = table->frame + 1; frame_ <= table->frame + table->top; frame_++) \
		if (frame_->held && frame_->file == (file_))

/**
 * tlbbatch_held_see_file() - pages of a file change
 * @file: the file
 * @from: the first
 * @to: the last
 * @what: how
 *
 * Context: any but an NMI.
 */
void tlbbatch_held_see_file(const struct address_space *file, unsigned long from,
			    unsigned long to, enum tlbbatch_held_event what)
{
	const struct frame *frame;
	unsigned long flags;

	/* Nearly always. */
	if (!READ_ONCE(*files_of(file)))
		return;
	raw_spin_lock_irqsave(&held_lock, flags);
	for_each_held(frame, file)
		if (frame->index <= to && frame->index + frame->nr > from)
			see(frame, what);
	unlock_and_tell(flags);
}

/**
 * tlbbatch_held_see_end() - a file's inode is about to go
 * @file: the file. Another one may come to be at the same address
 *
 * Context: any but an NMI.
 */
void tlbbatch_held_see_end(const struct address_space *file)
{
	struct frame *frame;
	unsigned long flags;

	if (!READ_ONCE(*files_of(file)))
		return;
	raw_spin_lock_irqsave(&held_lock, flags);
	for_each_held(frame, file)
		lose_file(frame);
	raw_spin_unlock_irqrestore(&held_lock, flags);
}

/* Section: begin and end */

/**
 * tlbbatch_held_poison() - overwrite what is held back from now on?
 * @on: do it
 *
 * Context: process context.
 */
void tlbbatch_held_poison(bool on)
{
	WRITE_ONCE(poisons, on);
}

/**
 * tlbbatch_held_init() - remember from now on
 *
 * What is held back already isn't checked.
 *
 * Context: process context, may sleep. Return: 0 or -ENOMEM.
 */
int tlbbatch_held_init(void)
{
	struct table *made = tlbbatch_luf_alloc(1, sizeof(*made));
	unsigned long flags;
	unsigned int i;

	if (!made)
		return -ENOMEM;
	for (i = 1; i <= FRAMES; i++)
		made->frame[i].next = i < FRAMES ? i + 1 : 0;
	made->free = 1;
	raw_spin_lock_irqsave(&held_lock, flags);
	WRITE_ONCE(table, made);
	raw_spin_unlock_irqrestore(&held_lock, flags);
	return 0;
}

/**
 * tlbbatch_held_exit() - forget all
 *
 * Context: process context, may sleep; nobody is in a probe.
 */
void tlbbatch_held_exit(void)
{
	struct table *gone;
	unsigned long flags;

	raw_spin_lock_irqsave(&held_lock, flags);
	gone = table;
	WRITE_ONCE(table, NULL);
	raw_spin_unlock_irqrestore(&held_lock, flags);
	irq_work_sync(&tell_work);
	vfree(gone);
}
