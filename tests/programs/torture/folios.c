// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kinds about folios of more than one page: they are made, and split.
 */
#include "torture.h"

/* Bits of /proc/kpageflags */
#define FLAG_COMPOUND	(1ULL << 15 | 1ULL << 16)
#define PFN_MASK	((1ULL << 55) - 1)

#define THP		"/sys/kernel/mm/transparent_hugepage/"

/**
 * page_has_flag() - ask /proc/kpageflags about a page
 * @address:	of the page
 * @flags:	any of these
 *
 * Return: false also if the page isn't mapped.
 */
bool page_has_flag(const void *address, uint64_t flags)
{
	uint64_t entry = pagemap_entry(runs[0].pagemap, address), found = 0;
	int fd;

	if (!(entry & PAGEMAP_PRESENT))
		return false;
	fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die_environment("/proc/kpageflags: %s", strerror(errno));
	if (pread(fd, &found, sizeof(found), (off_t)((entry & PFN_MASK) * sizeof(found))) !=
	    sizeof(found))
		found = 0;
	close(fd);
	return found & flags;
}

static size_t count_large(const struct worker *worker, size_t first, size_t length)
{
	size_t i, large = 0;

	for (i = first; i < first + length; i++)
		large += page_has_flag(page_at(worker, i), FLAG_COMPOUND);
	return large;
}

/* All of a block, or a part of it, is discarded and filled anew. */
static bool discard(struct worker *worker, size_t first, size_t length)
{
	bool large;
	size_t i;

	if (madvise(page_at(worker, first), length * PAGE_BYTES, MADV_DONTNEED))
		die_environment("MADV_DONTNEED: %s", strerror(errno));
	/* This is what makes a folio for the block. Later it may be split again. */
	memset(page_at(worker, first), 0, 1);
	large = page_has_flag(page_at(worker, first), FLAG_COMPOUND);
	for (i = first; i < first + length; i++)
		renew_zero_page(worker, i);
	return large;
}

/* Discards a block whose size a folio can have, and fills it anew. */
bool act_fill_huge(struct worker *worker, int block_pages)
{
	size_t block = (size_t)block_pages, length, first = pick_range(worker, &length);
	bool large;

	first -= first % block;
	large = discard(worker, first, block);
	check_range(worker, first, block, "a block filled anew");
	return large;
}

/* A page that was given up has what it had, or is zero. It is written anew. */
static void check_given_up(struct worker *worker, size_t page)
{
	struct page_content content = page_content(worker, page);
	struct page_fault fault;

	worker->verified++;
	if (!content_check(page_at(worker, page), &content, &fault)) {
		content.sequence = 0;
		if (!content_check(page_at(worker, page), &content, &fault))
			report_fault(worker, page, page_at(worker, page), &fault,
				     "neither old nor zero after MADV_FREE");
	}
	rewrite_page(worker, page);
}

/* Gives a whole block up, writes to some of its pages again, or to none, and pages it out. */
bool act_free_huge(struct worker *worker, int block_pages)
{
	size_t block = (size_t)block_pages, length, first = pick_range(worker, &length), i;
	size_t again = rng_one_in(&worker->rng, 2) ? 0 : 1 + rng_below(&worker->rng, RANGE_PAGES);
	bool written[block], large;

	memset(written, 0, sizeof(written));
	first -= first % block;
	large = discard(worker, first, block);
	if (madvise(page_at(worker, first), block * PAGE_BYTES, MADV_FREE))
		die_environment("MADV_FREE: %s", strerror(errno));
	while (again--) {
		i = rng_below(&worker->rng, block);
		rewrite_page(worker, first + i);
		written[i] = true;
	}
	madvise(page_at(worker, first), block * PAGE_BYTES, MADV_PAGEOUT);
	for (i = 0; i < block; i++) {
		if (written[i])
			check_page(worker, first + i, "rewritten after MADV_FREE of its block");
		else
			check_given_up(worker, first + i);
	}
	return large;
}

/* Discards a part of a block, which splits its folio, now or when it is reclaimed. */
bool act_split_huge(struct worker *worker, int block_pages)
{
	size_t block = (size_t)block_pages, length, first, large, start;

	first = pick_range(worker, &length);
	start = first - first % block;
	if (first + length > start + block)
		length = start + block - first;
	if (length == block)
		length--;
	if (!page_has_flag(page_at(worker, start), FLAG_COMPOUND))
		discard(worker, start, block);
	rewrite_page(worker, start);
	large = count_large(worker, first, length);
	discard(worker, first, length);
	madvise(page_at(worker, start), block * PAGE_BYTES, MADV_PAGEOUT);
	check_range(worker, first, length, "a part of a large folio");
	check_page(worker, start, "the rest of a large folio");
	check_page(worker, start + block - 1, "the rest of a large folio");
	return large > 0;
}

/* Lets madvise() ask for such folios, if nothing does. */
static bool allow(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) > 0 && strstr(text, "[never]") &&
	    write(fd, "madvise", 7) != 7)
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
	return true;
}

const char *cannot_huge(void)
{
	return allow(THP "enabled") ? NULL : "this kernel has no huge pages";
}

const char *cannot_small(void)
{
	return allow(THP "hugepages-64kB/enabled") ? NULL :
	       "this kernel has no folios between 4 KiB and 2 MiB";
}
