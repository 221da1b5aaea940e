// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests every decision of batch_policy.c: with one wrong fact at a time, the order of
 * reasons if several facts are wrong, the limits from both sides, and properties over
 * random facts.
 */
#include "rnd.h"
#include "tap.h"
#include "batch/batch_policy.h"

#define ROUNDS	200000

static const char *drop_name(enum tlbbatch_drop drop)
{
	static const char * const names[] = {
#define X(upper, lower) #lower,
		DROP_REASONS(X)
#undef X
		"keep",
	};

	return (unsigned int)drop < ARRAY_SIZE(names) ? names[drop] : "not a reason";
}

static const char * const gate_names[] = { "swap", "shmem" };

/*
 * A folio that may be written. Its references are the cache's, that of reclaim's isolation,
 * and the batch's.
 */
static struct tlbbatch_folio_facts good_facts(enum tlbbatch_gate gate, unsigned int nr_pages)
{
	return (struct tlbbatch_folio_facts) {
		.nr_pages = nr_pages,
		.nr_pages_deferred = nr_pages,
		.refs = (int)nr_pages + 2,
		.anon = gate == TLBBATCH_GATE_SWAP,
		.swapcache = gate == TLBBATCH_GATE_SWAP,
		.same_mapping = true,
		.swapbacked = true,
		.dirty = true,
	};
}

/* What can be wrong with a folio, in the order in which the reasons must be given. */
enum flaw {
	HWPOISON, SPLIT, MERGED, ANON, SWAPCACHE, OTHER_MAPPING, WRITEBACK, MAPPED, PINNED,
	UNEVICTABLE, LAZYFREE, CLEAN, REF_LESS, REF_MORE, NR_FLAWS
};

static const struct {
	const char *name;
	enum tlbbatch_drop reason;
} flaws[NR_FLAWS] = {
	[HWPOISON] = { "poisoned", TLBBATCH_DROP_HWPOISON },
	[SPLIT] = { "smaller than when it was deferred", TLBBATCH_DROP_SPLIT },
	[MERGED] = { "larger than when it was deferred", TLBBATCH_DROP_SPLIT },
	[ANON] = { "anonymous where it must not be, or not where it must", TLBBATCH_DROP_GONE },
	[SWAPCACHE] = { "not where it waited: swap cache flipped", TLBBATCH_DROP_GONE },
	[OTHER_MAPPING] = { "in another mapping", TLBBATCH_DROP_GONE },
	[WRITEBACK] = { "under writeback", TLBBATCH_DROP_WRITEBACK },
	[MAPPED] = { "mapped again", TLBBATCH_DROP_MAPPED },
	[PINNED] = { "pinned for DMA", TLBBATCH_DROP_PINNED },
	[UNEVICTABLE] = { "unevictable", TLBBATCH_DROP_UNEVICTABLE },
	[LAZYFREE] = { "lazyfree", TLBBATCH_DROP_UNEVICTABLE },
	[CLEAN] = { "clean", TLBBATCH_DROP_CLEAN },
	[REF_LESS] = { "a reference short", TLBBATCH_DROP_REFERENCED },
	[REF_MORE] = { "a reference too many", TLBBATCH_DROP_REFERENCED },
};

static void spoil(struct tlbbatch_folio_facts *facts, enum flaw flaw)
{
	switch (flaw) {
	case HWPOISON:
		facts->hwpoison = true;
		break;
	case SPLIT:
		facts->nr_pages_deferred++;
		break;
	case MERGED:
		facts->nr_pages_deferred--;
		break;
	case ANON:
		facts->anon = !facts->anon;
		break;
	case SWAPCACHE:
		facts->swapcache = !facts->swapcache;
		break;
	case OTHER_MAPPING:
		facts->same_mapping = false;
		break;
	case WRITEBACK:
		facts->writeback = true;
		break;
	case MAPPED:
		facts->mapped = true;
		break;
	case PINNED:
		facts->dma_pinned = true;
		break;
	case UNEVICTABLE:
		facts->unevictable = true;
		break;
	case LAZYFREE:
		facts->swapbacked = false;
		break;
	case CLEAN:
		facts->dirty = false;
		break;
	case REF_LESS:
		facts->refs--;
		break;
	case REF_MORE:
		facts->refs++;
		break;
	default:
		abort();
	}
}

static void ok_drop(enum tlbbatch_drop got, enum tlbbatch_drop want, const char *gate,
		    const char *what)
{
	if (!ok(got == want, "recheck, %s: %s: %s", gate, what, drop_name(want)))
		printf("# got %s\n", drop_name(got));
}

/* Rules B5 and B7. */
static void test_recheck_one_flaw(enum tlbbatch_gate gate)
{
	static const unsigned int sizes[] = { 1, 2, 16, 512 };
	struct tlbbatch_folio_facts facts;
	char name[96];
	unsigned int i, s;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		facts = good_facts(gate, sizes[s]);
		snprintf(name, sizeof(name), "a good folio of %u pages", sizes[s]);
		ok_drop(tlbbatch_policy_recheck(gate, &facts), TLBBATCH_DROP_NONE, gate_names[gate], name);

		for (i = 0; i < NR_FLAWS; i++) {
			facts = good_facts(gate, sizes[s]);
			spoil(&facts, i);
			snprintf(name, sizeof(name), "%u pages, %s", sizes[s], flaws[i].name);
			ok_drop(tlbbatch_policy_recheck(gate, &facts), flaws[i].reason,
				gate_names[gate], name);
		}
	}

	/*
	 * The cache holds a reference for each page of a large folio. A base page's count
	 * is not enough.
	 */
	facts = good_facts(gate, 16);
	facts.refs = 3;
	ok_drop(tlbbatch_policy_recheck(gate, &facts), TLBBATCH_DROP_REFERENCED, gate_names[gate],
		"16 pages with the references of one");
	facts = good_facts(gate, 1);
	facts.refs = 0;
	ok_drop(tlbbatch_policy_recheck(gate, &facts), TLBBATCH_DROP_REFERENCED, gate_names[gate],
		"no reference");

	/* Everything is right, but the folio is at the other gate. */
	facts = good_facts(!gate, 1);
	ok_drop(tlbbatch_policy_recheck(gate, &facts), TLBBATCH_DROP_GONE, gate_names[gate],
		"a folio of the other gate");
}

/* Two flaws at once: the earlier one's reason is given, whatever the later flaw is. */
static void test_recheck_priority(enum tlbbatch_gate gate)
{
	unsigned int first, second, wrong = 0, nr = 0;
	struct tlbbatch_folio_facts facts;
	enum tlbbatch_drop got;

	for (first = 0; first < NR_FLAWS; first++) {
		for (second = first + 1; second < NR_FLAWS; second++) {
			/* These two undo each other. */
			if ((first == SPLIT && second == MERGED) ||
			    (first == REF_LESS && second == REF_MORE))
				continue;
			facts = good_facts(gate, 4);
			spoil(&facts, first);
			spoil(&facts, second);
			got = tlbbatch_policy_recheck(gate, &facts);
			nr++;
			if (got == flaws[first].reason)
				continue;
			wrong++;
			printf("# %s and %s: %s\n", flaws[first].name, flaws[second].name,
			       drop_name(got));
		}
	}
	ok(nr && !wrong, "recheck, %s: of two flaws the earlier reason is given, %u pairs",
	   gate_names[gate], nr);
}

/* What a folio that may be written must look like, independent of the code's order. */
static bool all_good(enum tlbbatch_gate gate, const struct tlbbatch_folio_facts *f)
{
	bool here = gate == TLBBATCH_GATE_SWAP ? f->anon && f->swapcache :
						 !f->anon && !f->swapcache;

	return here && f->same_mapping && f->swapbacked && f->dirty && !f->writeback &&
	       !f->mapped && !f->dma_pinned && !f->unevictable && !f->hwpoison &&
	       f->nr_pages == f->nr_pages_deferred && f->refs - (int)f->nr_pages == 2;
}

/* Is the reason that was given true of the folio? */
static bool holds(enum tlbbatch_gate gate, const struct tlbbatch_folio_facts *f,
		  enum tlbbatch_drop reason)
{
	bool in_swap = gate == TLBBATCH_GATE_SWAP;

	switch (reason) {
	case TLBBATCH_DROP_SPLIT:
		return f->nr_pages != f->nr_pages_deferred;
	case TLBBATCH_DROP_GONE:
		return f->anon != in_swap || f->swapcache != in_swap || !f->same_mapping;
	case TLBBATCH_DROP_CLEAN:
		return !f->dirty;
	case TLBBATCH_DROP_WRITEBACK:
		return f->writeback;
	case TLBBATCH_DROP_MAPPED:
		return f->mapped;
	case TLBBATCH_DROP_PINNED:
		return f->dma_pinned;
	case TLBBATCH_DROP_REFERENCED:
		return f->refs != 2 + (int)f->nr_pages;
	case TLBBATCH_DROP_UNEVICTABLE:
		return f->unevictable || !f->swapbacked;
	case TLBBATCH_DROP_HWPOISON:
		return f->hwpoison;
	default:	/* reasons that the policy cannot give, and no reason */
		return false;
	}
}

/* True with a chance of 1 in @odds, else what a good folio has. */
static bool maybe(bool good, u32 odds)
{
	return rnd(odds) ? good : !good;
}

static void test_recheck_random(void)
{
	static const unsigned int sizes[] = { 1, 2, 8, 64, 512 };
	unsigned int round, kept = 0, dropped = 0, wrong_keep = 0, wrong_reason = 0;
	unsigned int seen[TLBBATCH_DROP_NR + 1] = { 0 };

	for (round = 0; round < ROUNDS; round++) {
		enum tlbbatch_gate gate = rnd(2);
		u32 odds = 2 + rnd(30);
		unsigned int nr_pages = sizes[rnd(ARRAY_SIZE(sizes))];
		struct tlbbatch_folio_facts f = good_facts(gate, nr_pages);
		enum tlbbatch_drop got;

		if (maybe(false, odds))
			f.nr_pages_deferred = sizes[rnd(ARRAY_SIZE(sizes))];
		if (maybe(false, odds))
			f.refs += (int)rnd(7) - 3;
		f.anon = maybe(f.anon, odds);
		f.swapcache = maybe(f.swapcache, odds);
		f.same_mapping = maybe(true, odds);
		f.swapbacked = maybe(true, odds);
		f.dirty = maybe(true, odds);
		f.writeback = maybe(false, odds);
		f.mapped = maybe(false, odds);
		f.dma_pinned = maybe(false, odds);
		f.unevictable = maybe(false, odds);
		f.hwpoison = maybe(false, odds);

		got = tlbbatch_policy_recheck(gate, &f);
		if ((unsigned int)got > TLBBATCH_DROP_NR) {
			wrong_reason++;
			continue;
		}
		seen[got]++;
		if (got == TLBBATCH_DROP_NONE) {
			kept++;
			wrong_keep += !all_good(gate, &f);
		} else {
			dropped++;
			wrong_keep += all_good(gate, &f);
			wrong_reason += !holds(gate, &f, got);
		}
	}
	ok(!wrong_keep, "recheck: %u random folios: kept if, and only if, all is good", ROUNDS);
	ok(!wrong_reason, "recheck: the reason of each drop is true of the folio");
	ok(kept > ROUNDS / 50 && dropped > ROUNDS / 50, "recheck: there were enough of both: %u kept, %u dropped",
	   kept, dropped);
	ok(seen[TLBBATCH_DROP_HWPOISON] && seen[TLBBATCH_DROP_SPLIT] && seen[TLBBATCH_DROP_GONE] &&
	   seen[TLBBATCH_DROP_WRITEBACK] && seen[TLBBATCH_DROP_MAPPED] &&
	   seen[TLBBATCH_DROP_PINNED] && seen[TLBBATCH_DROP_UNEVICTABLE] &&
	   seen[TLBBATCH_DROP_CLEAN] && seen[TLBBATCH_DROP_REFERENCED],
	   "recheck: each of its reasons was given");
	ok(!seen[TLBBATCH_DROP_LOCKED] && !seen[TLBBATCH_DROP_ACTIVATED],
	   "recheck: no reason was given that only the write-out can tell");
}

static bool defer(bool owed, bool for_reclaim, unsigned int waiting, unsigned int capacity)
{
	struct tlbbatch_defer_facts facts = {
		.flush_owed = owed,
		.for_reclaim = for_reclaim,
		.waiting = waiting,
		.capacity = capacity,
	};

	return tlbbatch_policy_defer(&facts);
}

/* Rule B18. */
static void test_defer(void)
{
	unsigned int round, wrong = 0;

	ok(defer(true, true, 0, TLBBATCH_WAITING_MAX), "defer: the first folio waits");
	ok(defer(true, true, TLBBATCH_WAITING_MAX - 1, TLBBATCH_WAITING_MAX),
	   "defer: the last folio that there is room for waits");
	ok(!defer(true, true, TLBBATCH_WAITING_MAX, TLBBATCH_WAITING_MAX),
	   "defer: no folio waits when there is no room");
	ok(!defer(true, true, TLBBATCH_WAITING_MAX + 1, TLBBATCH_WAITING_MAX),
	   "defer: no folio waits when more than the capacity wait already");
	ok(!defer(true, true, 0, 0), "defer: no folio waits if the capacity is 0");
	ok(!defer(false, true, 0, TLBBATCH_WAITING_MAX), "defer: no folio waits without an owed flush");
	ok(!defer(true, false, 0, TLBBATCH_WAITING_MAX), "defer: no folio waits for anyone but reclaim");

	for (round = 0; round < ROUNDS; round++) {
		unsigned int waiting = rnd(8), capacity = rnd(8);
		bool owed = rnd(2), for_reclaim = rnd(2);
		bool want = owed && for_reclaim && capacity > waiting;

		wrong += defer(owed, for_reclaim, waiting, capacity) != want;
	}
	ok(!wrong, "defer: %u random facts: a folio waits only if all are good", ROUNDS);
}

static void test_batch_size_valid(void)
{
	unsigned int size, wrong = 0;

	ok(!tlbbatch_policy_batch_size_valid(0), "batch_size: 0 is refused");
	ok(tlbbatch_policy_batch_size_valid(1), "batch_size: 1");
	ok(tlbbatch_policy_batch_size_valid(64), "batch_size: 64 is accepted, the least maximum promised");
	ok(tlbbatch_policy_batch_size_valid(TLBBATCH_BATCH_DEFAULT), "batch_size: the default is accepted");
	ok(tlbbatch_policy_batch_size_valid(TLBBATCH_BATCH_MAX), "batch_size: the maximum is accepted");
	ok(!tlbbatch_policy_batch_size_valid(TLBBATCH_BATCH_MAX + 1), "batch_size: one above the maximum is refused");
	ok(!tlbbatch_policy_batch_size_valid(UINT_MAX), "batch_size: UINT_MAX is refused");
	ok(!tlbbatch_policy_batch_size_valid((unsigned int)INT_MAX + 1), "batch_size: INT_MAX + 1 is refused");
	for (size = 0; size < 1000; size++)
		wrong += tlbbatch_policy_batch_size_valid(size) !=
			 (size >= TLBBATCH_BATCH_MIN && size <= TLBBATCH_BATCH_MAX);
	ok(!wrong, "batch_size: valid from %u to %u, nowhere else below 1000", TLBBATCH_BATCH_MIN,
	   TLBBATCH_BATCH_MAX);
	ok(TLBBATCH_BATCH_MAX - 1 <= TLBBATCH_WAITING_MAX,
	   "batch_size: all members of a batch except the last can wait");
}

/* Rule W5. */
static void test_batch_size(void)
{
	static const struct {
		unsigned int size, width, want;
		const char *what;
	} cases[] = {
		{ 64, 0, 64, "no pass is widened" },
		{ 64, 96, 96, "a wider pass" },
		{ 64, 64, 64, "a pass as wide as the batch" },
		{ 64, 48, 64, "a pass that is narrower" },
		{ 2, 256, 256, "a small batch, and the widest pass" },
		{ TLBBATCH_BATCH_MIN, 256, TLBBATCH_BATCH_MIN, "a flush for each folio is wanted" },
		{ TLBBATCH_BATCH_MAX, 256, TLBBATCH_BATCH_MAX, "the largest batch" },
		{ 64, TLBBATCH_BATCH_MAX, TLBBATCH_BATCH_MAX, "a pass as wide as the largest batch" },
		{ 64, TLBBATCH_BATCH_MAX + 1, TLBBATCH_BATCH_MAX, "a wider one" },
		{ 64, UINT_MAX, TLBBATCH_BATCH_MAX, "the widest" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ok_int(tlbbatch_policy_batch_size(cases[i].size, cases[i].width), cases[i].want,
		       cases[i].what);
}

static void settle_case(u64 requests, u64 ipis, u64 flush_ipis, u64 requested, u64 avoided,
			u64 ipis_avoided)
{
	struct tlbbatch_owed owed = { .requests = requests, .ipis = ipis };
	struct tlbbatch_settled got = tlbbatch_policy_settle(&owed, flush_ipis);

	if (!ok(got.requested == requested && got.avoided == avoided &&
		got.ipis_avoided == ipis_avoided,
		"settle: %llu owed with %llu IPIs, flushed with %llu", requests, ipis, flush_ipis))
		printf("# got requested %llu, avoided %llu, IPIs avoided %llu\n", got.requested,
		       got.avoided, got.ipis_avoided);
}

/* Counts as the module does: a request when it is put off, the rest when a flush settles it. */
static void test_settle_random(void)
{
	unsigned int round, wrong = 0, wrong_ipis = 0;
	u64 flushes = 0;

	for (round = 0; round < 2000; round++) {
		u64 requested = 0, issued = 0, avoided = 0, ipis_avoided = 0, ipis_asked = 0;
		struct tlbbatch_owed owed = { 0 };
		unsigned int step, steps = rnd(200);

		for (step = 0; step <= steps; step++) {
			struct tlbbatch_settled settled;
			u64 ipis = rnd(64);

			if (step < steps && rnd(10)) {
				owed.requests++;
				owed.ipis += ipis;
				ipis_asked += ipis;
				requested++;
				continue;
			}
			settled = tlbbatch_policy_settle(&owed, ipis);
			requested += settled.requested;
			avoided += settled.avoided;
			ipis_avoided += settled.ipis_avoided;
			wrong_ipis += settled.ipis_avoided > owed.ipis;
			owed = (struct tlbbatch_owed){ 0 };
			issued++;
			wrong += requested != issued + avoided;
		}
		flushes += issued;
		wrong_ipis += ipis_avoided > ipis_asked;
	}
	ok(!wrong, "settle: requested = issued + avoided after each of %llu flushes", flushes);
	ok(!wrong_ipis, "settle: never more IPIs avoided than were asked for");
}

static void test_settle(void)
{
	settle_case(0, 0, 0, 1, 0, 0);
	settle_case(0, 0, 7, 1, 0, 0);
	settle_case(1, 3, 3, 0, 0, 0);
	settle_case(1, 0, 0, 0, 0, 0);
	settle_case(2, 6, 3, 0, 1, 3);
	settle_case(64, 192, 3, 0, 63, 189);
	/* The mask grew: the one flush reaches more CPUs than all the requested ones together. */
	settle_case(1, 2, 5, 0, 0, 0);
	settle_case(3, 4, 5, 0, 2, 0);
	settle_case(3, 5, 5, 0, 2, 0);
	settle_case(3, 6, 5, 0, 2, 1);
	settle_case(U64_MAX, U64_MAX, 0, 0, U64_MAX - 1, U64_MAX);
	settle_case(2, 0, U64_MAX, 0, 1, 0);
	test_settle_random();
}

/* Rule B4. */
static void test_tripped(void)
{
	ok(!tlbbatch_policy_tripped(0, 0), "tripped: not when nothing was written");
	ok(!tlbbatch_policy_tripped(512, 512), "tripped: not when every write was seen");
	ok(tlbbatch_policy_tripped(513, 512), "tripped: a write that bypassed the hooks");
	ok(tlbbatch_policy_tripped(512, 513), "tripped: a write that reclaim didn't count");
	ok(tlbbatch_policy_tripped(1, 0), "tripped: the only write, unseen");
	ok(tlbbatch_policy_tripped(1ULL << 32, 0), "tripped: a difference in the upper half");
	ok(!tlbbatch_policy_tripped(U64_MAX, U64_MAX), "tripped: not at the end of the range");
}

int main(void)
{
	enum tlbbatch_gate gate;

	for (gate = TLBBATCH_GATE_SWAP; gate <= TLBBATCH_GATE_SHMEM; gate++) {
		test_recheck_one_flaw(gate);
		test_recheck_priority(gate);
	}
	test_recheck_random();
	test_defer();
	test_batch_size_valid();
	test_batch_size();
	test_settle();
	test_tripped();
	return tap_done();
}
