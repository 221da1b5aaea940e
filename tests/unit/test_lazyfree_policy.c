// SPDX-License-Identifier: GPL-2.0-only
/* May a huge page be discarded? Each fact alone, and all together. */
#include "lazyfree/lazyfree_policy.h"
#include "tap.h"

typedef struct tlbbatch_lazyfree_facts facts_t;

/* A page of which nothing speaks against a discard. */
static const facts_t plain = {
	.is_lazyfree = true, .is_mapped = true, .is_writable = true,
	.maps = 1, .whole_maps = 1,
};

/* A page and one difference. */
#define BUT(what) ({								\
	static facts_t _facts;							\
										\
	_facts = plain;								\
	_facts what;								\
	&_facts; })

static void check_judge(void)
{
	ok_int(tlbbatch_lazyfree_judge(&plain), TLBBATCH_LAZYFREE_TRY, "F2: a plain page is tried");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_lazyfree = false)), TLBBATCH_LAZYFREE_NONE,
	       "F2: not one that swap backs, or of a file");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_mapped = false)), TLBBATCH_LAZYFREE_OTHER,
	       "F2: nor an entry that doesn't map it whole");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_odd = true)), TLBBATCH_LAZYFREE_OTHER,
	       "F2: nor what is poisoned, mlocked or in the swap cache");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_locked_vma = true)), TLBBATCH_LAZYFREE_VMA,
	       "F2: nor in an mlocked VMA");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_droppable_vma = true)), TLBBATCH_LAZYFREE_VMA,
	       "F2: nor in a droppable one");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_special_vma = true)), TLBBATCH_LAZYFREE_VMA,
	       "F2: nor in one that a userfaultfd watches");
	ok_int(tlbbatch_lazyfree_judge(BUT(.has_notifiers = true)), TLBBATCH_LAZYFREE_NOTIFIER,
	       "F2: nor where MMU notifiers weren't told");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_dirty = true)), TLBBATCH_LAZYFREE_DIRTY,
	       "F4: nor a folio that is dirty");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_entry_dirty = true)), TLBBATCH_LAZYFREE_DIRTY,
	       "F4: nor one whose entry is");
	ok_int(tlbbatch_lazyfree_judge(BUT(.maps = 2)), TLBBATCH_LAZYFREE_SHARED,
	       "F2: nor one that is mapped in parts elsewhere");
	ok_int(tlbbatch_lazyfree_judge(BUT(.whole_maps = 2)), TLBBATCH_LAZYFREE_SHARED,
	       "F2: nor one that is mapped whole elsewhere");
	ok_int(tlbbatch_lazyfree_judge(BUT(.whole_maps = 0)), TLBBATCH_LAZYFREE_SHARED,
	       "F2: nor one whose only mapping is of a part");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_writable = false)), TLBBATCH_LAZYFREE_PROTECTED,
	       "F7: nor one whose entry is write-protected");
	ok_int(tlbbatch_lazyfree_judge(BUT(.is_fault_wanted = true)), TLBBATCH_LAZYFREE_PROTECTED,
	       "F7: nor one whose entry is there to fault");
}

/* Rule F6: the kernel's own conditions. */
static void check_own(void)
{
	ok_int(tlbbatch_lazyfree_judge_own(&plain), TLBBATCH_LAZYFREE_TRY, "F6: a plain page is tried");
	ok_int(tlbbatch_lazyfree_judge_own(BUT(.is_lazyfree = false)), TLBBATCH_LAZYFREE_NONE,
	       "F6: what MADV_FREE didn't give up is left to the kernel");
	ok_int(tlbbatch_lazyfree_judge_own(BUT(.is_mapped = false)), TLBBATCH_LAZYFREE_NONE,
	       "F6: so is an entry that isn't present");
	ok_int(tlbbatch_lazyfree_judge_own(BUT(.is_odd = true)), TLBBATCH_LAZYFREE_OTHER,
	       "F6: what is poisoned, or mlocked, stays, and isn't left to the kernel");
	ok_int(tlbbatch_lazyfree_judge_own(BUT(.is_locked_vma = true)), TLBBATCH_LAZYFREE_VMA,
	       "F6: so does a page of an mlocked VMA");
	ok_int(tlbbatch_lazyfree_judge_own(BUT(.is_dirty = true)), TLBBATCH_LAZYFREE_DIRTY,
	       "F6: a dirty folio stays");
	ok_int(tlbbatch_lazyfree_judge_own(BUT(.is_entry_dirty = true)), TLBBATCH_LAZYFREE_DIRTY,
	       "F6: so does one whose entry is dirty");
	ok_int(tlbbatch_lazyfree_judge_own(&(facts_t){ .is_lazyfree = true, .is_mapped = true,
						       .is_droppable_vma = true, .is_dirty = true }),
	       TLBBATCH_LAZYFREE_TRY, "F6: what may be dropped goes, dirty or not");
	ok_int(tlbbatch_lazyfree_judge_own(BUT(.maps = 3)), TLBBATCH_LAZYFREE_TRY,
	       "F6: as in the kernel, one mapping of several may go");
	ok_int(tlbbatch_lazyfree_judge_own(BUT(.is_writable = false)), TLBBATCH_LAZYFREE_TRY,
	       "F6: and a write-protected one");
}

static facts_t facts_of(unsigned int bits, int maps, int whole_maps)
{
	return (facts_t){
		.is_lazyfree = bits & 1, .is_mapped = bits & 2, .is_odd = bits & 4,
		.is_dirty = bits & 8, .is_locked_vma = bits & 16,
		.is_droppable_vma = bits & 32, .is_special_vma = bits & 64,
		.has_notifiers = bits & 128, .is_entry_dirty = bits & 256,
		.is_writable = bits & 512, .is_fault_wanted = bits & 1024,
		.maps = maps, .whole_maps = whole_maps,
	};
}

#define GOOD_BITS	(1 | 2 | 512)

/* Of all combinations exactly one is tried, and a reason is given for each of the others. */
static void check_all(void)
{
	unsigned int bits, tried = 0, wrong = 0, own_wrong = 0, left_wrong = 0;
	int maps, whole;

	for (bits = 0; bits < 2048; bits++)
		for (maps = 0; maps < 4; maps++)
			for (whole = 0; whole < 3; whole++) {
				facts_t facts = facts_of(bits, maps, whole);
				bool is_try = tlbbatch_lazyfree_judge(&facts) ==
					      TLBBATCH_LAZYFREE_TRY;
				enum tlbbatch_lazyfree_verdict verdict =
					tlbbatch_lazyfree_judge_own(&facts);
				bool own = verdict == TLBBATCH_LAZYFREE_TRY;
				bool left = verdict == TLBBATCH_LAZYFREE_NONE;
				bool clean = !(bits & (8 | 256)) || bits & 32;

				tried += is_try;
				wrong += is_try != (bits == GOOD_BITS && maps == 1 && whole == 1);
				own_wrong += own != ((bits & 7) == 3 && !(bits & 16) && clean);
				left_wrong += left != ((bits & 3) != 3);
			}
	ok_int(tried, 1, "F2: one combination of facts is tried");
	ok_int(wrong, 0, "F2: and it is that of a plain page");
	ok_int(own_wrong, 0, "F6: all combinations: the kernel's conditions");
	ok_int(left_wrong, 0, "F6: and no present entry of a lazyfree page is left to the kernel");
}

static void check_end(void)
{
	struct tlbbatch_lazyfree_state state = { .refs = 2, .maps = 1 };
	unsigned int bits, wrong = 0;
	int refs, maps;

	ok_int(tlbbatch_lazyfree_end_of(&state), TLBBATCH_LAZYFREE_DISCARD, "nobody wrote: it goes");
	state.refs = 3;
	ok_int(tlbbatch_lazyfree_end_of(&state), TLBBATCH_LAZYFREE_RESTORE_REFERENCED,
	       "F5: somebody holds it: it stays");
	state.is_entry_dirty = true;
	ok_int(tlbbatch_lazyfree_end_of(&state), TLBBATCH_LAZYFREE_RESTORE_DIRTY,
	       "F5: that it was written counts before that it is held");
	state.refs = 2;
	ok_int(tlbbatch_lazyfree_end_of(&state), TLBBATCH_LAZYFREE_RESTORE_DIRTY,
	       "F4: a store by the entry");
	state = (struct tlbbatch_lazyfree_state){ .refs = 2, .maps = 1, .is_dirty = true };
	ok_int(tlbbatch_lazyfree_end_of(&state), TLBBATCH_LAZYFREE_RESTORE_DIRTY,
	       "F4: a mark of who held it");
	state = (struct tlbbatch_lazyfree_state){ .refs = 1, .maps = 1 };
	ok_int(tlbbatch_lazyfree_end_of(&state), TLBBATCH_LAZYFREE_RESTORE_REFERENCED,
	       "F5: a reference too few is as wrong");

	for (bits = 0; bits < 8; bits++)
		for (refs = 0; refs < 6; refs++)
			for (maps = 0; maps < 4; maps++) {
				bool goes;

				state = (struct tlbbatch_lazyfree_state){
					.is_entry_dirty = bits & 1, .is_dirty = bits & 2,
					.is_droppable = bits & 4, .refs = refs, .maps = maps,
				};
				goes = tlbbatch_lazyfree_end_of(&state) ==
				       TLBBATCH_LAZYFREE_DISCARD;
				wrong += goes != (refs == maps + 1 && (!(bits & 3) || bits & 4));
			}
	ok_int(wrong, 0, "F4, F5: all combinations");
}

int main(void)
{
	check_judge();
	check_own();
	check_all();
	check_end();
	return tap_done();
}
