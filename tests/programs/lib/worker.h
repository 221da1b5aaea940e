/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A worker, the run that it is part of, and what it can do with its pages.
 */
#ifndef TEST_WORKER_H
#define TEST_WORKER_H

#include "common.h"
#include "content.h"
#include "rng.h"
#include "swap.h"

#define RANGE_PAGES	32	/* longest range that is acted on at once */
#define WINDOW_PAGES	(8 * RANGE_PAGES)
#define SPARE_PAGES	(2 * RANGE_PAGES)
#define OPS_PER_STEP	8	/* rewrites between two steps */
#define LIVE_WORD	(PAGE_WORDS - 1)

struct run;
struct mode;

struct worker {
	pthread_t thread;
	struct run *run;
	unsigned int index;
	unsigned int id_base;	/* added to the index in the ids of pages */
	int cpu;
	struct rng rng;

	unsigned char *base;
	size_t pages;
	unsigned char *spare;	/* SPARE_PAGES of address space, PROT_NONE */
	void *reserved;
	size_t reserved_bytes;
	int fd;			/* file behind a shared region, or -1 */
	uint32_t *sequence;	/* per page, locked; 0: the page is zero */
	uint64_t *live;		/* per page, locked, or NULL: see live_word_is() */
	size_t window;		/* where steps happen for a while */
	uint64_t hot;		/* first page of the range last acted on */

	uint64_t ops, verified, actions;
	void *private;		/* of whoever made the worker */
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

	/* Of what is being done now. */
	const struct mode *mode;
	const char *name;
	bool shared;
	bool huge;		/* regions ask for huge pages */
	bool windows;		/* see pick_page() */
	const char *file_dir;	/* shared regions are files there; NULL: memfds */
	void (*on_fault)(struct worker *worker, const void *page,
			 const struct page_content *content);
	struct worker workers[MAX_CPUS];
	pthread_barrier_t barrier;
	uint64_t deadline_ns;	/* known when everybody's memory is full */
	bool quiet;		/* no helper reads the regions any more */
	unsigned int finished;	/* workers that have ended */
	uint64_t errors;
	uint64_t behind;	/* live words that were behind for a moment */
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
struct page_content next_content(struct worker *worker, size_t page);
void next_contents(struct worker *worker, size_t first, size_t length,
		   unsigned char *buffer);
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
void settle_range(struct worker *worker, size_t first, size_t length);
void check_range(struct worker *worker, size_t first, size_t length,
		 const char *what);
bool go_elsewhere(struct worker *worker);
void come_back(struct worker *worker, bool elsewhere);
void one_rewrite(struct worker *worker);
void page_out_some(struct run *run, struct rng *rng);
void *page_out_helper(void *argument);

#endif
