/* SPDX-License-Identifier: GPL-2.0-only */
/* The open generations: their CPUs, their files, their pages. */
#ifndef TLBBATCH_LUF_TABLE_H
#define TLBBATCH_LUF_TABLE_H

#include <linux/atomic.h>
#include <linux/overflow.h>
#include <linux/types.h>
#include <linux/vmalloc.h>
#include <tlbbatch/luf_generation.h>
#include <tlbbatch/luf_size.h>

struct address_space;

/**
 * tlbbatch_luf_alloc() - memory for a table
 * @nr: entries
 * @size: of one, in bytes
 *
 * Tracking is no reason to kill anybody, nor to compact memory for pages in a row:
 * without memory it doesn't begin. Given back by vfree().
 *
 * Context: process context, may sleep. Return: zeroed, on a page's boundary; or NULL.
 */
static inline void *tlbbatch_luf_alloc(size_t nr, size_t size)
{
	return __vmalloc(array_size(nr, size), GFP_KERNEL | __GFP_ZERO |
			 __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

/* Stands for all files of tmpfs, as one more file that they have in common. */
#define TLBBATCH_LUF_ANY_SHMEM	((const struct address_space *)&tlbbatch_luf_any_shmem)
extern const char tlbbatch_luf_any_shmem;

/**
 * struct tlbbatch_luf_files - the files that read-only unmaps belong to
 * @nr: how many
 * @table: where the interest in them is counted; see luf_files.c
 * @file: their mappings; compared, never followed
 */
struct tlbbatch_luf_files {
	unsigned int nr;
	unsigned int table;
	const struct address_space *file[TLBBATCH_LUF_FILES];
};

/**
 * struct tlbbatch_luf_pages - a list of page frames, in chunks of a pool
 * @first: the newest chunk's number, from 1; 0 for none
 * @nr_chunks: chunks that it has
 * @nr: page frames
 */
struct tlbbatch_luf_pages {
	u32 first;
	u32 nr_chunks;
	u32 nr;
};

/* luf_pages.c */
int tlbbatch_luf_pages_init(void);
void tlbbatch_luf_pages_exit(void);
bool tlbbatch_luf_pages_add(struct tlbbatch_luf_pages *pages, unsigned long pfn,
			    unsigned int nr);
void tlbbatch_luf_pages_reset(struct tlbbatch_luf_pages *pages);
void tlbbatch_luf_pages_drop(struct tlbbatch_luf_pages *pages);
bool tlbbatch_luf_pages_tight(void);
bool tlbbatch_luf_pages_all(const struct tlbbatch_luf_pages *pages,
			    bool (*test)(unsigned long pfn, unsigned int nr,
					 void *data), void *data);

/* luf_index.c: which generation's slot a page frame is in */
extern u16 *tlbbatch_luf_frames;
extern unsigned long tlbbatch_luf_nr_frames;
int tlbbatch_luf_index_init(void);
void tlbbatch_luf_index_exit(void);
bool tlbbatch_luf_index_holds(unsigned long pfn, unsigned int nr);
void tlbbatch_luf_index_set(const struct tlbbatch_luf_pages *pages,
			    unsigned int slot);
void tlbbatch_luf_index_clear(const struct tlbbatch_luf_pages *pages,
			      unsigned int slot);
void tlbbatch_luf_index_visit(unsigned long pfn, unsigned int nr,
			      void (*visit)(unsigned int slot, unsigned long hit,
					    unsigned long pfn, unsigned int nr));
bool tlbbatch_luf_index_is(unsigned long pfn, unsigned int slot);

/**
 * tlbbatch_luf_index_empty() - is a single page frame in no open generation?
 * @pfn: it
 *
 * Context: any, also NMI; inline, for every allocation asks.
 */
static inline bool tlbbatch_luf_index_empty(unsigned long pfn)
{
	return pfn >= tlbbatch_luf_nr_frames ||
	       !READ_ONCE(tlbbatch_luf_frames[pfn]);
}

/* luf_coverage.c: what the flushes of each CPU have covered */
int tlbbatch_luf_coverage_init(void);
void tlbbatch_luf_coverage_exit(void);
void tlbbatch_luf_cover(unsigned int cpu, enum tlbbatch_luf_model model,
			u64 number);
void tlbbatch_luf_cover_all(unsigned int cpu, u64 number);
bool tlbbatch_luf_is_covered(const unsigned long *mask,
			     enum tlbbatch_luf_model model, u64 number);
void tlbbatch_luf_flush_virtually(const unsigned long *mask,
				  enum tlbbatch_luf_model model, u64 number,
				  u64 when);

/* luf_slots.c: slots of the table, in parts for a few CPUs each */
struct llist_node;
void tlbbatch_luf_slots_init(void);
unsigned int tlbbatch_luf_nr_shards(void);
unsigned int tlbbatch_luf_my_shard(void);
unsigned int tlbbatch_luf_shard_of(unsigned int slot);
unsigned int tlbbatch_luf_take_slot(void);
unsigned int tlbbatch_luf_next_used(unsigned int slot);
unsigned int tlbbatch_luf_my_first_slot(void);
bool tlbbatch_luf_slots_tight(unsigned int slot);
void tlbbatch_luf_slot_owes(unsigned int slot, struct llist_node *node);
void tlbbatch_luf_slot_over(unsigned int slot, struct llist_node *node);
bool tlbbatch_luf_slots_reap(unsigned int shard,
			     void (*settle)(struct llist_node *node),
			     void (*free)(struct llist_node *node));
void tlbbatch_luf_give_back(unsigned int slot);

/* luf_files.c: for which files anybody cares */
int tlbbatch_luf_files_init(void);
void tlbbatch_luf_files_exit(void);
unsigned int tlbbatch_luf_my_table(void);
void tlbbatch_luf_interest(unsigned int table, const struct address_space *file,
			   int by);
bool tlbbatch_luf_interesting(const struct address_space *file);

/* luf_table.c */
int tlbbatch_luf_table_init(void);
void tlbbatch_luf_table_exit(void);
bool tlbbatch_luf_open(const struct tlbbatch_luf_files *files,
		       const struct tlbbatch_luf_pages *pages,
		       const unsigned long *sent, const unsigned long *cpus);
void tlbbatch_luf_stillborn(enum tlbbatch_luf_reason reason);
void tlbbatch_luf_untracked(void);
void tlbbatch_luf_give_up(const struct address_space *file,
			  enum tlbbatch_luf_reason reason);
void tlbbatch_luf_reuse(unsigned long pfn, unsigned int nr);
extern atomic64_t tlbbatch_luf_last;
u64 tlbbatch_luf_nr_open(enum tlbbatch_luf_model model);
unsigned int tlbbatch_luf_sweep(unsigned int from, unsigned int nr);
bool tlbbatch_luf_settle_shard(unsigned int shard);

/**
 * tlbbatch_luf_youngest() - the number of the youngest generation
 *
 * A flush that begins behind this read covers all generations up to it: each got
 * its number behind the clearing of its page table entries. Pairs with the full
 * barrier of the increment in next_number().
 *
 * Context: any.
 */
static inline u64 tlbbatch_luf_youngest(void)
{
	return atomic64_read_acquire(&tlbbatch_luf_last);
}

#endif /* TLBBATCH_LUF_TABLE_H */
