// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kinds of userfaultfd, and chases: pages are moved while the shadow stores to the place where
 * they were. Nobody stores to their new place, so nothing may change there.
 */
#include "torture.h"
#include "uffd.h"

#define WATCH_MS	3

static const char *uffd_missing(uint64_t features, const char *reason)
{
	int fd = uffd_open(features);

	if (fd < 0)
		return reason;
	close(fd);
	return NULL;
}

/* An access that would have to wait for an answer fails instead: there is no other thread. */
#define WP_FEATURES	(UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_SIGBUS)
#define MOVE_FEATURES	((uint64_t)UFFD_FEATURE_MOVE | UFFD_FEATURE_SIGBUS)

const char *cannot_uffd_wp(void)
{
	return uffd_missing(WP_FEATURES, "no write protection by userfaultfd here");
}

const char *cannot_uffd_move(void)
{
	return uffd_missing(MOVE_FEATURES, "this kernel has no UFFDIO_MOVE");
}

static bool uffd_register(int fd, void *address, size_t length, uint64_t mode)
{
	static const int usual[] = { ENOMEM, EINTR, 0 };
	struct uffdio_register range = {
		.range = { (uintptr_t)address, length * PAGE_BYTES }, .mode = mode,
	};

	return !ioctl(fd, UFFDIO_REGISTER, &range) || !refused("UFFDIO_REGISTER", usual);
}

static void uffd_unregister(int fd, void *address, size_t length)
{
	struct uffdio_range range = { (uintptr_t)address, length * PAGE_BYTES };

	if (ioctl(fd, UFFDIO_UNREGISTER, &range))
		die_environment("UFFDIO_UNREGISTER: %s", strerror(errno));
}

/* The kernel's own write, on behalf of this process, must be refused as well. */
static void check_protected(struct worker *worker, size_t page)
{
	uint64_t *address = page_at(worker, page), word = 0;
	uint64_t entry = pagemap_entry(worker->run->pagemap, address);
	struct iovec from = { &word, sizeof(word) }, to = { address, sizeof(word) };
	struct page_fault fault = { 0, PAGEMAP_UFFD_WP, entry };

	/* Neither there nor in swap: it is being migrated, or a huge page is being split. */
	if ((entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) && !(entry & PAGEMAP_UFFD_WP))
		lost("the bit of a write-protected page", address, &fault, 1);
	check_page(worker, page, "write-protected");
	word = address[0];
	if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) == sizeof(word))
		lost("a write to a protected page went unseen", address, &fault, 1);
}

bool act_uffd_wp(struct worker *worker, int argument)
{
	size_t length, first = pick_range(worker, &length), i;
	void *address = page_at(worker, first);
	int *fd = &this_hand->uffd_wp;

	(void)argument;
	if (!*fd)
		*fd = uffd_open(WP_FEATURES);
	warm_range(worker, first, length, "before write protection");
	if (!uffd_register(*fd, address, length, UFFDIO_REGISTER_MODE_WP))
		return false;
	uffd_protect(*fd, address, length, true);
	madvise(address, length * PAGE_BYTES, MADV_PAGEOUT);
	for (i = first; i < first + length; i++)
		check_protected(worker, i);
	uffd_protect(*fd, address, length, false);
	warm_range(worker, first, length, "no longer write-protected");
	uffd_unregister(*fd, address, length);
	check_range(worker, first, length, "after write protection");
	return true;
}

static void map_at(void *address, size_t length, int access)
{
	if (mmap(address, length * PAGE_BYTES, access,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != address)
		die_environment("mmap at a place: %s", strerror(errno));
}

/*
 * Moves one page. Others may hold or lock it for a moment, or share it after a fork. The page
 * tables have the last word: Linux 6.18 was seen to answer EBUSY when it had moved the page,
 * and then EEXIST.
 */
static bool uffd_move(int fd, void *to, void *from)
{
	static const int usual[] = { EAGAIN, EBUSY, EEXIST, ENOENT, ENOMEM, EINTR, 0 };
	struct uffdio_move move = {
		.dst = (uintptr_t)to, .src = (uintptr_t)from, .len = PAGE_BYTES,
	};
	unsigned int tries;

	for (tries = 0; tries < 8; tries++) {
		move.move = 0;
		if (!ioctl(fd, UFFDIO_MOVE, &move))
			return true;
		if (errno != EAGAIN && errno != EBUSY)
			break;
	}
	refused("UFFDIO_MOVE", usual);
	return pagemap_entry(runs[0].pagemap, to) & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
}

/* The shadow still stores to the old place. */
static void watch(struct worker *worker, size_t first, size_t length, const bool *moved,
		  const unsigned char *place)
{
	uint64_t before[RANGE_PAGES];
	size_t i;

	for (i = 0; i < length; i++)
		if (moved[i])
			before[i] = ((const uint64_t *)(place + i * PAGE_BYTES))[LIVE_WORD];
	sleep_ms(WATCH_MS);
	for (i = 0; i < length; i++) {
		const uint64_t *words = (const uint64_t *)(place + i * PAGE_BYTES);
		struct page_fault fault;

		if (!moved[i])
			continue;
		fault = (struct page_fault) {
			LIVE_WORD, before[i], __atomic_load_n(&words[LIVE_WORD], __ATOMIC_RELAXED),
		};
		if (fault.found != fault.expected)
			lost("a store came after the move", words, &fault, sizeof(uint64_t));
		worker->live[first + i] = fault.found;
	}
}

/* What pages hold that were chased but not moved. */
static void accept_live(struct worker *worker, size_t first, size_t length, const bool *moved)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!moved[i])
			worker->live[first + i] =
				((uint64_t *)page_at(worker, first + i))[LIVE_WORD];
}

/* Content that could not be moved back is copied. */
static void bring_back(int fd, struct worker *worker, size_t first, size_t length,
		       const bool *moved)
{
	size_t i;

	for (i = 0; i < length; i++) {
		unsigned char *place = worker->spare + i * PAGE_BYTES;
		void *home = page_at(worker, first + i);
		struct uffdio_copy copy = {
			.dst = (uintptr_t)home, .src = (uintptr_t)this_hand->buffer,
			.len = PAGE_BYTES,
		};

		if (!moved[i] || uffd_move(fd, home, place))
			continue;
		memcpy(this_hand->buffer, place, PAGE_BYTES);
		while (ioctl(fd, UFFDIO_COPY, &copy)) {
			if (errno != EAGAIN)
				die_environment("UFFDIO_COPY: %s", strerror(errno));
			copy.copy = 0;
		}
	}
}

/* Moves pages to the spare place, checks and changes them there, and moves them back. */
bool act_uffd_move(struct worker *worker, int chase)
{
	size_t length, first = pick_range(worker, &length), done = 0, i;
	unsigned char *place = worker->spare;
	bool moved[RANGE_PAGES];
	int *fd = &this_hand->uffd_move;

	if (!*fd)
		*fd = uffd_open(MOVE_FEATURES);
	warm_range(worker, first, length, "before UFFDIO_MOVE");
	map_at(place, length, PROT_READ | PROT_WRITE);
	if (!uffd_register(*fd, place, length, UFFDIO_REGISTER_MODE_MISSING)) {
		map_at(place, length, PROT_NONE);
		return false;
	}
	if (chase)
		shadow_start(worker, first, length, true);
	if (rng_one_in(&worker->rng, 2))
		madvise(page_at(worker, first), length * PAGE_BYTES, MADV_PAGEOUT);
	for (i = 0; i < length; i++) {
		moved[i] = uffd_move(*fd, place + i * PAGE_BYTES, page_at(worker, first + i));
		done += moved[i];
	}
	if (chase)
		watch(worker, first, length, moved, place);
	shadow_stop();
	for (i = 0; i < length; i++) {
		struct page_content content;

		if (!moved[i])
			continue;
		check_copy(worker, first + i, place + i * PAGE_BYTES, "moved by UFFDIO_MOVE");
		content = next_content(worker, first + i);
		content_write(place + i * PAGE_BYTES, &content);
		/* What the shadow made at the old place is nobody's. */
		madvise(page_at(worker, first + i), PAGE_BYTES, MADV_DONTNEED);
	}
	if (chase)
		accept_live(worker, first, length, moved);
	uffd_unregister(*fd, place, length);
	if (done) {
		while (!uffd_register(*fd, page_at(worker, first), length,
				      UFFDIO_REGISTER_MODE_MISSING))
			sleep_ms(1);
		bring_back(*fd, worker, first, length, moved);
		uffd_unregister(*fd, page_at(worker, first), length);
	}
	map_at(place, length, PROT_NONE);
	check_range(worker, first, length, "moved back by UFFDIO_MOVE");
	return done > 0;
}

/* The same by mremap(). The old place stays mapped, so the shadow goes on there. */
bool act_chase(struct worker *worker, int argument)
{
	size_t length, first = pick_range(worker, &length), i;
	void *home = page_at(worker, first);
	bool moved[RANGE_PAGES];

	(void)argument;
	warm_range(worker, first, length, "before a chase");
	shadow_start(worker, first, length, true);
	if (rng_one_in(&worker->rng, 2))
		madvise(home, length * PAGE_BYTES, MADV_PAGEOUT);
	/* EFAULT: earlier operations left more than one mapping. */
	moved[0] = mremap(home, length * PAGE_BYTES, length * PAGE_BYTES,
			  MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, worker->spare) ==
		   worker->spare;
	memset(moved, moved[0], sizeof(moved));
	if (!moved[0] && errno != EFAULT)
		die_environment("mremap: %s", strerror(errno));
	watch(worker, first, length, moved, worker->spare);
	shadow_stop();
	accept_live(worker, first, length, moved);
	if (!moved[0]) {
		check_range(worker, first, length, "a chase that failed");
		return false;
	}
	for (i = 0; i < length; i++)
		check_copy(worker, first + i, worker->spare + i * PAGE_BYTES,
			   "moved in a chase");
	if (mremap(worker->spare, length * PAGE_BYTES, length * PAGE_BYTES,
		   MREMAP_MAYMOVE | MREMAP_FIXED, home) != home)
		die_environment("mremap: %s", strerror(errno));
	map_at(worker->spare, length, PROT_NONE);
	check_range(worker, first, length, "moved back after a chase");
	return true;
}
