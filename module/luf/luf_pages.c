// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of page frames, made of chunks of one pool. The size of the pool bounds what LUF
 * tracking remembers. Nothing is allocated while reclaim runs (rule L14).
 */
#include <linux/mm.h>
#include <linux/spinlock.h>
#include "luf/luf_alloc.h"
#include "luf/luf_generation.h"
#include "luf/luf_pages.h"
#include "luf/luf_slots.h"

#define CHUNK_RANGES	15

/* One that is free has no ranges: see tlbbatch_luf_pages_all(). */
struct chunk {
	u32 next;
	u32 nr;
	u64 range[CHUNK_RANGES];
};

static_assert(sizeof(struct chunk) == TLBBATCH_LUF_CHUNK_BYTES);

static struct chunk *chunks;

/**
 * struct part - the free chunks of a few CPUs
 * @lock: of the list; tasks only, reclaim and readers of sysfs, never an interrupt (rule L16)
 * @first: the first one's number, 0 if there is none
 * @nr: how many
 *
 * Every flush takes and gives back a few. Chunks move between parts: they are given
 * back to the part of the CPU that reaps their generation, and a CPU whose part has
 * none left takes from other parts.
 */
static struct part {
	raw_spinlock_t lock;
	u32 first;
	u32 nr;
} ____cacheline_aligned_in_smp parts[TLBBATCH_LUF_SHARDS_MAX];

/**
 * tlbbatch_luf_pages_init() - make the pool
 *
 * Context: process context, may sleep. Return: 0 or -ENOMEM.
 */
int tlbbatch_luf_pages_init(void)
{
	u32 i, each = TLBBATCH_LUF_CHUNKS / tlbbatch_luf_nr_shards();

	chunks = tlbbatch_luf_alloc(TLBBATCH_LUF_CHUNKS, sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	/* Numbered from 1; the last one's next in each part is 0. */
	for (i = 0; i < TLBBATCH_LUF_CHUNKS; i++)
		chunks[i].next = (i + 1) % each ? i + 2 : 0;
	for (i = 0; i < tlbbatch_luf_nr_shards(); i++) {
		raw_spin_lock_init(&parts[i].lock);
		parts[i].first = i * each + 1;
		parts[i].nr = each;
	}
	return 0;
}

/**
 * tlbbatch_luf_pages_exit() - free it
 *
 * Context: process context; nobody tracks any more.
 */
void tlbbatch_luf_pages_exit(void)
{
	vfree(chunks);
	chunks = NULL;
}

static u32 take_from(struct part *part)
{
	u32 taken;

	if (!READ_ONCE(part->nr))
		return 0;
	raw_spin_lock(&part->lock);
	taken = part->first;
	if (taken) {
		part->first = chunks[taken - 1].next;
		WRITE_ONCE(part->nr, part->nr - 1);
	}
	raw_spin_unlock(&part->lock);
	return taken;
}

static u32 take_chunk(u32 next)
{
	unsigned int mine = tlbbatch_luf_my_shard(), i;
	u32 taken = 0;

	for (i = 0; !taken && i < tlbbatch_luf_nr_shards(); i++)
		taken = take_from(&parts[(mine + i) &
					 (tlbbatch_luf_nr_shards() - 1)]);
	/* A reader may come here from a list that was dropped: see tlbbatch_luf_pages_all(). */
	if (taken)
		smp_store_release(&chunks[taken - 1].next, next);
	return taken;
}

/**
 * tlbbatch_luf_pages_tight() - is the pool about to run out?
 *
 * The other parts are asked only if the running CPU's part has few chunks left.
 *
 * Context: any.
 */
bool tlbbatch_luf_pages_tight(void)
{
	unsigned int shards = tlbbatch_luf_nr_shards(), nr = 0, i;

	if (READ_ONCE(parts[tlbbatch_luf_my_shard()].nr) >=
	    TLBBATCH_LUF_CHUNKS / 4 / shards)
		return false;
	for (i = 0; i < shards; i++)
		nr += READ_ONCE(parts[i].nr);
	return nr < TLBBATCH_LUF_CHUNKS / 4;
}

/**
 * tlbbatch_luf_pages_add() - add page frames to a list
 * @pages: the list; its owner's alone
 * @pfn: the first
 * @nr: how many
 *
 * Context: task, preemption off.
 * Return: false if they don't fit.
 */
bool tlbbatch_luf_pages_add(struct tlbbatch_luf_pages *pages, unsigned long pfn,
			    unsigned int nr)
{
	struct chunk *chunk = pages->first ? &chunks[pages->first - 1] : NULL;
	u32 taken;

	if (nr > TLBBATCH_LUF_PAGES_EACH - pages->nr)
		return false;
	if (chunk && chunk->nr &&
	    tlbbatch_luf_range_extend(&chunk->range[chunk->nr - 1], pfn, nr)) {
		pages->nr += nr;
		return true;
	}
	if (!chunk || chunk->nr == CHUNK_RANGES) {
		if (pages->nr_chunks == TLBBATCH_LUF_CHUNKS_EACH)
			return false;
		taken = take_chunk(pages->first);
		if (!taken)
			return false;
		pages->first = taken;
		pages->nr_chunks++;
		chunk = &chunks[taken - 1];
	}
	chunk->range[chunk->nr] = tlbbatch_luf_range(pfn, nr);
	/* What was in the range before isn't seen: pairs with tlbbatch_luf_pages_all(). */
	smp_store_release(&chunk->nr, chunk->nr + 1);
	pages->nr += nr;
	return true;
}

/**
 * tlbbatch_luf_pages_drop() - give a list's chunks back
 * @pages: the list; empty afterwards
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_pages_drop(struct tlbbatch_luf_pages *pages)
{
	struct part *part = &parts[tlbbatch_luf_my_shard()];
	u32 last = pages->first;

	if (!last)
		return;
	WRITE_ONCE(chunks[last - 1].nr, 0);
	while (chunks[last - 1].next) {
		last = chunks[last - 1].next;
		WRITE_ONCE(chunks[last - 1].nr, 0);
	}
	raw_spin_lock(&part->lock);
	/* Free chunks are seen empty: pairs with tlbbatch_luf_pages_all(). */
	smp_store_release(&chunks[last - 1].next, part->first);
	part->first = pages->first;
	WRITE_ONCE(part->nr, part->nr + pages->nr_chunks);
	raw_spin_unlock(&part->lock);
	*pages = (struct tlbbatch_luf_pages){ 0 };
}

/**
 * tlbbatch_luf_pages_reset() - empty a list that is about to be filled again
 * @pages: the list; it keeps its chunk, if it has no more than one
 *
 * Context: task, preemption off.
 */
void tlbbatch_luf_pages_reset(struct tlbbatch_luf_pages *pages)
{
	pages->nr = 0;
	if (pages->nr_chunks == 1)
		WRITE_ONCE(chunks[pages->first - 1].nr, 0);
	else
		tlbbatch_luf_pages_drop(pages);
}

/**
 * tlbbatch_luf_pages_all() - does each range of a list pass a test?
 * @pages: the list
 * @test: called for ranges, in no order, until it says no
 * @data: for @test
 *
 * The list's owner may drop it meanwhile. The walk may go on to free chunks then, and to
 * those of a younger list. Free ones are empty, so that it never sees pages of a list that
 * was dropped before it began: their memory may be gone (rule L17). Its result means
 * nothing, which the caller finds out by the generation's word.
 *
 * Context: any.
 * Return: false if @test said no.
 */
bool tlbbatch_luf_pages_all(const struct tlbbatch_luf_pages *pages,
			    bool (*test)(unsigned long pfn, unsigned int nr,
					 void *data), void *data)
{
	u32 at = READ_ONCE(pages->first);
	unsigned int steps, i, nr;

	for (steps = 0; at && steps < TLBBATCH_LUF_CHUNKS_EACH; steps++) {
		const struct chunk *chunk = &chunks[at - 1];

		/* Pairs with the release in tlbbatch_luf_pages_add(). */
		nr = min_t(u32, smp_load_acquire(&chunk->nr), CHUNK_RANGES);
		for (i = 0; i < nr; i++) {
			u64 range = READ_ONCE(chunk->range[i]);

			if (!test(tlbbatch_luf_range_pfn(range),
				  tlbbatch_luf_range_nr(range), data))
				return false;
		}
		/* Pairs with the releases in take_chunk() and tlbbatch_luf_pages_drop(). */
		at = smp_load_acquire(&chunk->next);
	}
	return true;
}
