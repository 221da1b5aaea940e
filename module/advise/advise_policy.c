// SPDX-License-Identifier: GPL-2.0-only
/* Pure decisions of advise; see advise_policy.h. */
#include "advise/advise_policy.h"

/* Section: why a flush came */

/* A bit of the number of a system call of the x32 ABI. Nearly all others are those of 64 bits. */
#define X32_BIT		0x40000000

/* Numbers of x86-64, and of 32 bits; -1: there is none. They never change. */
static const struct {
	enum tlbbatch_cause cause;
	int nr;
	int nr_compat;
} calls[] = {
	{ TLBBATCH_CAUSE_UNMAP,    9, 192 },	/* mmap over what is mapped; mmap2 */
	{ TLBBATCH_CAUSE_UNMAP,   -1, 90 },	/* old mmap */
	{ TLBBATCH_CAUSE_UNMAP,   11, 91 },	/* munmap */
	{ TLBBATCH_CAUSE_UNMAP,   12, 45 },	/* brk */
	{ TLBBATCH_CAUSE_UNMAP,   25, 163 },	/* mremap */
	{ TLBBATCH_CAUSE_UNMAP,   28, 219 },	/* madvise */
	{ TLBBATCH_CAUSE_UNMAP,   67, 398 },	/* shmdt */
	{ TLBBATCH_CAUSE_UNMAP,  440, 440 },	/* process_madvise */
	{ TLBBATCH_CAUSE_MPROTECT, 10, 125 },	/* mprotect */
	{ TLBBATCH_CAUSE_MPROTECT, 329, 380 },	/* pkey_mprotect */
	{ TLBBATCH_CAUSE_MIGRATE, 237, 274 },	/* mbind */
	{ TLBBATCH_CAUSE_MIGRATE, 256, 294 },	/* migrate_pages */
	{ TLBBATCH_CAUSE_MIGRATE, 279, 317 },	/* move_pages */
	{ TLBBATCH_CAUSE_MIGRATE, 533, -1 },	/* move_pages of x32 */
};

static enum tlbbatch_cause cause_of_call(int nr, bool is_compat)
{
	unsigned int i;

	if (nr < 0)
		return TLBBATCH_CAUSE_OTHER;
	if (!is_compat)
		nr &= ~X32_BIT;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (nr == (is_compat ? calls[i].nr_compat : calls[i].nr))
			return calls[i].cause;
	return TLBBATCH_CAUSE_OTHER;
}

/*
 * Reclaim and migration unmap in batches. Reclaim outside of a pass that was seen (it
 * began before advise did, or a huge page is split) is neither.
 */
static enum tlbbatch_cause cause_of_batch(const struct tlbbatch_flush_facts *facts)
{
	if (facts->in_pass)
		return facts->asked_dirty ? TLBBATCH_CAUSE_RECLAIM_DIRTY :
					    TLBBATCH_CAUSE_RECLAIM_LAST;
	return facts->reclaims ? TLBBATCH_CAUSE_OTHER : TLBBATCH_CAUSE_MIGRATE;
}

/**
 * tlbbatch_advise_cause() - why did a flush come?
 * @facts: what is known of it
 *
 * Rule A2: the first that fits, so that each flush has one cause. What a task does beside
 * its system call (reclaim, compaction) is asked first.
 *
 * Context: any; pure.
 * Return: the cause.
 */
enum tlbbatch_cause tlbbatch_advise_cause(const struct tlbbatch_flush_facts *facts)
{
	if (facts->of_batch)
		return cause_of_batch(facts);
	if (facts->mm_gone)
		return TLBBATCH_CAUSE_EXIT;
	if (facts->in_pass || facts->reclaims)
		return TLBBATCH_CAUSE_OTHER;
	if (facts->compactor || facts->memalloc)
		return TLBBATCH_CAUSE_MIGRATE;
	return cause_of_call(facts->syscall, facts->is_compat);
}

/* Section: what batching would have made of a pass */

/**
 * tlbbatch_whatif_begin() - a pass begins
 * @pass: the pass
 * @batch_size: folios that would share a flush in it
 * @min_receivers: a folio would wait only if its flush interrupted so many other CPUs
 *
 * Context: any; pure.
 */
void tlbbatch_whatif_begin(struct tlbbatch_whatif *pass, unsigned int batch_size,
			   unsigned int min_receivers)
{
	*pass = (struct tlbbatch_whatif){
		.batch_size = batch_size,
		.worth.min = min_receivers,
	};
}

/**
 * tlbbatch_whatif_asked() - reclaim asks for the flush of a dirty folio
 * @pass: the pass
 *
 * Batching would put it off.
 *
 * Context: any; pure.
 */
void tlbbatch_whatif_asked(struct tlbbatch_whatif *pass)
{
	pass->owed = true;
}

static bool may_wait(const struct tlbbatch_whatif *pass,
		     const struct tlbbatch_whatif_folio *folio)
{
	struct tlbbatch_defer_facts facts = {
		.flush_owed = pass->owed,
		.for_reclaim = !folio->is_file &&
			       !tlbbatch_policy_may_be_split(folio->gate, folio->nr_pages),
		.waiting = pass->waiting,
		.capacity = pass->batch_size - 1,
	};

	return tlbbatch_policy_defer(&facts);
}

/**
 * tlbbatch_whatif_needs_look() - must receivers be counted for a folio that reclaim writes?
 * @pass: the pass
 * @folio: the folio
 *
 * Context: any; pure.
 * Return: true if tlbbatch_whatif_written() must be told them.
 */
bool tlbbatch_whatif_needs_look(const struct tlbbatch_whatif *pass,
				const struct tlbbatch_whatif_folio *folio)
{
	return tlbbatch_worth_needs_look(&pass->worth) && may_wait(pass, folio);
}

/**
 * tlbbatch_whatif_written() - reclaim writes a folio
 * @pass: the pass
 * @folio: the folio
 * @receivers: other CPUs that the flush which would be owed would interrupt; unused if
 *	tlbbatch_whatif_needs_look() says no
 *
 * Rule A3: who waits is decided as batching decides it (pass/defer_policy.h, and
 * receivers/receivers_policy.h for rule S7). A folio at a gate that doesn't wait has its
 * flush; then those that wait are written behind it. So is a file's folio, but nothing is
 * written behind that.
 *
 * Context: any; pure.
 * Return: what would have become of it.
 */
enum tlbbatch_fate tlbbatch_whatif_written(struct tlbbatch_whatif *pass,
					   const struct tlbbatch_whatif_folio *folio,
					   unsigned int receivers)
{
	bool owed = pass->owed;

	if (may_wait(pass, folio) &&
	    tlbbatch_worth_decide(&pass->worth, receivers, pass->batch_size)) {
		pass->waiting++;
		pass->frees_early |= folio->is_done;
		return TLBBATCH_FATE_WAITS;
	}
	pass->owed = false;
	if (!folio->is_file)
		pass->waiting = 0;
	return owed ? TLBBATCH_FATE_FLUSHED : TLBBATCH_FATE_WRITTEN;
}

/**
 * tlbbatch_whatif_flushed() - reclaim flushes before it frees
 * @pass: the pass
 *
 * Batching leaves that flush, which covers all that is owed. Who waits goes on waiting.
 *
 * Context: any; pure.
 */
void tlbbatch_whatif_flushed(struct tlbbatch_whatif *pass)
{
	pass->owed = false;
}

/**
 * tlbbatch_whatif_frees() - reclaim is about to free, and has nothing to flush
 * @pass: the pass
 *
 * It has nothing to flush because each dirty folio had a flush of its own. With batching that is
 * owed, and comes here: reclaim asks for it whenever it has gathered enough to free.
 *
 * But if reclaim has freed folios that would wait, it has gathered enough too early. With batching
 * it would ask later, or only at its end (tlbbatch_whatif_end()).
 *
 * Context: any; pure.
 * Return: true if batching would flush.
 */
bool tlbbatch_whatif_frees(struct tlbbatch_whatif *pass)
{
	bool flushes = pass->owed && !pass->frees_early;

	if (flushes)
		pass->owed = false;
	return flushes;
}

/**
 * tlbbatch_whatif_end() - a pass is over
 * @pass: the pass
 *
 * Context: any; pure.
 * Return: true if batching would have to flush for what is still owed.
 */
bool tlbbatch_whatif_end(struct tlbbatch_whatif *pass)
{
	bool owed = pass->owed;

	pass->owed = false;
	pass->waiting = 0;
	return owed;
}
