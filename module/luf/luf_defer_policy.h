/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decisions of deferral, as pure functions of plain facts. No kernel type appears here:
 * tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_LUF_DEFER_POLICY_H
#define TLBBATCH_LUF_DEFER_POLICY_H

#include "kernel/portable.h"

/* luf/batch, in pages: less than a pass has would defer nothing; 16 MiB are much to hold back. */
#define TLBBATCH_DEFER_BATCH_MIN	32U
#define TLBBATCH_DEFER_BATCH_MAX	4096U
/* luf/age_ms: 0 ends with the call of reclaim. */
#define TLBBATCH_DEFER_AGE_MAX_MS	1000U
/* The OOM killer is kept away once in so many milliseconds. */
#define TLBBATCH_DEFER_SPARES_MS	1000U
/* For so long nothing is held back behind the begin of a search for a large range. */
#define TLBBATCH_DEFER_SOUGHT_MS	1000U
/* Folios that a pass may unmap before its next flush, if that is to be put off. */
#define TLBBATCH_DEFER_UNMAPS		512U

/**
 * struct tlbbatch_defer_file - a file of which a folio is about to be unmapped
 * @magic: of its file system, as statfs() tells it
 * @open_for_write: somebody has it open for writing, or maps it so
 */
struct tlbbatch_defer_file {
	unsigned long magic;
	bool open_for_write;
};

/**
 * struct tlbbatch_luf_defer_facts - a pass that is about to flush and free a group of folios
 * @owes: something was unmapped since the task's last flush
 * @dirty: among that was a dirty PTE
 * @mixed: or a folio that isn't one of a file that fits, or one that went unnoted; or nothing was
 *	noted, no group follows, or luf/check has noticed a breach
 * @remote: the flush names another CPU
 * @hit: an event met one of the files meanwhile
 * @kept: a folio that was unmapped isn't in the group, or somebody refers to it
 * @full: no room for so many pages, even with all that could be given back
 */
struct tlbbatch_luf_defer_facts {
	bool owes;
	bool dirty;
	bool mixed;
	bool remote;
	bool hit;
	bool kept;
	bool full;
};

/* What becomes of the flush. Only the first puts it off. */
enum tlbbatch_defer_verdict {
	TLBBATCH_DEFER_IT,
	TLBBATCH_DEFER_OWES_NOTHING,
	TLBBATCH_DEFER_LOCAL,
	TLBBATCH_DEFER_DIRTY,
	TLBBATCH_DEFER_MIXED,
	TLBBATCH_DEFER_HIT,
	TLBBATCH_DEFER_KEPT,
	TLBBATCH_DEFER_MEMORY,
};

/**
 * struct tlbbatch_defer_zone - a zone of memory
 * @free: free pages
 * @reserved: of these, what not every allocation may have
 * @min: the watermarks, in pages
 * @low: the second
 * @high: the third
 * @held: pages of it that are held back
 * @isolates: blocks of it are being taken out of use, or a large range is being sought
 */
struct tlbbatch_defer_zone {
	unsigned long free;
	unsigned long reserved;
	unsigned long min;
	unsigned long low;
	unsigned long high;
	unsigned long held;
	bool isolates;
};

/* What must not happen to a frame that is held back. */
enum tlbbatch_held_event {
	TLBBATCH_HELD_ALLOCATED,
	TLBBATCH_HELD_FREED,
	TLBBATCH_HELD_WRITTEN,
	TLBBATCH_HELD_CUT,
	TLBBATCH_HELD_CHANGED,
	TLBBATCH_HELD_UNFLUSHED,
};

/**
 * struct tlbbatch_held_frame - a frame of which something is remembered
 * @held: it is held back
 * @settled: no event has met the pass that held it
 * @flushed: the flush that was owed for it was made
 */
struct tlbbatch_held_frame {
	bool held;
	bool settled;
	bool flushed;
};

bool tlbbatch_held_may_stay(const struct tlbbatch_defer_file *file, bool replaced);
bool tlbbatch_held_hits(const struct tlbbatch_held_frame *frame, enum tlbbatch_held_event what);
bool tlbbatch_defer_file_fits(const struct tlbbatch_defer_file *file);
enum tlbbatch_defer_verdict tlbbatch_defer_judge(const struct tlbbatch_luf_defer_facts *facts);
unsigned long tlbbatch_defer_room(const struct tlbbatch_defer_zone *zone, unsigned long batch);
bool tlbbatch_defer_spares(unsigned int ms);
bool tlbbatch_defer_is_low(const struct tlbbatch_defer_zone *zone);
bool tlbbatch_defer_is_over(const struct tlbbatch_defer_zone *zone, unsigned long batch);
bool tlbbatch_defer_next_is(const void *const *unmapped, unsigned int nr, unsigned int *next,
			    const void *folio);

#endif /* TLBBATCH_LUF_DEFER_POLICY_H */
