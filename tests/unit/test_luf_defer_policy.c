// SPDX-License-Identifier: GPL-2.0-only
/* Whose flush may be put off, how much may be held back, and what covers what was unmapped. */
#include "luf/luf_defer_policy.h"
#include "rnd.h"
#include "tap.h"

/* A pass whose flush may be put off. */
static struct tlbbatch_luf_defer_facts good(void)
{
	return (struct tlbbatch_luf_defer_facts){
		.owes = true, .remote = true,
	};
}

static enum tlbbatch_defer_verdict judge(struct tlbbatch_luf_defer_facts facts)
{
	return tlbbatch_defer_judge(&facts);
}

#define WITH(member, value)	({ struct tlbbatch_luf_defer_facts f_ = good(); f_.member = (value); f_; })

static bool file(unsigned long magic, bool open_for_write)
{
	struct tlbbatch_defer_file f = { .magic = magic, .open_for_write = open_for_write };

	return tlbbatch_defer_file_fits(&f);
}

/*
 * Others may write there, or it isn't known when: OCFS2, GFS2, F2FS, CIFS, SMB2, Ceph, 9p, AFS, Coda,
 * overlayfs, FAT, exFAT, ISO 9660, UDF, block devices, DAX, hugetlbfs, ramfs, JFFS2, NILFS2, bcachefs.
 */
static bool no_other_fits(void)
{
	static const unsigned long others[] = {
		0x7461636F, 0x01161970, 0xF2F52010, 0xFF534D42, 0xFE534D42, 0x00C36400, 0x01021997,
		0x5346414F, 0x73757245, 0x794C7630, 0x4D44, 0x2011BAB0, 0x9660, 0x15013346, 0x62646576,
		0x64646178, 0x958458F6, 0x858458F6, 0x72B6, 0x3434, 0xCA451A4E,
	};
	unsigned int i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (file(others[i], false))
			return false;
	return true;
}

enum { BTRFS = 0x9123683E, XFS = 0x58465342 };

static bool may_stay(unsigned long magic, bool open_for_write, bool replaced)
{
	struct tlbbatch_defer_file f = { .magic = magic, .open_for_write = open_for_write };

	return tlbbatch_held_may_stay(&f, replaced);
}

static const struct tlbbatch_defer_zone plenty = {
	.free = 100000, .min = 1000, .low = 1250, .high = 1500,
};

#define ZONE(member, value)	({ struct tlbbatch_defer_zone z_ = plenty; z_.member = (value); z_; })

#define HOLDS(nr, member, value)	({ struct tlbbatch_defer_zone z_ = ZONE(held, nr); z_.member = (value); z_; })

static const struct tlbbatch_defer_zone mostly_reserved = {
	.free = 5000, .reserved = 4200, .min = 1000, .low = 1250, .high = 1500,
};

static unsigned long room(struct tlbbatch_defer_zone zone, unsigned long batch)
{
	return tlbbatch_defer_room(&zone, batch);
}

static bool over(struct tlbbatch_defer_zone zone, unsigned long batch)
{
	return tlbbatch_defer_is_over(&zone, batch);
}

/* As passes do it: never is more held than the watermarks and luf/batch allow. */
static bool stays_within(void)
{
	struct tlbbatch_defer_zone zone = plenty;
	unsigned long batch = TLBBATCH_DEFER_BATCH_MIN + rnd(4000), more;

	zone.free = 1000 + rnd(4000);
	while (zone.held <= batch) {
		more = tlbbatch_defer_room(&zone, batch);
		if (!more)
			return zone.free > zone.high + batch ||
			       zone.held <= zone.high - zone.low;
		zone.held += 1 + rnd(more);
	}
	return false;
}

static bool all_stay_within(void)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		if (!stays_within())
			return false;
	return true;
}

/* How many of a group were unmapped, and whether that is all. */
static int covered(const char *unmapped, const char *group, bool *all)
{
	const void *pointers[16];
	unsigned int nr = 0, next = 0, found = 0;

	for (; unmapped[nr]; nr++)
		pointers[nr] = (void *)(unsigned long)unmapped[nr];
	for (; *group; group++)
		found += tlbbatch_defer_next_is(pointers, nr, &next, (void *)(unsigned long)*group);
	*all = next == nr;
	return found;
}

static bool covers(const char *unmapped, const char *group)
{
	bool all;

	covered(unmapped, group, &all);
	return all;
}

static bool hits(bool held, bool settled, bool flushed, enum tlbbatch_held_event what)
{
	struct tlbbatch_held_frame frame = { held, settled, flushed };

	return tlbbatch_held_hits(&frame, what);
}

/* Which events hit a frame: a bit for each. */
static unsigned int all_hits(bool held, bool settled, bool flushed)
{
	unsigned int what, bits = 0;

	for (what = 0; what <= TLBBATCH_HELD_UNFLUSHED; what++)
		bits |= (unsigned int)hits(held, settled, flushed, what) << what;
	return bits;
}

#define BIT_OF(what)	(1U << TLBBATCH_HELD_##what)
#define NEVER		(BIT_OF(ALLOCATED) | BIT_OF(FREED) | BIT_OF(CHANGED))
#define EVENTS		(BIT_OF(WRITTEN) | BIT_OF(CUT))

int main(void)
{
	bool all;

	ok(judge(good()) == TLBBATCH_DEFER_IT, "D1: a flush for read-only pages of files is put off");
	ok(judge(WITH(owes, false)) == TLBBATCH_DEFER_OWES_NOTHING, "nothing is owed");
	ok(judge(WITH(dirty, true)) == TLBBATCH_DEFER_DIRTY, "D1: not behind a dirty PTE");
	ok(judge(WITH(mixed, true)) == TLBBATCH_DEFER_MIXED, "D1: not if anything else was unmapped");
	ok(judge(WITH(remote, false)) == TLBBATCH_DEFER_LOCAL, "a flush of one's own CPU is made");
	ok(judge(WITH(hit, true)) == TLBBATCH_DEFER_HIT, "D3: not behind an event");
	ok(judge(WITH(kept, true)) == TLBBATCH_DEFER_KEPT, "D2: not if a folio was kept");
	ok(judge(WITH(full, true)) == TLBBATCH_DEFER_MEMORY, "D5: not beyond what there is room for");

	ok(file(0xEF53, false), "D1: ext4 fits");
	ok(file(0x58465342, false), "D1: XFS fits");
	ok(file(0x9123683E, false), "D1: btrfs fits");
	ok(file(0x73717368, false), "D1: squashfs fits");
	ok(file(0xE0F5E1E2, false), "D1: erofs fits");
	ok(!file(0xEF53, true), "D1: no file that somebody may write");
	ok(!file(0x6969, false), "D1: NFS doesn't fit");
	ok(!file(0x65735546, false), "D1: FUSE doesn't");
	ok(!file(0x01021994, false), "D1: tmpfs doesn't");
	ok(!file(0, false), "D1: what isn't known doesn't");
	ok(no_other_fits(), "D1: nor does any other");

	ok(room(plenty, 1024) == 1024, "D5: with much free memory, all of luf/batch");
	ok(room(ZONE(held, 1000), 1024) == 24, "D5: less what is held");
	ok(room(ZONE(held, 1024), 1024) == 0, "D5: and no more");
	ok(room(ZONE(held, 5000), 1024) == 0, "D5: not even if luf/batch was lowered");
	ok(room(ZONE(free, 1500 + 1024), 1024) == 250, "D5: with less, what lies between low and high");
	ok(room(ZONE(free, 1500 + 1025), 1024) == 1024, "D5: one page more is enough");
	ok(room(ZONE(free, 1500), 100) == 100, "D5: or luf/batch, if that is less");
	ok(room(ZONE(free, 1125), 1024) == 250, "D5: half way between min and low it may be");
	ok(room(ZONE(free, 1124), 1024) == 0, "D5: nothing below that");
	ok(tlbbatch_defer_is_low(&mostly_reserved), "D5: what not all may have isn't free");
	ok(room(mostly_reserved, 1024) == 0, "D5: so nothing is held back");
	ok(room(ZONE(reserved, 200000), 1024) == 0, "D5: counts may be of different times");
	ok(room(ZONE(isolates, true), 1024) == 0, "D6: nothing while blocks are isolated");
	ok(!over(ZONE(held, 1024), 1024) && over(ZONE(held, 1025), 1024), "D5: luf/batch was lowered: too much is held");
	ok(over(HOLDS(251, free, 1500 + 1024), 1024) && !over(HOLDS(250, free, 1500 + 1024), 1024),
	   "D5: memory has become short: too much is held");
	ok(over(HOLDS(1, free, 1124), 1024) && over(HOLDS(1, isolates, true), 1024),
	   "D5, D6: or anything is");
	ok(!over(HOLDS(0, free, 1124), 1024), "D5: nothing is never too much");
	ok(all_stay_within(), "D5: whatever comes, no more is held");

	ok(covers("abc", "abc"), "D2: all of it is in the group");
	ok(covers("abc", "xaybzc"), "D2: beside others, that nobody had mapped");
	ok(covers("", "xyz"), "D2: nothing was unmapped");
	ok(!covers("abc", "ab"), "D2: the last one was kept");
	ok(!covers("abc", "bc"), "D2: the first one was");
	ok(!covers("abc", "ac"), "D2: one in the middle was");
	ok(!covers("abc", ""), "D2: all were");
	ok(covered("abc", "xaybzc", &all) == 3 && all, "D2: those are taken, and no others");
	ok(covered("ab", "aab", &all) == 2 && all, "D2: each once");

	ok(tlbbatch_defer_spares(1000) && !tlbbatch_defer_spares(999),
	   "D5: the OOM killer is kept away once in a second");
	ok(may_stay(BTRFS, false, false) && !may_stay(BTRFS, true, false) && !may_stay(BTRFS, false, true),
	   "D9: btrfs may move a file's pages, but not drop them");
	ok(may_stay(XFS, false, true) && !may_stay(XFS, true, true) && !may_stay(XFS, false, false),
	   "D9: XFS may drop them, but not write them");
	ok(!may_stay(0xEF53, false, false) && !may_stay(0xEF53, false, true), "D9: others neither");
	ok(!all_hits(false, false, false) && !all_hits(false, true, false),
	   "D9: what is only noted may go anywhere");
	ok(all_hits(true, true, true) == NEVER, "D9: behind the flush nothing of its file matters");
	ok(all_hits(true, true, false) == (NEVER | EVENTS | BIT_OF(UNFLUSHED)),
	   "D9: before that everything does");
	ok(all_hits(true, false, false) == (NEVER | BIT_OF(UNFLUSHED)),
	   "D9: while an event may have met its pass, that one flushes");
	return tap_done();
}
