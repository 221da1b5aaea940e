/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May a huge page be discarded? Decisions as pure functions of plain facts. No kernel type
 * appears here: tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_LAZYFREE_POLICY_H
#define TLBBATCH_LAZYFREE_POLICY_H

#include "kernel/portable.h"

/* Whether a discard is tried, or why it isn't. */
enum tlbbatch_lazyfree_verdict {
	TLBBATCH_LAZYFREE_TRY,
	TLBBATCH_LAZYFREE_NONE,		/* no page that MADV_FREE gave up */
	TLBBATCH_LAZYFREE_SHARED,
	TLBBATCH_LAZYFREE_VMA,
	TLBBATCH_LAZYFREE_DIRTY,
	TLBBATCH_LAZYFREE_PROTECTED,
	TLBBATCH_LAZYFREE_NOTIFIER,
	TLBBATCH_LAZYFREE_OTHER,
};

/* What becomes of a page whose mapping is invalid. */
enum tlbbatch_lazyfree_end {
	TLBBATCH_LAZYFREE_DISCARD,
	TLBBATCH_LAZYFREE_RESTORE_DIRTY,
	TLBBATCH_LAZYFREE_RESTORE_REFERENCED,
};

/**
 * struct tlbbatch_lazyfree_facts - a folio and the entry that maps it, before anything is done
 * @is_lazyfree: the folio is anonymous, and swap doesn't back it
 * @is_mapped: the entry is present and huge, and maps this folio
 * @is_odd: the folio isn't mapped whole and within its VMA, or isn't locked, or is in the swap
 *	cache, poisoned or mlocked; or no page table is deposited for the entry
 * @is_dirty: the folio's own flag
 * @maps: mappings of the folio, of parts of it, too
 * @whole_maps: of these, entries that map it whole
 * @is_locked_vma: the VMA is mlocked
 * @is_droppable_vma: the VMA's pages may be dropped, dirty or not
 * @is_special_vma: the VMA is a shadow stack, or a userfaultfd watches it
 * @has_notifiers: the mm has MMU notifiers, and nobody has told them yet
 * @is_entry_dirty: the entry says that somebody has written
 * @is_writable: the entry allows writes
 * @is_fault_wanted: the entry is there to fault, for NUMA balancing or for userfaultfd
 */
struct tlbbatch_lazyfree_facts {
	bool is_lazyfree;
	bool is_mapped;
	bool is_odd;
	bool is_dirty;
	int maps;
	int whole_maps;
	bool is_locked_vma;
	bool is_droppable_vma;
	bool is_special_vma;
	bool has_notifiers;
	bool is_entry_dirty;
	bool is_writable;
	bool is_fault_wanted;
};

/**
 * struct tlbbatch_lazyfree_state - the same, when nobody can reach the page by the entry any more
 * @is_entry_dirty: what the entry said at last
 * @is_dirty: the folio's flag, read behind its references
 * @is_droppable: it doesn't matter whether it is dirty
 * @refs: references to the folio
 * @maps: its mappings, read behind its references
 */
struct tlbbatch_lazyfree_state {
	bool is_entry_dirty;
	bool is_dirty;
	bool is_droppable;
	int refs;
	int maps;
};

enum tlbbatch_lazyfree_verdict
tlbbatch_lazyfree_judge(const struct tlbbatch_lazyfree_facts *facts);
enum tlbbatch_lazyfree_verdict
tlbbatch_lazyfree_judge_own(const struct tlbbatch_lazyfree_facts *facts);
enum tlbbatch_lazyfree_end
tlbbatch_lazyfree_end_of(const struct tlbbatch_lazyfree_state *state);

#endif /* TLBBATCH_LAZYFREE_POLICY_H */
