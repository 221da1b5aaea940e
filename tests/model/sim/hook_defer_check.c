// SPDX-License-Identifier: GPL-2.0-only
/*
 * luf/check: whatever happens to a frame that is held back, and must not, is noticed; what may
 * happen isn't; and a hit ends deferral. Rule D9.
 */
#include "defer_world.h"
#include "defer_happens.h"

static struct super_block btrfs = { .s_magic = 0x9123683E }, xfs = { .s_magic = 0x58465342 };
static unsigned int waits;

void sim_relax(void)
{
	waits++;
}

static unsigned int stops;

static void stop_deferring(struct work_struct *work)
{
	stops++;
}

static DECLARE_WORK(stop, stop_deferring);

/* Folio 3 of a pass: the fourth. */
#define IT	(&folios[3])

static void allocated(void)
{
	is_allocated(IT);
}

static void freed(void)
{
	sees_freed(IT);
}

static void dirtied(void)
{
	mark_dirty(IT, &files[0], 0);
}

static void dirtied_whole(void)
{
	dirty_folio(&files[0], IT);
}

static void cut_unseen(void)
{
	cut_pages(&inodes[0], 0);
}

static void dropped(void)
{
	drop_pages(&files[0], 0, 4096);
}

static void stored(void)
{
	IT->page.words[2]++;
}

/* The last page of the last large folio. */
static void dropped_last(void)
{
	drop_pages(&files[0], 23, 23);
}

static void first_dirtied(void)
{
	mark_dirty(&folios[0], &files[0], 0);
}

static void other_dirtied(void)
{
	mark_dirty(IT, &files[1], 0);
}

static void other_allocated(void)
{
	is_allocated(&folios[60]);
}

static void file_goes(void)
{
	last_pages(&files[0]);
	mark_dirty(IT, &files[0], 0);
}

/* By writeback: it isn't held back. */
static void other_page_dirtied(void)
{
	struct folio other = { .index = 50, .nr = 3 };

	mark_dirty(&other, &files[0], 0);
	cut_pages(&inodes[0], 50L << PAGE_SHIFT);
	drop_pages(&files[0], 21, 4096);
}

static void written(void)
{
	opens();
	dirtied();
	dropped();
}

static void defragmented(void)
{
	inodes[0].i_sb = &btrfs;
	dirtied();
	dirtied_whole();
}

static void written_on_btrfs(void)
{
	inodes[0].i_sb = &btrfs;
	inodes[0].writers = 1;
	dirtied();
}

static void repaired(void)
{
	inodes[0].i_sb = &xfs;
	dropped();
}

static void written_on_xfs(void)
{
	inodes[0].i_sb = &xfs;
	dirtied();
}

static void cut_well(void)
{
	cuts();
	cut_unseen();
}

/* Behind a pass, and until all is given back. */
static void test_hits(void)
{
	static const struct {
		const char *name;
		void (*happens)(void);
		const char *said;
	} tests[] = {
		{ "it is allocated", allocated, "was allocated" },
		{ "it is freed", freed, "was freed" },
		{ "its file is written, unseen", dirtied, "was written" },
		{ "another way to write", dirtied_whole, "was written" },
		{ "and another", dropped, "was written" },
		{ "its file is cut, unseen", cut_unseen, "was cut" },
		{ "somebody stores to it", stored, "content has changed" },
		{ "another file is written", other_dirtied, NULL },
		{ "another page of its file is", other_page_dirtied, NULL },
		{ "another frame is allocated", other_allocated, NULL },
		{ "its file goes, and another comes", file_goes, NULL },
		{ "its file is written, behind the event", written, NULL },
		{ "btrfs moves it", defragmented, NULL },
		{ "somebody writes it there", written_on_btrfs, "was written" },
		{ "XFS drops it", repaired, NULL },
		{ "somebody writes it there", written_on_xfs, "was written" },
		{ "it is cut, behind the event", cut_well, NULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		u64 hits, checked = counted(DEFER_FRAMES_CHECKED);
		bool bad = tests[i].said;

		anew();
		hits = counted(DEFER_CHECK_HITS);
		sim_forget();
		pass();
		tests[i].happens();
		ms_pass(2000);
		ok((counted(DEFER_CHECK_HITS) > hits) == bad && tlbbatch_held_tripped() == bad,
		   "D9: %s: %s", tests[i].name, bad ? "noticed" : "that is allowed");
		if (bad)
			right(sim_logged(tests[i].said) && sim_times_logged("held back for") == 1,
			      "D9: it is said, once");
		ok(counted(DEFER_FRAMES_CHECKED) == checked + 20 && all_well(), "all 20 were checked");
		anew();
		pass();
		ok(!tlbbatch_owed_held() == bad, "D9: nothing is put off behind a hit");
		tlbbatch_held_rearm();
		settles();
	}
}

/* A pass that an event meets flushes by itself: what it held meanwhile may change. */
static void test_hit_pass(void)
{
	u64 hits = counted(DEFER_CHECK_HITS);

	anew();
	plan.meanwhile = written;
	plan.meanwhile_at = 10;
	ok(pass() == 1 && all_well(), "an event meets a pass");
	ok(counted(DEFER_CHECK_HITS) == hits, "D9: that isn't a hit");
	anew();
	plan.nr = 1;
	sim_at_refs = opens;
	at_flush = first_dirtied;
	ok(pass() == 0 && all_well(), "an event meets it at the last moment");
	ok(counted(DEFER_CHECK_HITS) == hits, "D9: nor is that");
	anew();
	plan.kept = 5;
	pass();
	is_allocated(&folios[2]);
	ok(counted(DEFER_CHECK_HITS) == hits, "D9: what a pass has flushed for is anybody's");
}

/* The table has room for 16384 frames. */
static void test_room(void)
{
	u64 unchecked = counted(DEFER_FRAMES_UNCHECKED);
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		anew();
		first_frame = 1000 * i;
		plan.kept = 20;
		pass();
	}
	ok(counted(DEFER_FRAMES_UNCHECKED) == unchecked, "D9: what passes have flushed for takes no room");
	first_frame = 0;
}

/* Many frames that are allocated at once. */
static void test_blocks(void)
{
	anew();
	plan.kept = 20;
	pass();
	plan.kept = 0;
	pass();
	are_allocated(&folios[18], 1);
	ok(!tlbbatch_held_tripped(), "D9: a block of other frames is allocated: that is allowed");
	are_allocated(&folios[18], 2);
	ok(tlbbatch_held_tripped(), "D9: a block is allocated whose end is held back: noticed");
	tlbbatch_held_rearm();
	ok(settles(), "all are freed");
}

/* What arrays free may be large. */
static void test_large(void)
{
	anew();
	plan.nr_pages = 4;
	pass();
	dropped_last();
	ok(tlbbatch_held_tripped(), "D9: that the last page of a large folio is written is noticed");
	tlbbatch_held_rearm();
	ok(settles(), "all are freed");
}

/* The hardware gives a page up. */
static void breaks_memory(void)
{
	IT->page.words[3] = 0xbad;
}

static void test_broken(void)
{
	u64 unchecked;

	anew();
	pass();
	breaks_memory();
	ok(settles() && !tlbbatch_held_tripped(), "a page that the hardware has given up isn't read");
	anew();
	unchecked = counted(DEFER_FRAMES_UNCHECKED);
	sim_at_refs = breaks_memory;
	pass();
	ok(settles() && counted(DEFER_FRAMES_UNCHECKED) == unchecked + 1, "nor one that was so before");
}

static void test_poison(void)
{
	ok_int(write_knob(&tlbbatch_luf_check_attr, "2"), -ERANGE, "no poison but in a debug build");
	tlbbatch_held_poison(true);
	anew();
	pass();
	ok(IT->page.words[0] == 0x5a5a5a5a, "what is held back is overwritten");
	ok(settles() && !tlbbatch_held_tripped(), "that isn't a hit");
	tlbbatch_held_poison(false);
}

/* A frame that an interrupt of any kind allocates. */
static void test_nmi(void)
{
	u64 hits = counted(DEFER_CHECK_HITS);

	anew();
	pass();
	sim_in_nmi = true;
	waits = 0;
	allocated();
	sim_in_nmi = false;
	ok(waits && settles() && counted(DEFER_CHECK_HITS) == hits,
	   "an interrupt of who has the lock waits, and not for ever");
}

/* What an earlier time of deferral has flushed says nothing of this one. */
static void test_again(void)
{
	ok_int(off(&tlbbatch_defer), 0, "off");
	ok_int(on(&tlbbatch_defer), 0, "on");
	anew();
	pass();
	dirtied();
	ok(tlbbatch_held_tripped(), "D9: a write is noticed when deferral begins anew, too");
	tlbbatch_held_rearm();
	ok(settles(), "all are freed");
}

static void test_knob(void)
{
	anew();
	pass();
	ok(write_knob(&tlbbatch_luf_check_attr, "0") > 0, "off");
	ok(settles(), "what was held back meanwhile is given back");
	pass();
	ok(write_knob(&tlbbatch_luf_check_attr, "1") > 0, "on");
	ok(settles() && !tlbbatch_held_tripped(), "what is held back already isn't checked");
}

int main(void)
{
	defer_world_init();
	anew();
	ok_int(sim_load(), 0, "it loads");
	ok_str(tlbbatch_luf_check.unavailable, "", "what is held back can be checked");
	tlbbatch_held_on_hit(&stop);
	ok_int(on(&tlbbatch_defer), 0, "on");
	ok(write_knob(&tlbbatch_luf_check_attr, "1") > 0, "luf/check 1");
	test_hits();
	test_hit_pass();
	test_room();
	test_blocks();
	test_large();
	test_poison();
	test_broken();
	test_nmi();
	test_again();
	test_knob();
	ok(sim_work == &stop, "D9: a hit calls who ends deferral");
	ok(write_knob(&tlbbatch_luf_check_attr, "0") > 0, "luf/check 0");
	ok_int(off(&tlbbatch_defer), 0, "off");
	sim_unload();
	return hook_world_done();
}
