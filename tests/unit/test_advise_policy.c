// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests every decision of advise_policy.c: the cause of a flush, in the order in which facts
 * decide, and what batching would have made of a pass.
 */
#include <asm/unistd.h>
#include "advise/advise_policy.h"
#include "rnd.h"
#include "tap.h"

#define ROUNDS	200000

static const char *cause_name(enum tlbbatch_cause cause)
{
	static const char *const names[] = {
#define X(upper, lower) #lower,
		ADVISE_CAUSES(X)
#undef X
	};

	return (unsigned int)cause < ARRAY_SIZE(names) ? names[cause] : "not a cause";
}

/* --- causes --------------------------------------------------------------------------- */

#define NO_CALL	(-1)

static void cause_is(struct tlbbatch_flush_facts facts, enum tlbbatch_cause want,
		     const char *what)
{
	enum tlbbatch_cause got = tlbbatch_advise_cause(&facts);

	if (!ok(got == want, "A2: %s: %s", what, cause_name(want)))
		printf("# got %s\n", cause_name(got));
}

#define CAUSE(want, what, call, ...)						\
	cause_is((struct tlbbatch_flush_facts){ .syscall = call, __VA_ARGS__ },	\
		 TLBBATCH_CAUSE_##want, what)

static void test_batches(void)
{
	CAUSE(RECLAIM_DIRTY, "a dirty folio's, in a pass", NO_CALL, .of_batch = true, .in_pass = true,
	      .asked_dirty = true, .memalloc = true, .reclaims = true);
	CAUSE(RECLAIM_LAST, "before a pass frees", NO_CALL, .of_batch = true, .in_pass = true,
	      .memalloc = true, .reclaims = true);
	CAUSE(RECLAIM_LAST, "MADV_PAGEOUT's pass, though the task is in madvise", __NR_madvise,
	      .of_batch = true, .in_pass = true, .memalloc = true);
	CAUSE(MIGRATE, "a batch outside of reclaim", NO_CALL, .of_batch = true);
	CAUSE(MIGRATE, "a batch of direct compaction, in munmap", __NR_munmap, .of_batch = true,
	      .memalloc = true);
	CAUSE(OTHER, "a batch of reclaim whose pass wasn't seen", NO_CALL, .of_batch = true,
	      .memalloc = true, .reclaims = true);
	CAUSE(MIGRATE, "a request without a pass is none", NO_CALL, .of_batch = true,
	      .asked_dirty = true);
}

static void test_mms(void)
{
	CAUSE(EXIT, "an mm that nobody uses any more", NO_CALL, .mm_gone = true);
	CAUSE(EXIT, "of exec", __NR_execve, .mm_gone = true);
	CAUSE(EXIT, "even if the last user compacts meanwhile", NO_CALL, .mm_gone = true,
	      .memalloc = true);
	CAUSE(EXIT, "even in a pass", NO_CALL, .mm_gone = true, .in_pass = true, .reclaims = true);
	CAUSE(OTHER, "of an mm, in a pass of MADV_PAGEOUT", __NR_madvise, .in_pass = true,
	      .memalloc = true);
	CAUSE(OTHER, "of an mm, by reclaim outside of passes", __NR_mprotect, .reclaims = true,
	      .memalloc = true);
	CAUSE(MIGRATE, "kcompactd's", NO_CALL, .compactor = true);
	CAUSE(MIGRATE, "direct compaction's, in mprotect", __NR_mprotect, .memalloc = true);
	CAUSE(OTHER, "a fault's", NO_CALL);
}

/* The number of a call in the 64-bit table, and in the 32-bit table; -1 if it has none there. */
static const struct {
	const char *name;
	int nr;
	int compat;
	enum tlbbatch_cause cause;
} calls[] = {
	{ "mmap, mmap2", __NR_mmap, 192, TLBBATCH_CAUSE_UNMAP },
	{ "old mmap", -1, 90, TLBBATCH_CAUSE_UNMAP },
	{ "munmap", __NR_munmap, 91, TLBBATCH_CAUSE_UNMAP },
	{ "brk", __NR_brk, 45, TLBBATCH_CAUSE_UNMAP },
	{ "mremap", __NR_mremap, 163, TLBBATCH_CAUSE_UNMAP },
	{ "madvise", __NR_madvise, 219, TLBBATCH_CAUSE_UNMAP },
	{ "shmdt", __NR_shmdt, 398, TLBBATCH_CAUSE_UNMAP },
	{ "process_madvise", __NR_process_madvise, 440, TLBBATCH_CAUSE_UNMAP },
	{ "mprotect", __NR_mprotect, 125, TLBBATCH_CAUSE_MPROTECT },
	{ "pkey_mprotect", __NR_pkey_mprotect, 380, TLBBATCH_CAUSE_MPROTECT },
	{ "mbind", __NR_mbind, 274, TLBBATCH_CAUSE_MIGRATE },
	{ "migrate_pages", __NR_migrate_pages, 294, TLBBATCH_CAUSE_MIGRATE },
	{ "move_pages", __NR_move_pages, 317, TLBBATCH_CAUSE_MIGRATE },
	{ "move_pages of x32", 533, -1, TLBBATCH_CAUSE_MIGRATE },
	{ "read", __NR_read, 3, TLBBATCH_CAUSE_OTHER },
	{ "fork", __NR_fork, 2, TLBBATCH_CAUSE_OTHER },
};

static enum tlbbatch_cause cause_of_nr(int nr, bool is_compat)
{
	struct tlbbatch_flush_facts facts = { .syscall = nr, .is_compat = is_compat };

	return tlbbatch_advise_cause(&facts);
}

/* The cause that a number of a table has by the list above. */
static enum tlbbatch_cause listed(int nr, bool is_compat)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if ((is_compat ? calls[i].compat : calls[i].nr) == nr)
			return calls[i].cause;
	return TLBBATCH_CAUSE_OTHER;
}

static void test_calls(void)
{
	unsigned int i, wrong = 0;
	int nr;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].nr >= 0) {
			ok(cause_of_nr(calls[i].nr, false) == calls[i].cause, "A2: %s: %s",
			   calls[i].name, cause_name(calls[i].cause));
			ok(cause_of_nr(calls[i].nr | 0x40000000, false) == calls[i].cause,
			   "A2: x32: %s: %s", calls[i].name, cause_name(calls[i].cause));
		}
		if (calls[i].compat >= 0)
			ok(cause_of_nr(calls[i].compat, true) == calls[i].cause,
			   "A2: 32 bits: %s: %s", calls[i].name, cause_name(calls[i].cause));
	}
	for (nr = -3; nr < 600; nr++)
		wrong += (cause_of_nr(nr, false) != (nr < 0 ? TLBBATCH_CAUSE_OTHER :
						      listed(nr, false))) +
			 (cause_of_nr(nr, true) != (nr < 0 ? TLBBATCH_CAUSE_OTHER :
						    listed(nr, true)));
	ok(!wrong, "A2: no other call has a cause, and none that is less than 0");
}

static void test_one_cause(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < ROUNDS; i++) {
		struct tlbbatch_flush_facts facts = {
			.of_batch = rnd(2), .in_pass = rnd(2), .asked_dirty = rnd(2),
			.mm_gone = rnd(2), .reclaims = rnd(2), .memalloc = rnd(2),
			.compactor = rnd(2), .syscall = (int)rnd(460) - 1, .is_compat = rnd(2),
		};
		enum tlbbatch_cause cause = tlbbatch_advise_cause(&facts);
		bool reclaim = cause == TLBBATCH_CAUSE_RECLAIM_DIRTY ||
			       cause == TLBBATCH_CAUSE_RECLAIM_LAST;

		wrong += (unsigned int)cause >= TLBBATCH_CAUSES;
		wrong += reclaim != (facts.of_batch && facts.in_pass);
		wrong += (cause == TLBBATCH_CAUSE_EXIT) != (!facts.of_batch && facts.mm_gone);
		wrong += (cause == TLBBATCH_CAUSE_UNMAP || cause == TLBBATCH_CAUSE_MPROTECT) &&
			 (facts.of_batch || facts.memalloc || facts.reclaims || facts.compactor);
	}
	ok(!wrong, "A2: %u random facts: reclaim's are those of a batch in a pass, and no others",
	   ROUNDS);
}

/* --- what batching would leave ------------------------------------------------------------ */

static struct tlbbatch_whatif pass;
/* Other CPUs that each flush would interrupt. */
static unsigned int receivers;

static enum tlbbatch_fate write_folio(bool is_file, enum tlbbatch_gate gate, unsigned int nr)
{
	struct tlbbatch_whatif_folio folio = { is_file, gate, nr, false };

	return tlbbatch_whatif_written(&pass, &folio, receivers);
}

static enum tlbbatch_fate write_anon(void)
{
	return write_folio(false, TLBBATCH_GATE_SWAP, 1);
}

static enum tlbbatch_fate dirty_anon(void)
{
	tlbbatch_whatif_asked(&pass);
	return write_anon();
}

/* How many flushes are left of so many dirty folios' and of reclaim's last one. */
static unsigned int left_of(unsigned int folios, unsigned int batch_size)
{
	unsigned int left = 0;

	tlbbatch_whatif_begin(&pass, batch_size, 1);
	while (folios--)
		left += dirty_anon() == TLBBATCH_FATE_FLUSHED;
	return left + tlbbatch_whatif_end(&pass);
}

static void test_left(void)
{
	static const struct {
		unsigned int folios, batch_size, left;
	} cases[] = {
		{ 0, 64, 0 }, { 1, 64, 1 }, { 2, 64, 1 }, { 63, 64, 1 }, { 64, 64, 1 },
		{ 65, 64, 2 }, { 128, 64, 2 }, { 129, 64, 3 }, { 32, 1, 32 }, { 7, 2, 4 },
		{ 512, 512, 1 }, { 513, 512, 2 },
	};
	unsigned int i, size, folios, wrong = 0;
	char name[80];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(name, sizeof(name), "A3: of %u dirty folios, %u to a batch",
			 cases[i].folios, cases[i].batch_size);
		ok_int(left_of(cases[i].folios, cases[i].batch_size), cases[i].left, name);
	}
	for (size = TLBBATCH_BATCH_MIN; size <= TLBBATCH_BATCH_MAX; size++)
		for (folios = 0; folios < 200; folios += 7)
			wrong += left_of(folios, size) != (folios + size - 1) / size;
	ok(!wrong, "A3: as many as batches are begun, whatever the batch_size");
}

static void test_fates(void)
{
	tlbbatch_whatif_begin(&pass, 4, 1);
	ok(write_anon() == TLBBATCH_FATE_WRITTEN, "A3: nothing is owed: it is written at once");
	ok(dirty_anon() == TLBBATCH_FATE_WAITS && pass.waiting == 1, "A3: a dirty folio waits");
	ok(write_anon() == TLBBATCH_FATE_WAITS, "A3: so does one whose own entry was clean");
	tlbbatch_whatif_asked(&pass);
	ok(write_folio(false, TLBBATCH_GATE_SHMEM, 2) == TLBBATCH_FATE_FLUSHED && !pass.waiting,
	   "A3: large shmem doesn't wait; its flush lets the others be written");
	ok(dirty_anon() == TLBBATCH_FATE_WAITS, "A3: the next batch");
	ok(write_folio(false, TLBBATCH_GATE_SHMEM, 1) == TLBBATCH_FATE_WAITS, "A3: shmem waits");
	tlbbatch_whatif_flushed(&pass);
	ok(pass.waiting == 2, "A3: behind reclaim's own flush they go on waiting, and take room");
	ok(dirty_anon() == TLBBATCH_FATE_WAITS && dirty_anon() == TLBBATCH_FATE_FLUSHED,
	   "A3: so that this batch is full earlier");
	ok(dirty_anon() == TLBBATCH_FATE_WAITS, "A3: the next batch");
	tlbbatch_whatif_asked(&pass);
	ok(write_folio(true, TLBBATCH_GATE_SHMEM, 1) == TLBBATCH_FATE_FLUSHED && pass.waiting == 1,
	   "A3: a file's folio has its flush; nothing is written behind it");
	ok(write_folio(true, TLBBATCH_GATE_SHMEM, 1) == TLBBATCH_FATE_WRITTEN,
	   "A3: a file's folio without a flush that is owed");
	ok(write_anon() == TLBBATCH_FATE_WRITTEN && !pass.waiting,
	   "A3: behind a folio that needs no flush, covered ones are written");
	ok(!tlbbatch_whatif_end(&pass), "A3: nothing is owed at the end");
	tlbbatch_whatif_begin(&pass, 4, 1);
	tlbbatch_whatif_asked(&pass);
	ok(tlbbatch_whatif_end(&pass) && !tlbbatch_whatif_end(&pass),
	   "A3: what is put off for a folio that met no gate is flushed at the end, once");
	dirty_anon();
	tlbbatch_whatif_flushed(&pass);
	ok(!tlbbatch_whatif_end(&pass), "A3: reclaim's last flush covers all");
}

/* A folio that would wait, and what reclaim does before it frees. */
static bool frees_behind(bool is_done)
{
	struct tlbbatch_whatif_folio folio = { false, TLBBATCH_GATE_SWAP, 1, is_done };

	tlbbatch_whatif_begin(&pass, 4, 1);
	tlbbatch_whatif_asked(&pass);
	tlbbatch_whatif_written(&pass, &folio, 0);
	return tlbbatch_whatif_frees(&pass);
}

static void test_frees(void)
{
	tlbbatch_whatif_begin(&pass, 4, 1);
	ok(!tlbbatch_whatif_frees(&pass), "A3: before reclaim frees nothing is flushed if none is owed");
	ok(frees_behind(false) && pass.waiting == 1, "A3: what is owed is; who waits goes on waiting");
	ok(!tlbbatch_whatif_frees(&pass) && !tlbbatch_whatif_end(&pass), "A3: and not again");
	ok(!frees_behind(true), "A3: not if a folio that would wait is freed already");
	ok(tlbbatch_whatif_end(&pass), "A3: but at the end");
	ok(frees_behind(false), "A3: the next pass begins anew");
}

static bool needs_look(enum tlbbatch_gate gate, unsigned int nr)
{
	struct tlbbatch_whatif_folio folio = { false, gate, nr, false };

	return tlbbatch_whatif_needs_look(&pass, &folio);
}

/* Rule S7, as batching keeps it. */
static void test_worth(void)
{
	unsigned int i;

	tlbbatch_whatif_begin(&pass, 3, 1);
	tlbbatch_whatif_asked(&pass);
	ok(!needs_look(TLBBATCH_GATE_SWAP, 1), "A3: S7: at a minimum of 1 nobody looks");
	tlbbatch_whatif_begin(&pass, 3, 2);
	ok(!needs_look(TLBBATCH_GATE_SWAP, 1), "A3: S7: nor while nothing is owed");
	tlbbatch_whatif_asked(&pass);
	ok(!needs_look(TLBBATCH_GATE_SHMEM, 2), "A3: S7: nor for a folio that mustn't wait");
	ok(needs_look(TLBBATCH_GATE_SWAP, 1), "A3: S7: a folio that may wait is looked at");
	receivers = 1;
	ok(write_anon() == TLBBATCH_FATE_FLUSHED && !pass.waiting,
	   "A3: S7: too few would be interrupted: it has its flush");
	tlbbatch_whatif_asked(&pass);
	ok(needs_look(TLBBATCH_GATE_SWAP, 1), "A3: S7: the next one is looked at, too");
	receivers = 2;
	ok(write_anon() == TLBBATCH_FATE_WAITS, "A3: S7: enough: it waits");
	receivers = 0;
	for (i = 0; i < 2; i++) {
		tlbbatch_whatif_asked(&pass);
		ok(!needs_look(TLBBATCH_GATE_SWAP, 1), "A3: S7: a yes holds for a batch");
		ok(write_anon() == (i ? TLBBATCH_FATE_FLUSHED : TLBBATCH_FATE_WAITS),
		   "A3: S7: so that folio %u is as without a minimum", i + 2);
	}
	/* The last of the batch didn't ask, so that its yes is left. */
	ok(dirty_anon() == TLBBATCH_FATE_WAITS && dirty_anon() == TLBBATCH_FATE_FLUSHED,
	   "A3: S7: a yes that is left holds for the next batch, and then a look says no");
	receivers = 0;
}

/* Each flush that is left had one before it that it stands for. */
static void test_never_more(void)
{
	unsigned int i, flushes = 0, left = 0, more = 0, passes = 0;

	tlbbatch_whatif_begin(&pass, 1 + rnd(8), 1 + rnd(3));
	for (i = 0; i < ROUNDS; i++) {
		switch (rnd(9)) {
		case 8:
			left += tlbbatch_whatif_frees(&pass);
			break;
		case 0:
			left += tlbbatch_whatif_end(&pass);
			more += left > flushes;
			flushes = left = 0;
			passes++;
			tlbbatch_whatif_begin(&pass, 1 + rnd(8), 1 + rnd(3));
			break;
		case 1:
			flushes++;
			left++;
			tlbbatch_whatif_flushed(&pass);
			break;
		case 2:
		case 3:
			flushes++;
			tlbbatch_whatif_asked(&pass);
			break;
		default:
			receivers = rnd(4);
			left += write_folio(!rnd(8), rnd(2), 1 + rnd(2)) == TLBBATCH_FATE_FLUSHED;
			more += pass.waiting >= pass.batch_size;
		}
	}
	ok(!more && passes > 1000, "A3: of %u passes none would have more flushes than it has",
	   passes);
}

int main(void)
{
	test_batches();
	test_mms();
	test_calls();
	test_one_cause();
	test_left();
	test_fates();
	test_frees();
	test_worth();
	test_never_more();
	return tap_done();
}
