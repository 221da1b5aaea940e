// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts that change mappings or discard pages while reclaim works on them.
 *
 * Each follows one pattern: it fills this CPU's TLB with entries for a range, acts on
 * the range (often from another CPU), and checks from this CPU that the memory is what the
 * call promised. If reclaim still owed a flush and the call forgot it, the old page shows
 * instead.
 */
#include "acts.h"

/* Maps a range at its place. Private regions get new memory, shared ones get their file. */
static void map_range(struct worker *worker, size_t first, size_t length,
		      int extra_flags)
{
	int flags = worker->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *address = page_at(worker, first);

	if (mmap(address, length * PAGE_BYTES, PROT_READ | PROT_WRITE,
		 flags | MAP_NORESERVE | extra_flags, worker->fd,
		 worker->fd < 0 ? 0 : (off_t)(first * PAGE_BYTES)) != address)
		die_environment("mmap of a range: %s", strerror(errno));
	madvise(address, length * PAGE_BYTES,
		worker->run->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

static void renew_range(struct worker *worker, size_t first, size_t length)
{
	size_t i;

	for (i = first; i < first + length; i++)
		renew_zero_page(worker, i);
}

/* New private memory is zero; a file's pages are still the file's. */
void munmap_step(struct worker *worker)
{
	bool elsewhere, replace;
	size_t first, length;

	first = pick_range(worker, &length);
	warm_range(worker, first, length, "before munmap");
	elsewhere = go_elsewhere(worker);
	replace = rng_one_in(&worker->rng, 2);
	if (replace) {
		map_range(worker, first, length, MAP_FIXED);
	} else {
		if (munmap(page_at(worker, first), length * PAGE_BYTES))
			die_environment("munmap: %s", strerror(errno));
		/* Nothing else may have taken this address meanwhile. */
		map_range(worker, first, length, MAP_FIXED_NOREPLACE);
	}
	if (!worker->run->shared)
		renew_range(worker, first, length);
	come_back(worker, elsewhere);
	check_range(worker, first, length, "after munmap and mmap");
}

/* Makes a place of the address space inaccessible, and keeps it. */
static void reserve_range(void *address, size_t length)
{
	if (mmap(address, length * PAGE_BYTES, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) != address)
		die_environment("mmap of a reserve: %s", strerror(errno));
}

static bool try_move(unsigned char *from, unsigned char *to, size_t length,
		     int extra_flags)
{
	return mremap(from, length * PAGE_BYTES, length * PAGE_BYTES,
		      MREMAP_MAYMOVE | MREMAP_FIXED | extra_flags, to) == to;
}

/* One mremap() moves only from one mapping. Earlier moves may have left several. */
static void move_range(unsigned char *from, unsigned char *to, size_t length,
		       int extra_flags)
{
	size_t i;

	if (try_move(from, to, length, extra_flags))
		return;
	for (i = 0; errno == EFAULT && i < length; i++)
		if (!try_move(from + i * PAGE_BYTES, to + i * PAGE_BYTES, 1,
			      extra_flags))
			break;
	if (i < length)
		die_environment("mremap: %s", strerror(errno));
}

/*
 * Moves a range to the spare place and back. It is checked and written in both. The source
 * is a hole in between. With MREMAP_DONTUNMAP it is memory that must be zero.
 */
void mremap_step(struct worker *worker)
{
	bool elsewhere, keep_source;
	struct page_content zero;
	struct page_fault fault;
	size_t first, length, i;

	first = pick_range(worker, &length);
	warm_range(worker, first, length, "before mremap");
	elsewhere = go_elsewhere(worker);
	keep_source = worker->fd < 0 && rng_one_in(&worker->rng, 2);
	move_range(page_at(worker, first), worker->spare, length,
		   keep_source ? MREMAP_DONTUNMAP : 0);
	come_back(worker, elsewhere);

	for (i = 0; i < length; i++) {
		void *moved = worker->spare + i * PAGE_BYTES;
		struct page_content content;

		check_copy(worker, first + i, moved, "moved by mremap");
		content = next_content(worker, first + i);
		content_write(moved, &content);
		if (!keep_source)
			continue;
		zero = content;
		zero.sequence = 0;
		if (!content_check(page_at(worker, first + i), &zero, &fault))
			report_fault(worker, first + i,
				     page_at(worker, first + i), &fault,
				     "source of mremap");
	}

	elsewhere = go_elsewhere(worker);
	move_range(worker->spare, page_at(worker, first), length, 0);
	reserve_range(worker->spare, length);
	come_back(worker, elsewhere);
	check_range(worker, first, length, "moved back by mremap");
}

/*
 * The kernel's stores on behalf of a task go through the TLB. They must be refused on a
 * page that has just become read-only, from any CPU.
 */
static void check_read_only(struct worker *worker, size_t page)
{
	uint64_t *words = page_at(worker, page);
	struct page_fault fault = { .word = WORD_DATA };

	/* Use the system call: the vDSO would store from user mode. */
	if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &words[WORD_DATA]))
		return;
	fault.found = words[WORD_DATA];
	report_fault(worker, page, words, &fault,
		     "a store into read-only memory");
}

static void protect_range(struct worker *worker, size_t first, size_t length,
			  int access)
{
	if (mprotect(page_at(worker, first), length * PAGE_BYTES, access))
		die_environment("mprotect: %s", strerror(errno));
}

void mprotect_step(struct worker *worker)
{
	size_t first, length, i;
	bool elsewhere;

	first = pick_range(worker, &length);
	warm_range(worker, first, length, "before mprotect");
	elsewhere = go_elsewhere(worker);
	protect_range(worker, first, length, PROT_READ);
	come_back(worker, elsewhere);
	for (i = first; i < first + length; i++) {
		check_read_only(worker, i);
		/* A wrong page isn't written anew: it is read-only. */
		check_copy(worker, i, page_at(worker, i), "read-only");
	}
	protect_range(worker, first, length, PROT_READ | PROT_WRITE);
	warm_range(worker, first, length, "after mprotect");
}

/* Private memory becomes zeros. A file's pages are still there. */
void dontneed_step(struct worker *worker)
{
	size_t first, length;
	bool elsewhere;

	first = pick_range(worker, &length);
	warm_range(worker, first, length, "before MADV_DONTNEED");
	elsewhere = go_elsewhere(worker);
	if (madvise(page_at(worker, first), length * PAGE_BYTES,
		    MADV_DONTNEED))
		die_environment("MADV_DONTNEED: %s", strerror(errno));
	come_back(worker, elsewhere);
	if (!worker->run->shared)
		renew_range(worker, first, length);
	check_range(worker, first, length, "after MADV_DONTNEED");
}

/* Punches a hole into the file, or cuts its end off and gives it back. Both leave zeros. */
void truncate_step(struct worker *worker)
{
	size_t first, length;
	bool elsewhere;

	first = pick_range(worker, &length);
	if (rng_one_in(&worker->rng, 4)) {
		first = worker->pages - length;
		__atomic_store_n(&worker->hot, first, __ATOMIC_RELAXED);
		warm_range(worker, first, length, "before truncate");
		elsewhere = go_elsewhere(worker);
		if (ftruncate(worker->fd, (off_t)(first * PAGE_BYTES)) ||
		    ftruncate(worker->fd, (off_t)(worker->pages * PAGE_BYTES)))
			die_environment("ftruncate: %s", strerror(errno));
	} else {
		warm_range(worker, first, length, "before a hole is punched");
		elsewhere = go_elsewhere(worker);
		if (fallocate(worker->fd,
			      FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      (off_t)(first * PAGE_BYTES),
			      (off_t)(length * PAGE_BYTES)))
			die_environment("fallocate: %s", strerror(errno));
	}
	come_back(worker, elsewhere);
	renew_range(worker, first, length);
	check_range(worker, first, length, "after truncate");
}

/*
 * MADV_FREE: a page that is written afterwards keeps what was written. The rest of it is
 * the old content, or zeros. A page that isn't written has one or the other. Other pages
 * are rewritten for a while, so that reclaim gets to these.
 */
enum free_page {
	FREE_UNTOUCHED,
	FREE_WORD,	/* one word written, see free_range.word */
	FREE_REWRITTEN,
	FREE_KINDS,
};

struct free_range {
	size_t first, length;
	enum free_page page[RANGE_PAGES];
	size_t word[RANGE_PAGES];	/* PAGE_WORDS: none */
};

/* Differs from zero and from every content of the page. */
static uint64_t free_mark(const struct worker *worker, size_t page)
{
	return ~page_id(worker, page);
}

static void free_write(struct worker *worker, struct free_range *range)
{
	size_t i;

	for (i = 0; i < range->length; i++) {
		size_t page = range->first + i;
		uint64_t *words = page_at(worker, page);

		range->page[i] = (enum free_page)rng_below(&worker->rng,
							   FREE_KINDS);
		range->word[i] = PAGE_WORDS;
		if (range->page[i] == FREE_REWRITTEN) {
			rewrite_page(worker, page);
		} else if (range->page[i] == FREE_WORD) {
			range->word[i] = rng_below(&worker->rng, PAGE_WORDS);
			words[range->word[i]] = free_mark(worker, page);
		}
	}
}

static void free_check(struct worker *worker, const struct free_range *range,
		       size_t i)
{
	size_t page = range->first + i, skip = range->word[i];
	struct page_content content = page_content(worker, page);
	uint64_t *words = page_at(worker, page);
	struct page_fault fault;

	if (range->page[i] == FREE_REWRITTEN) {
		check_page(worker, page, "rewritten after MADV_FREE");
		return;
	}
	worker->verified++;
	if (skip != PAGE_WORDS && words[skip] != free_mark(worker, page)) {
		fault.word = skip;
		fault.expected = free_mark(worker, page);
		fault.found = words[skip];
		report_fault(worker, page, words, &fault,
			     "a word written after MADV_FREE");
	} else if (!content_check_except(words, &content, skip, &fault)) {
		content.sequence = 0;
		if (!content_check_except(words, &content, skip, &fault))
			report_fault(worker, page, words, &fault,
				     "neither old nor zero after MADV_FREE");
	}
	rewrite_page(worker, page);
}

void free_step(struct worker *worker)
{
	struct free_range range;
	bool elsewhere;
	size_t i;

	range.first = pick_range(worker, &range.length);
	warm_range(worker, range.first, range.length, "before MADV_FREE");
	settle_range(worker, range.first, range.length);
	elsewhere = go_elsewhere(worker);
	if (madvise(page_at(worker, range.first), range.length * PAGE_BYTES,
		    MADV_FREE))
		die_environment("MADV_FREE: %s", strerror(errno));
	come_back(worker, elsewhere);
	free_write(worker, &range);
	for (i = 0; i < OPS_PER_STEP; i++) {
		size_t page = pick_page(worker);

		if (page < range.first || page >= range.first + range.length)
			rewrite_page(worker, page);
	}
	for (i = 0; i < range.length; i++)
		free_check(worker, &range, i);
}

const char *free_prepare(struct run *run)
{
	return run->shared ? "MADV_FREE_is_for_private_memory" : NULL;
}
