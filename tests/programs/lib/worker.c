// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workers. Each is pinned to a CPU and owns a region of memory. Its locked memory says what
 * each of its pages has to hold. Only the worker changes its pages, and the threads that it
 * lets store to their live words.
 */
#include "worker.h"

#define WINDOW_STEPS	16	/* steps until the window moves */
#define MAX_REPORTS	20
#define BEHIND_TRIES	3000	/* a millisecond each */
#define LONGER		120	/* --actions: at most so many times --seconds */

uint64_t *complaints;

void complain(void)
{
	__atomic_fetch_add(complaints, 1, __ATOMIC_RELAXED);
}

uint64_t run_actions(const struct run *run)
{
	uint64_t actions = 0;
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++)
		actions += __atomic_load_n(&run->workers[i].actions,
					   __ATOMIC_RELAXED);
	return actions;
}

bool run_over(const struct run *run)
{
	uint64_t deadline = __atomic_load_n(&run->deadline_ns, __ATOMIC_RELAXED);
	uint64_t now = now_ns();

	if (stress_stop)
		return true;
	if (now < deadline)
		return false;
	return run_actions(run) >= run->min_actions ||
	       now - deadline >= run->seconds * (LONGER - 1) * NSEC_PER_SEC;
}

/* Every page has been written once, and the mode's time is running. */
bool run_filled(const struct run *run)
{
	return __atomic_load_n(&run->deadline_ns, __ATOMIC_ACQUIRE) !=
	       UINT64_MAX;
}

bool workers_finished(const struct run *run)
{
	return __atomic_load_n(&run->finished, __ATOMIC_ACQUIRE) ==
	       run->nr_workers;
}

/* Returns how many there were before. */
uint64_t count_error(struct run *run)
{
	complain();
	return __atomic_fetch_add(&run->errors, 1, __ATOMIC_RELAXED);
}

void *page_at(const struct worker *worker, size_t page)
{
	return worker->base + page * PAGE_BYTES;
}

uint64_t page_id(const struct worker *worker, size_t page)
{
	return (uint64_t)(worker->id_base + worker->index + 1) << 32 | page;
}

struct page_content page_content(const struct worker *worker, size_t page)
{
	return (struct page_content) {
		.seed = worker->run->seed,
		.id = page_id(worker, page),
		.sequence = worker->sequence[page],
	};
}

/**
 * report_fault() - tell which word is wrong, and count it
 * @worker:	whose page
 * @page:	number of the page in its region
 * @address:	where the word was found, as a page
 * @fault:	the word
 * @what:	what was being done
 */
void report_fault(struct worker *worker, size_t page, const void *address,
		  const struct page_fault *fault, const char *what)
{
	const uint64_t *words = address;
	struct run *run = worker->run;

	if (count_error(run) >= MAX_REPORTS)
		return;
	/* The page's own words tell old content from foreign content. */
	say(STDERR_FILENO,
	    "wrong data: mode=%s at=%s worker=%u page=%zu address=%p word=%zu expected=%016" PRIx64 " found=%016" PRIx64 " id=%" PRIx64 " sequence=%u page-says-id=%" PRIx64 " page-says-sequence=%" PRIu64 "\n",
	    run->name, what, worker->index, page,
	    (const void *)&words[fault->word], fault->word, fault->expected,
	    fault->found, page_id(worker, page), worker->sequence[page],
	    words[WORD_ID], words[WORD_SEQUENCE]);
	if (run->on_fault) {
		struct page_content content = page_content(worker, page);

		run->on_fault(worker, address, &content);
	}
}

/* The page's next content, which it doesn't have yet. */
struct page_content next_content(struct worker *worker, size_t page)
{
	worker->sequence[page]++;
	if (worker->live)
		worker->live[page] = 0;
	return page_content(worker, page);
}

/* Makes the next content of a range in the buffer. The pages don't have it yet. */
void next_contents(struct worker *worker, size_t first, size_t length,
		   unsigned char *buffer)
{
	size_t i;

	for (i = 0; i < length; i++) {
		struct page_content content = next_content(worker, first + i);

		content_write(buffer + i * PAGE_BYTES, &content);
	}
}

/* Writes a page anew. The old content needn't be in memory for it. */
void rewrite_page(struct worker *worker, size_t page)
{
	struct page_content content = next_content(worker, page);

	content_write(page_at(worker, page), &content);
	worker->ops++;
}

/*
 * One word of a page may be alive: another thread of the worker's stored growing numbers
 * there. It has ended, and the last number is known. But its CPU may have had the page in
 * another place than this CPU: a clean page that a third task is reclaiming, while the flush
 * for it is still to come (with the module or without). Then this CPU sees an older number,
 * but not for long.
 */
static bool live_word_is(struct worker *worker, const uint64_t *words,
			 uint64_t expected, struct page_fault *fault)
{
	uint64_t found = 0;
	unsigned int tries;

	for (tries = 0; tries < BEHIND_TRIES; tries++) {
		found = __atomic_load_n(&words[LIVE_WORD], __ATOMIC_RELAXED);
		if (found == expected)
			break;
		sleep_ms(1);
	}
	if (tries && tries < BEHIND_TRIES)
		__atomic_fetch_add(&worker->run->behind, 1, __ATOMIC_RELAXED);
	fault->word = LIVE_WORD;
	fault->expected = expected;
	fault->found = found;
	return found == expected;
}

/* Checks a page, found at @address; a wrong one is reported. */
bool check_copy(struct worker *worker, size_t page, const void *address,
		const char *what)
{
	struct page_content content = page_content(worker, page);
	uint64_t live = worker->live ? worker->live[page] : 0;
	struct page_fault fault;

	worker->verified++;
	if (content_check_except(address, &content,
				 live ? LIVE_WORD : PAGE_WORDS, &fault) &&
	    (!live || live_word_is(worker, address, live, &fault)))
		return true;
	report_fault(worker, page, address, &fault, what);
	return false;
}

/* Checks a page in its place. A wrong page is written anew, so that it counts once. */
void check_page(struct worker *worker, size_t page, const char *what)
{
	if (!check_copy(worker, page, page_at(worker, page), what))
		rewrite_page(worker, page);
}

/**
 * renew_zero_page() - check and use a page that has just become zero
 * @worker:	whose page
 * @page:	number of the page in its region
 *
 * By chance it is read first (zero page, then copy on write), written first
 * (a new page, the rest of which must be zero), or left for later.
 */
void renew_zero_page(struct worker *worker, size_t page)
{
	size_t skip = PAGE_WORDS;
	struct page_content zero;
	struct page_fault fault;

	worker->sequence[page] = 0;
	if (worker->live)
		worker->live[page] = 0;
	zero = page_content(worker, page);
	switch (rng_below(&worker->rng, 4)) {
	case 0:
		return;
	case 1:
		skip = rng_below(&worker->rng, PAGE_WORDS);
		((uint64_t *)page_at(worker, page))[skip] = 1;
		break;
	}
	worker->verified++;
	if (!content_check_except(page_at(worker, page), &zero, skip, &fault))
		report_fault(worker, page, page_at(worker, page), &fault,
			     "zero page");
	rewrite_page(worker, page);
}

/*
 * Modes with steps stay in a small window for a while. Otherwise most of their time would
 * pass in faults of cold pages. The page-out helper keeps moving the window in and out of
 * memory. Other modes go everywhere: for them the faults matter.
 */
size_t pick_page(struct worker *worker)
{
	size_t pages = worker->pages, first = 0;

	if (worker->run->windows && pages > WINDOW_PAGES &&
	    !rng_one_in(&worker->rng, 8)) {
		first = worker->window;
		pages = WINDOW_PAGES;
	}
	return first + rng_below(&worker->rng, pages);
}

/* Picks a range to act on. The page-out helper pages out the same one. */
size_t pick_range(struct worker *worker, size_t *length)
{
	size_t first;

	if (worker->actions++ % WINDOW_STEPS == 0 &&
	    worker->pages > WINDOW_PAGES)
		worker->window = rng_below(&worker->rng,
					   worker->pages - WINDOW_PAGES);
	first = pick_page(worker);
	if (first > worker->pages - RANGE_PAGES)
		first = worker->pages - RANGE_PAGES;
	/* Aligned starts bound the number of mappings a region falls into. */
	first -= first % RANGE_PAGES;
	/* Short ranges come more often, since they allow more actions in the same time. */
	*length = 1 + rng_below(&worker->rng,
				1 + rng_below(&worker->rng, RANGE_PAGES));
	__atomic_store_n(&worker->hot, first, __ATOMIC_RELAXED);
	return first;
}

/*
 * Fills this CPU's TLB with entries for a range; rewriting makes them writable. If an
 * action leaves one of these entries behind, the next check shows it.
 */
void warm_range(struct worker *worker, size_t first, size_t length,
		const char *what)
{
	size_t i;

	for (i = first; i < first + length; i++) {
		if (rng_one_in(&worker->rng, 2))
			rewrite_page(worker, i);
		else
			check_page(worker, i, what);
	}
}

/* Rewrites pages that have a live word, for acts that compare whole contents. */
void settle_range(struct worker *worker, size_t first, size_t length)
{
	size_t i;

	for (i = first; worker->live && i < first + length; i++)
		if (worker->live[i])
			rewrite_page(worker, i);
}

void check_range(struct worker *worker, size_t first, size_t length,
		 const char *what)
{
	size_t i;

	for (i = first; i < first + length; i++)
		check_page(worker, i, what);
}

/*
 * An action on another CPU has to flush this CPU's TLB by an IPI. Meanwhile only threads of
 * the same mm have run on this CPU, or none at all, so nothing else has emptied its TLB.
 */
bool go_elsewhere(struct worker *worker)
{
	const struct run *run = worker->run;
	unsigned int other;

	/* Not each time, since moving to a busy CPU takes a while. */
	if (run->nr_workers < 2 || !rng_one_in(&worker->rng, 4))
		return false;
	other = 1 + rng_below(&worker->rng, run->nr_workers - 1);
	other = (worker->index + other) % run->nr_workers;
	return pin_self(run->cpus[other]);
}

void come_back(struct worker *worker, bool elsewhere)
{
	if (elsewhere)
		pin_self(worker->cpu);
}

void one_rewrite(struct worker *worker)
{
	check_page(worker, pick_page(worker), "rewrite");
	/* This is another page, so that pages are also written without being read. */
	rewrite_page(worker, pick_page(worker));
}

/*
 * MADV_PAGEOUT of 7.2 may lose pages if another thread gives up all of their page table: see
 * lost_pages.c. It does so after 32 looks at an entry. It looks twice at one whose folio it splits.
 */
static size_t page_out_max(void)
{
	return kernel_version() == KERNEL_VERSION(7, 2, 0) ? 15 : SIZE_MAX;
}

/**
 * page_out_some() - page out some of the pages that workers act on
 * @run:	the run
 * @rng:	for the choice
 *
 * Half of the ranges are the ones that a worker has just picked.
 */
void page_out_some(struct run *run, struct rng *rng)
{
	struct worker *worker = &run->workers[rng_below(rng, run->nr_workers)];
	size_t first, length, each = page_out_max(), at;

	first = rng_one_in(rng, 2) ?
		__atomic_load_n(&worker->hot, __ATOMIC_RELAXED) :
		rng_below(rng, worker->pages);
	length = RANGE_PAGES / 4 << rng_below(rng, 4);
	if (length > worker->pages - first)
		length = worker->pages - first;
	/* ENOMEM: the range has a hole now. EINVAL: some is locked. The rest was paged out. */
	for (at = 0; at < length; at += each)
		madvise(page_at(worker, first + at),
			(length - at < each ? length - at : each) * PAGE_BYTES, MADV_PAGEOUT);
}

void *page_out_helper(void *argument)
{
	struct run *run = argument;
	struct rng rng = { .state = mix64(run->seed ^ (uintptr_t)&rng) };

	while (!run_over(run))
		page_out_some(run, &rng);
	return NULL;
}
