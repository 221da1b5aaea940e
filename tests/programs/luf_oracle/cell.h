/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cell: a process that maps a file, and makes a generation of it.
 */
#ifndef LUF_CELL_H
#define LUF_CELL_H

#include "common.h"

#include <semaphore.h>

#define RECLAIM_CPU	0
#define ACTOR_CPU	2
#define CELL_PAGES	16
#define CELL_MAX_PAGES	512
#define ANON_PAGES	8192
/* They lie further apart than a page table covers. MADV_PAGEOUT makes a pass for each of them. */
#define FILE_AT		((char *)0x100000000000UL)
#define ANON_AT		((char *)0x100040000000UL)

struct cell;
typedef long cell_function(struct cell *cell, long argument);

struct cell {
	pid_t pid;
	int spin_cpu;
	volatile int spins_on;
	volatile bool sleeps;
	volatile uint64_t beats;
	pid_t spinner;
	sem_t request, reply, wake;
	cell_function *function;
	long argument, result;

	/* What to map, and how. */
	char path[256];
	int open_flags, prot, map_flags;
	size_t pages;
	/* Further pages of the mapping, which aren't reclaimed. */
	size_t stay;
	/* The page frames that the file's pages had before they were reclaimed. */
	uint64_t frames[CELL_MAX_PAGES];

	/* Of the cell's own process. */
	int fd, pagemap;
	char *map, *scratch, *zero, *anon;
	size_t anon_used;
};

extern struct cell *cells[4];
extern size_t cells_nr;

void *cell_anon_map(void *at, size_t pages);
void cell_wait(struct cell *cell);
long cell_call(struct cell *cell, cell_function *function, long argument);
struct cell *cell_start(const char *path, int spin_cpu);
void cells_end(void);
void cell_spin_on(struct cell *cell, int cpu);
void cell_sleep(struct cell *cell);
void cell_wake(struct cell *cell);
long cell_second(struct cell *cell, long cpu);
long cell_move(struct cell *cell, long cpu);
long cell_map(struct cell *cell, long unused);
long cell_touch(struct cell *cell, long unused);
long cell_present(struct cell *cell, long unused);
long cell_arm(struct cell *cell, long unused);
long cell_pageout(struct cell *cell, long unused);
long cell_flush(struct cell *cell, long unused);
long cell_flush_page(struct cell *cell, long unused);
long cell_reuse(struct cell *cell, long hits);

#endif
