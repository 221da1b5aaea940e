// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kinds about files, and about mappings that live for one operation only. A file is read and
 * written by system calls beside its mapping.
 */
#include "torture.h"
#include "uring.h"

#define MARK		0x6d61726b6d61726bULL

static bool whole(ssize_t got, size_t bytes, const char *call)
{
	static const int usual[] = { EINTR, EAGAIN, ENOMEM, 0 };

	if (got < 0)
		refused(call, usual);
	return got == (ssize_t)bytes;
}

/* Writes the next content by write(2). If that fails, by the mapping. */
static bool write_beside(struct worker *worker, size_t first, size_t length)
{
	size_t bytes = length * PAGE_BYTES;

	next_contents(worker, first, length, this_hand->buffer);
	if (whole(pwrite(worker->fd, this_hand->buffer, bytes, (off_t)(first * PAGE_BYTES)),
		  bytes, "pwrite"))
		return true;
	memcpy(page_at(worker, first), this_hand->buffer, bytes);
	return false;
}

bool act_file_write(struct worker *worker, int argument)
{
	size_t length, first = pick_range(worker, &length);
	bool done;

	(void)argument;
	warm_range(worker, first, length, "before write(2)");
	done = write_beside(worker, first, length);
	check_range(worker, first, length, "written by write(2)");
	return done;
}

bool act_file_read(struct worker *worker, int argument)
{
	size_t length, first = pick_range(worker, &length), bytes = length * PAGE_BYTES, i;

	(void)argument;
	warm_range(worker, first, length, "before read(2)");
	if (!whole(pread(worker->fd, this_hand->buffer, bytes, (off_t)(first * PAGE_BYTES)),
		   bytes, "pread"))
		return false;
	for (i = 0; i < length; i++)
		check_copy(worker, first + i, this_hand->buffer + i * PAGE_BYTES,
			   "read by read(2)");
	return true;
}

/* The pages become clean, and may leave memory. */
bool act_sync(struct worker *worker, int argument)
{
	size_t length, first = race_begin(worker, &length), bytes = length * PAGE_BYTES;
	bool done;

	(void)argument;
	done = !msync(page_at(worker, first), bytes, MS_SYNC);
	if (!done)
		die_environment("msync: %s", strerror(errno));
	shadow_stop();
	posix_fadvise(worker->fd, (off_t)(first * PAGE_BYTES), (off_t)bytes,
		      POSIX_FADV_DONTNEED);
	race_end(worker, first, length, "msync");
	return done;
}

/* What a page of a private mapping has to hold: the file's bytes, and a mark if it has one. */
static void check_private(struct worker *worker, size_t page, const uint64_t *words,
			  const struct page_content *before, size_t mark)
{
	struct page_fault fault;

	if (mark == PAGE_WORDS) {
		check_copy(worker, page, words, "private mapping");
		return;
	}
	worker->verified++;
	fault = (struct page_fault) { mark, MARK, words[mark] };
	if (words[mark] != MARK || !content_check_except(words, before, mark, &fault))
		lost("own page of a private mapping", words, &fault, sizeof(uint64_t));
}

/* Some pages of the mapping are written. These don't see what is written to the file then. */
bool act_private(struct worker *worker, int argument)
{
	size_t length, first = pick_range(worker, &length), bytes = length * PAGE_BYTES, i;
	struct page_content before[RANGE_PAGES];
	size_t mark[RANGE_PAGES];
	unsigned char *base;
	bool done;

	(void)argument;
	base = scratch_map(length, MAP_PRIVATE, worker->fd, (off_t)(first * PAGE_BYTES));
	warm_range(worker, first, length, "before a private mapping");
	settle_range(worker, first, length);
	for (i = 0; i < length; i++) {
		uint64_t *words = (uint64_t *)(base + i * PAGE_BYTES);

		check_copy(worker, first + i, words, "a new private mapping");
		before[i] = page_content(worker, first + i);
		mark[i] = rng_one_in(&worker->rng, 2) ? PAGE_WORDS :
			  rng_below(&worker->rng, PAGE_WORDS);
		if (mark[i] != PAGE_WORDS)
			words[mark[i]] = MARK;
	}
	madvise(base, bytes, MADV_PAGEOUT);
	done = write_beside(worker, first, length);
	for (i = 0; i < length; i++)
		check_private(worker, first + i, (uint64_t *)(base + i * PAGE_BYTES),
			      &before[i], mark[i]);
	scratch_unmap();
	check_range(worker, first, length, "the file of a private mapping");
	return done;
}

/* A file in memory comes, is written by write(2), loses some pages, and goes. */
bool act_memfd(struct worker *worker, int argument)
{
	uint32_t sequence[RANGE_PAGES];
	size_t bytes = RANGE_PAGES * PAGE_BYTES, hole, i;
	struct worker scratch;
	unsigned char *base;
	int fd = memfd_create("torture", MFD_CLOEXEC);
	bool done;

	(void)worker;
	(void)argument;
	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		die_environment("memfd: %s", strerror(errno));
	base = scratch_map(RANGE_PAGES, MAP_SHARED, fd, 0);
	scratch_init(&scratch, sequence, base, RANGE_PAGES);
	scratch.fd = fd;
	done = write_beside(&scratch, 0, RANGE_PAGES);
	warm_range(&scratch, 0, RANGE_PAGES, "a new memfd");
	madvise(base, bytes, MADV_PAGEOUT);
	hole = rng_below(&scratch.rng, RANGE_PAGES);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)(hole * PAGE_BYTES), (off_t)PAGE_BYTES))
		die_environment("fallocate: %s", strerror(errno));
	for (i = 0; i < RANGE_PAGES; i++)
		if (i != hole)
			check_page(&scratch, i, "memfd");
	renew_zero_page(&scratch, hole);
	scratch_unmap();
	close(fd);
	return done;
}

/* A mapping grows, in place or by a move, and shrinks. */
bool act_grow(struct worker *worker, int argument)
{
	size_t half = RANGE_PAGES / 2, bytes = RANGE_PAGES * PAGE_BYTES, i;
	bool moves = rng_one_in(&worker->rng, 2);
	uint32_t sequence[RANGE_PAGES];
	struct worker scratch;
	unsigned char *base, *to;

	(void)argument;
	base = scratch_map(half, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	to = moves ? base + bytes : base;
	scratch_init(&scratch, sequence, base, RANGE_PAGES);
	for (i = 0; i < half; i++)
		rewrite_page(&scratch, i);
	madvise(base, bytes / 2, MADV_PAGEOUT);
	/* There has to be room. Nobody else maps anything there: see scratch_map(). */
	munmap(moves ? to : base + bytes / 2, moves ? bytes : bytes / 2);
	if (mremap(base, bytes / 2, bytes, moves ? MREMAP_MAYMOVE | MREMAP_FIXED : 0, to) != to)
		die_environment("mremap: %s", strerror(errno));
	scratch.base = to;
	warm_range(&scratch, 0, half, "a mapping that grew");
	for (i = half; i < RANGE_PAGES; i++)
		renew_zero_page(&scratch, i);
	madvise(to, bytes, MADV_PAGEOUT);
	if (mremap(to, bytes, bytes / 2, 0) != to)
		die_environment("mremap: %s", strerror(errno));
	check_range(&scratch, 0, half, "a mapping that shrank");
	scratch_unmap();
	return true;
}

bool act_gup(struct worker *worker, int way)
{
	return gup_act(worker, (enum gup_way)way);
}

const char *cannot_direct(void)
{
	int fd = open(runs[SORT_FILE].file_dir, O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);

	if (fd < 0)
		return "the file system has no O_DIRECT";
	close(fd);
	return NULL;
}

const char *cannot_uring(void)
{
	struct uring uring;

	if (!uring_open(&uring))
		return "this kernel has no io_uring";
	uring_close(&uring);
	return NULL;
}
