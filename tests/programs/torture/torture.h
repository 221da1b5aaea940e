/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by torture's parts: sorts of memory, kinds of operations, and who does them.
 */
#ifndef TORTURE_H
#define TORTURE_H

#include "acts.h"
#include "worker.h"

/* A hand has a region of each sort. */
enum sort {
	SORT_ANON,	/* without huge pages */
	SORT_SHMEM,
	SORT_HUGE,	/* huge pages wanted */
	SORT_SMALL,	/* the same, but too small for 2 MiB: folios between 4 KiB and that */
	SORT_FILE,	/* of the file system of --dir */
	SORTS,
};

#define ANON	(1U << SORT_ANON)
#define SHMEM	(1U << SORT_SHMEM)
#define HUGE	(1U << SORT_HUGE)
#define SMALL	(1U << SORT_SMALL)
#define FILES	(1U << SORT_FILE)
#define PRIVATE	(ANON | HUGE | SMALL)
#define SHARED	(SHMEM | FILES)
#define ANY	(PRIVATE | SHARED)

/**
 * struct kind - a kind of operation
 * @name:	as in --kinds
 * @sorts:	memory that it is done to
 * @weight:	how often it is chosen, against the others
 * @act:	does it once; returns whether it took effect
 * @argument:	for @act
 * @step:	instead of @act, if it always takes effect
 * @cannot:	returns why it can't be done on this machine, or NULL
 */
struct kind {
	const char *name;
	unsigned int sorts;
	unsigned int weight;
	bool (*act)(struct worker *worker, int argument);
	int argument;
	void (*step)(struct worker *worker);
	const char *(*cannot)(void);
};

extern const struct kind kinds[];
extern const size_t nr_kinds;

#define MAX_KINDS	64
#define HISTORY		12

/* What outlives a killed process, in shared memory. */
struct board {
	uint64_t counts[MAX_KINDS];
	char skipped[MAX_KINDS][64];
	uint64_t verified, lost, behind, started;
};

extern struct board *board;

/* An operation, so that a report can tell the last ones. */
struct past_op {
	uint64_t number;
	const char *kind;
	enum sort sort;
	size_t first;
};

/* Stores beside an operation; see shadow.c. */
struct shadow {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct worker *worker;	/* NULL: none is wanted */
	size_t first, length;
	unsigned int burst;
	int cpu;
	bool chase;		/* what is stored isn't checked */
	uint64_t number;	/* stored last in a chase */
	bool ending;
};

struct hand {
	pthread_t thread;
	unsigned int index;
	uint64_t seed, op;
	struct worker *regions[SORTS];
	struct shadow shadow;
	unsigned char *buffer;		/* RANGE_PAGES of locked memory */
	unsigned char *twins;		/* see twins.c */
	unsigned char *arena;		/* see scratch_map() */
	int uffd_wp, uffd_move;		/* 0: not opened yet */
	struct past_op history[HISTORY];
};

extern __thread struct hand *this_hand;

/* torture.c */
extern struct run runs[SORTS];
extern pthread_barrier_t all_started, all_filled;
extern int cpus[MAX_CPUS];
extern unsigned int nr_cpus;

/* hand.c */
void *hand_body(void *argument);
void tell_fault(struct worker *worker, const void *page,
		const struct page_content *content);
__attribute__((noreturn)) void lost(const char *what, const void *address,
				    const struct page_fault *fault, size_t bytes);
bool refused(const char *call, const int *usual);
void hand_prepare(struct hand *hand);
unsigned char *scratch_map(size_t pages, int flags, int fd, off_t offset);
void scratch_unmap(void);
void scratch_init(struct worker *scratch, uint32_t *sequence, void *base, size_t pages);

/* shadow.c */
void *shadow_body(void *argument);
void shadow_start(struct worker *worker, size_t first, size_t length, bool chase);
void shadow_stop(void);
size_t race_begin(struct worker *worker, size_t *length);
void race_end(struct worker *worker, size_t first, size_t length, const char *what);

/* advice.c */
enum advice_row {
	ADVICE_PAGEOUT, ADVICE_COLD, ADVICE_WILLNEED, ADVICE_POPULATE, ADVICE_COLLAPSE,
	ADVICE_HUGE, ADVICE_NOHUGE, ADVICE_ROWS,
};

bool act_read(struct worker *worker, int argument);
bool act_advise(struct worker *worker, int row);
bool act_stores(struct worker *worker, int argument);
bool act_guard(struct worker *worker, int argument);
bool act_lock(struct worker *worker, int argument);
const char *cannot_guard(void);
const char *cannot_collapse(void);

/* nodes.c */
bool act_move_pages(struct worker *worker, int argument);
bool act_mbind(struct worker *worker, int argument);
const char *cannot_nodes(void);

/* folios.c */
bool act_fill_huge(struct worker *worker, int block_pages);
bool act_free_huge(struct worker *worker, int block_pages);
bool act_split_huge(struct worker *worker, int block_pages);
const char *cannot_huge(void);
const char *cannot_small(void);
bool page_has_flag(const void *address, uint64_t flags);

/* twins.c */
void make_twins(struct hand *hand);
bool act_twins(struct worker *worker, int argument);
const char *cannot_twins(void);

/* files.c */
bool act_file_write(struct worker *worker, int argument);
bool act_file_read(struct worker *worker, int argument);
bool act_sync(struct worker *worker, int argument);
bool act_private(struct worker *worker, int argument);
bool act_memfd(struct worker *worker, int argument);
bool act_grow(struct worker *worker, int argument);
bool act_gup(struct worker *worker, int way);
const char *cannot_direct(void);
const char *cannot_uring(void);

/* uffd.c */
bool act_uffd_wp(struct worker *worker, int argument);
bool act_uffd_move(struct worker *worker, int chase);
bool act_chase(struct worker *worker, int argument);
const char *cannot_uffd_wp(void);
const char *cannot_uffd_move(void);

/* family.c */
bool act_fork(struct worker *worker, int argument);
bool act_exit(struct worker *worker, int argument);
bool act_process_madvise(struct worker *worker, int argument);
bool act_remote_write(struct worker *worker, int argument);
bool act_ptrace(struct worker *worker, int argument);

/* soft_dirty.c */
bool act_soft_dirty(struct worker *worker, int argument);
const char *cannot_soft_dirty(void);

#endif
