/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel that reclaims one huge page: see lazyfree_world.c. */
#ifndef LAZYFREE_WORLD_H
#define LAZYFREE_WORLD_H

#include <tlbbatch/lazyfree_stats.h>
#include "hook_rules.h"

#define ADDR	(7UL << PMD_SHIFT)
#define ENTRY_FLAGS	(_PAGE_PRESENT | _PAGE_RW | _PAGE_PSE)
/* What the entry is when a page table is there. */
#define TABLE_ENTRY	(3UL << PMD_SHIFT | _PAGE_PRESENT | _PAGE_RW)

enum {
#define X(upper, lower) upper,
	LAZYFREE_COUNTERS(X)
#undef X
	NR
};

/* Which kernel's shapes it has. */
#if defined(TLBBATCH_HAVE_SPLIT_HUGE_PMD_FOLIO)
#define IS_6_12	true
#define IS_6_1	false
#elif defined(TLBBATCH_HAVE_SPLIT_HUGE_PMD_LOCKED)
#define IS_6_12	false
#define IS_6_1	false
#else
#define IS_6_12	false
#define IS_6_1	true
#define IS_6_1_SHAPE	1
#endif

/* Who holds mmap_lock for writing may not expect that a huge entry becomes none. */
#ifdef TLBBATCH_HAVE_PTE_OFFSET_MAP_FAILS
#define LEAVES_TABLE	IS_6_1
#else
#define LEAVES_TABLE	true
#endif

/* On 6.1 the split takes the lock by itself. */
#ifdef IS_6_1_SHAPE
#define LOCK()		do { } while (0)
#define UNLOCK()	do { } while (0)
#else
#define LOCK()		sim_lock_pmd()
#define UNLOCK()	spin_unlock(&sim_ptl)
#endif

struct lf_world {
	bool freezes;		/* try_to_unmap_one() wants the mapping frozen */
	bool of_another;	/* it is for another folio than the entry maps (6.1) */
	bool has_no_tables;	/* where it looks, the process has nothing (6.1) */
	bool discards_itself;	/* the kernel calls unmap_huge_pmd_locked(), too */
	unsigned int nr_split, nr_unmapped;	/* calls that reached an original */
	unsigned int nr_freed, nr_traced;
	int nr_checked;	/* entries of it that page_table_check counts */
	bool none_seen, valid_seen;	/* by others, while a discard is tried */
	bool none_used;		/* by who holds mmap_lock for writing, whenever it is */
	bool is_trying;
	bool is_unmapped;	/* the mapping that the entry was has ended */
	void (*at_xchg)(void);	/* what others do right before the entry becomes invalid, once */
	void (*in_original)(void);	/* what they do while a split runs, once */
};

extern struct lf_world lf;
extern struct mm_struct lf_mm;
extern struct vm_area_struct lf_vma;
extern struct page lf_table;
extern pmd_t lf_pmd;
extern bool lf_no_thp, lf_is_rt;

enum end { GOES_ON, DONE, ABORTED };

void lf_world_init(void);
/* How often this was counted since fresh(). */
u64 counted(unsigned int index);
/* A page that MADV_FREE gave up, as reclaim has it, and nothing counted. */
void fresh(void);
/* The entry is what it should be on this kernel when its page is gone. */
bool is_ended(void);
/* The page went, and nothing is left of it but what reclaim has. */
bool is_gone(void);
/* The entry is there as it was, but for what is in @also; the kernel has done its part. */
bool is_back(unsigned long also);
/* Others look at the entry, without the lock. */
void lf_others_look(void);
/* ... whenever they can. */
static inline void looks(void)
{
	sim_at_barrier = sim_at_rmb = lf_others_look;
}

/* One of them stores by the entry. */
static inline void stores(void)
{
	lf_pmd.pmd |= _PAGE_DIRTY;
}

long lf_rss(void);
enum end try_to_unmap_one(void);
void freeze_one(void);
void split_for_others(void);
bool unmap_huge_pmd_locked(struct vm_area_struct *of, unsigned long addr, pmd_t *pmdp,
			   struct folio *folio);
/* lazyfree_own.c. 6.12 calls its own discard for every huge page, and splits what stays. */
void test_own(void);
void test_own_and_split(void);
void test_own_raced(void);
/* The knob: writes it, and what it reads. */
ssize_t write_mode(const char *text);
const char *mode(void);

#endif /* LAZYFREE_WORLD_H */
