// SPDX-License-Identifier: GPL-2.0-only
/* The decisions of deferral: luf_defer_policy.h. */
#include <linux/magic.h>
#include "luf/luf_defer_policy.h"

/**
 * tlbbatch_defer_file_fits() - may the flush for a file's folios be put off?
 * @file: the file
 *
 * Rule D1: a stale entry shows what the file had when the folio was unmapped. So nothing may
 * change it unseen.
 *
 * Context: any.
 */
bool tlbbatch_defer_file_fits(const struct tlbbatch_defer_file *file)
{
	if (file->open_for_write)
		return false;
	/* On local devices. So only this kernel changes their files, and it counts who writes. */
	switch (file->magic) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case SQUASHFS_MAGIC:
	case EROFS_SUPER_MAGIC_V1:
		return true;
	}
	return false;
}

/**
 * tlbbatch_defer_judge() - what becomes of a pass's flush
 * @facts: of the pass, and of the group that it is about to free
 *
 * Context: any.
 * Return: TLBBATCH_DEFER_IT if the flush may be put off; else why not.
 */
enum tlbbatch_defer_verdict tlbbatch_defer_judge(const struct tlbbatch_luf_defer_facts *facts)
{
	if (!facts->owes)
		return TLBBATCH_DEFER_OWES_NOTHING;
	/* As rule G3: a CPU with a dirty entry stores without a look at the page table. */
	if (facts->dirty)
		return TLBBATCH_DEFER_DIRTY;
	if (facts->mixed)
		return TLBBATCH_DEFER_MIXED;
	/* It costs next to nothing, and ends the matter. */
	if (!facts->remote)
		return TLBBATCH_DEFER_LOCAL;
	/* Rule D3. */
	if (facts->hit)
		return TLBBATCH_DEFER_HIT;
	/* Rule D2: others may free that folio, and know of no flush. */
	if (facts->kept)
		return TLBBATCH_DEFER_KEPT;
	/* Rule D5. */
	if (facts->full)
		return TLBBATCH_DEFER_MEMORY;
	return TLBBATCH_DEFER_IT;
}

static unsigned long usable(const struct tlbbatch_defer_zone *zone)
{
	return zone->free > zone->reserved ? zone->free - zone->reserved : 0;
}

/**
 * tlbbatch_defer_is_low() - is a zone short of memory?
 * @zone: the zone
 *
 * Context: any.
 * Return: true if fewer pages are free than half way between the first two watermarks.
 */
bool tlbbatch_defer_is_low(const struct tlbbatch_defer_zone *zone)
{
	return usable(zone) < (zone->min + zone->low) / 2;
}

/*
 * With few free pages, no more may be missing than lies between the last two watermarks: kswapd then
 * stops a little later.
 */
static unsigned long most(const struct tlbbatch_defer_zone *zone, unsigned long batch)
{
	unsigned long between = zone->high - zone->low;

	if (zone->isolates || tlbbatch_defer_is_low(zone))
		return 0;
	return usable(zone) <= zone->high + batch && between < batch ? between : batch;
}

/**
 * tlbbatch_defer_room() - how many more pages of a zone may be held back
 * @zone: the zone
 * @batch: luf/batch, in pages
 *
 * Rule D5. What is held back is missing from the free pages.
 *
 * Rule D6. Who isolates blocks looks at one after the other. A large folio that is on no list ends
 * that with -EBUSY (page_is_unmovable()), and nobody tries again.
 *
 * Context: any.
 */
unsigned long tlbbatch_defer_room(const struct tlbbatch_defer_zone *zone, unsigned long batch)
{
	unsigned long bound = most(zone, batch);

	return zone->held < bound ? bound - zone->held : 0;
}

/**
 * tlbbatch_defer_is_over() - is more held back than may be by now?
 * @zone: the zone
 * @batch: luf/batch, in pages
 *
 * Rule D5. Memory may have become short since. Free pages and a new luf/batch count, too.
 *
 * Context: any.
 */
bool tlbbatch_defer_is_over(const struct tlbbatch_defer_zone *zone, unsigned long batch)
{
	return zone->held > most(zone, batch);
}

/**
 * tlbbatch_defer_spares() - is the OOM killer told that memory was given back?
 * @ms: since it was told so last
 *
 * Rule D5. If memory runs out again soon after that, what was held back wasn't why.
 *
 * Context: any.
 */
bool tlbbatch_defer_spares(unsigned int ms)
{
	return ms >= TLBBATCH_DEFER_SPARES_MS;
}

/**
 * tlbbatch_defer_next_is() - was a folio of a group unmapped by the pass?
 * @unmapped: what the pass has unmapped, in that order
 * @nr: how many
 * @next: the first of these that wasn't found yet; moves on
 * @folio: of the group; to be asked in the order in which the group was filled
 *
 * Reclaim takes one folio after the other, so both orders are the same. Rule D2: if @next
 * arrives at @nr, all that was unmapped is in the group.
 *
 * Context: any.
 */
bool tlbbatch_defer_next_is(const void *const *unmapped, unsigned int nr, unsigned int *next,
			    const void *folio)
{
	if (*next == nr || unmapped[*next] != folio)
		return false;
	++*next;
	return true;
}

/**
 * tlbbatch_held_may_stay() - may a file's pages be written anew without a new content?
 * @file: the file
 * @replaced: they are written past the page cache
 *
 * Nobody has the file open for writing. Then btrfs moves its pages to another place on the disk
 * (btrfs filesystem defragment), and XFS drops them (online repair, layouts for NFS clients).
 *
 * Context: any.
 */
bool tlbbatch_held_may_stay(const struct tlbbatch_defer_file *file, bool replaced)
{
	if (file->open_for_write)
		return false;
	return replaced ? file->magic == XFS_SUPER_MAGIC : file->magic == BTRFS_SUPER_MAGIC;
}

/**
 * tlbbatch_held_hits() - must that not have happened?
 * @frame: the frame
 * @what: what happens to it, or to its file
 *
 * Rule D9. A change of its file is allowed behind the flush. If an event met the pass that held it back,
 * that pass flushes by itself before its next step, as it would without deferral.
 *
 * Context: any.
 */
bool tlbbatch_held_hits(const struct tlbbatch_held_frame *frame, enum tlbbatch_held_event what)
{
	if (!frame->held)
		return false;
	switch (what) {
	case TLBBATCH_HELD_WRITTEN:
	case TLBBATCH_HELD_CUT:
		return frame->settled && !frame->flushed;
	case TLBBATCH_HELD_UNFLUSHED:
		return !frame->flushed;
	case TLBBATCH_HELD_ALLOCATED:
	case TLBBATCH_HELD_FREED:
	case TLBBATCH_HELD_CHANGED:
		return true;
	}
	return true;
}
