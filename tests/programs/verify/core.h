/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by verify's parts: a mode, a worker, the run, and what a worker can do with its
 * pages.
 */
#ifndef VERIFY_CORE_H
#define VERIFY_CORE_H

#include "common.h"
#include "content.h"
#include "rng.h"
#include "swap.h"

#define RANGE_PAGES	32	/* longest range that a mode acts on at once */
#define SPARE_PAGES	(2 * RANGE_PAGES)
#define OPS_PER_STEP	8	/* rewrites between two steps of a mode */
#define PER_CPU		UINT_MAX

struct worker;
struct run;

/**
 * struct mode - what happens to the memory while it is being reclaimed
 * @name:		as in --mode
 * @prepare:		before pages are filled; returns why the mode can't run
 *			here, or NULL
 * @step:		a worker's action between its rewrites
 * @loop:		replaces the worker's loop, for modes that need all of
 *			them at the same point
 * @settle:		ends what a worker's steps left open
 * @finish:		after the last check; returns why the mode proved
 *			nothing, or NULL
 * @helper:		body of threads of the mode's own
 * @helpers:		how many of them, or PER_CPU
 * @helper_serves:	the helper answers the workers' faults, and goes on until
 *			they have ended; others end before the last check
 * @page_outs:		how many threads of page_out_helper(), or PER_CPU
 * @rewrites:		the mode is about rewriting: OPS_PER_STEP are an action
 * @always_shared:	the mode is about shmem
 * @huge:		regions ask for huge pages
 */
struct mode {
	const char *name;
	const char *(*prepare)(struct run *run);
	void (*step)(struct worker *worker);
	void (*loop)(struct worker *worker);
	void (*settle)(struct worker *worker);
	const char *(*finish)(struct run *run);
	void *(*helper)(void *run);
	unsigned int helpers;
	unsigned int page_outs;
	bool helper_serves;
	bool rewrites;
	bool always_shared;
	bool huge;
};

struct worker {
	pthread_t thread;
	struct run *run;
	unsigned int index;
	int cpu;
	struct rng rng;

	unsigned char *base;
	size_t pages;
	unsigned char *spare;	/* SPARE_PAGES of address space, PROT_NONE */
	void *reserved;
	size_t reserved_bytes;
	int fd;			/* memfd behind a shared region, or -1 */
	uint32_t *sequence;	/* per page, locked; 0: the page is zero */
	size_t window;		/* where steps happen for a while */
	uint64_t hot;		/* first page of the range last acted on */

	uint64_t ops, verified, actions;
	void *private;		/* the mode's own */
};

struct run {
	/* From the command line. */
	uint64_t seed;
	unsigned int seconds;
	uint64_t min_actions;	/* the mode goes on for longer until then */
	size_t mib;
	const char *cgroup;
	const char *direct_dir;
	bool shared_wanted;

	int cpus[MAX_CPUS];
	unsigned int nr_workers;
	int pagemap;

	/* This mode's. */
	const struct mode *mode;
	bool shared;
	struct worker workers[MAX_CPUS];
	pthread_barrier_t barrier;
	uint64_t deadline_ns;	/* known when everybody's memory is full */
	bool quiet;		/* no helper reads the regions any more */
	unsigned int finished;	/* workers that have ended */
	uint64_t errors;
	uint64_t reclaims;	/* writes to memory.reclaim that succeeded */
	size_t swapped;		/* most pages of the regions seen in swap */
};

/*
 * What any process of this run found wrong. It is in shared memory, since a killed process
 * can't tell it by its exit status.
 */
extern uint64_t *complaints;

void complain(void);
uint64_t run_actions(const struct run *run);
bool run_over(const struct run *run);
bool run_filled(const struct run *run);
bool workers_finished(const struct run *run);
uint64_t count_error(struct run *run);
void *page_at(const struct worker *worker, size_t page);
uint64_t page_id(const struct worker *worker, size_t page);
struct page_content page_content(const struct worker *worker, size_t page);
void report_fault(struct worker *worker, size_t page, const void *address,
		  const struct page_fault *fault, const char *what);
void rewrite_page(struct worker *worker, size_t page);
bool check_copy(struct worker *worker, size_t page, const void *address,
		const char *what);
void check_page(struct worker *worker, size_t page, const char *what);
void renew_zero_page(struct worker *worker, size_t page);
size_t pick_page(struct worker *worker);
size_t pick_range(struct worker *worker, size_t *length);
void warm_range(struct worker *worker, size_t first, size_t length,
		const char *what);
void check_range(struct worker *worker, size_t first, size_t length,
		 const char *what);
bool go_elsewhere(struct worker *worker);
void come_back(struct worker *worker, bool elsewhere);
void one_rewrite(struct worker *worker);
void *worker_body(void *argument);
void *page_out_helper(void *argument);

#endif
