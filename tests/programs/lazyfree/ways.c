// SPDX-License-Identifier: GPL-2.0-only
/* What can happen to a huge page between MADV_FREE and reclaim. */
#include "lazyfree.h"
#include "swap.h"
#include "uffd.h"
#include "uring.h"

#include <linux/kernel-page-flags.h>

#define LATE_US		8000
/* Seconds that somebody else of the kernel's may take. */
#define HINTS_S		2
#define MERGE_S		10
/* Tries until a page is huge again. */
#define COLLAPSE_TRIES	20

/* One page of the huge page, written again whether it was to be touched or not. */
static unsigned int any_page(struct huge *huge)
{
	return rng_below(huge->rng, HUGE_PAGES);
}

/* --- nothing else happens ----------------------------------------------------------------- */

static void rewrite(struct huge *huge)
{
	write_again(huge);
	huge->effect = huge->touched;
}

/*
 * Reclaim looks at the page within a millisecond, and decides a moment later. Whoever writes at
 * once comes before all that.
 */
static void rewrite_late(struct huge *huge)
{
	if (huge->touched)
		usleep(rng_below(huge->rng, LATE_US));
	rewrite(huge);
}

/* --- others have it, too ------------------------------------------------------------------ */

static void wait_for(pid_t child, struct huge *huge)
{
	int status = wait_child(child);

	/* The child says by its exit code whether it lost something. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == STRESS_DATA_ERROR)
		count_lost();
	huge->effect = WIFEXITED(status);
}

static void fork_and_write(struct huge *huge)
{
	pid_t child = fork_child();

	if (!child) {
		be_reclaimed();
		_exit(STRESS_OK);
	}
	write_again(huge);
	wait_for(child, huge);
}

/* Both have what was written before. */
static void write_and_fork(struct huge *huge)
{
	pid_t child;

	write_again(huge);
	child = fork_child();
	if (!child) {
		be_reclaimed();
		_exit(verify(huge) ? STRESS_OK : STRESS_DATA_ERROR);
	}
	wait_for(child, huge);
}

/* What the child writes is the child's. It looks after some time whether it is there. */
static void child_writes(struct huge *huge)
{
	volatile uint64_t *word = (volatile uint64_t *)(huge->base + any_page(huge) * PAGE_BYTES);
	pid_t child = fork_child();

	if (!child) {
		*word = 1;
		be_reclaimed();
		_exit(*word == 1 ? STRESS_OK : STRESS_DATA_ERROR);
	}
	wait_for(child, huge);
	write_again(huge);
}

static void child_exits(struct huge *huge)
{
	pid_t child = fork_child();

	if (!child)
		_exit(STRESS_OK);
	write_again(huge);
	wait_for(child, huge);
}

/* --- its protection changes --------------------------------------------------------------- */

static void protect(struct huge *huge, int protection)
{
	if (mprotect(huge->base, HUGE_BYTES, protection))
		fail("mprotect");
}

/* One that isn't touched is so when it is given up: later it could be gone already. */
static bool be_read_only(struct huge *huge)
{
	if (!huge->touched)
		protect(huge, PROT_READ);
	return true;
}

static bool be_inaccessible(struct huge *huge)
{
	if (!huge->touched)
		protect(huge, PROT_NONE);
	return true;
}

static void read_only(struct huge *huge)
{
	write_again(huge);
	protect(huge, PROT_READ);
	be_paged_out();
	protect(huge, PROT_READ | PROT_WRITE);
	huge->effect = true;
}

static void no_access(struct huge *huge)
{
	write_again(huge);
	protect(huge, PROT_NONE);
	be_paged_out();
	protect(huge, PROT_READ | PROT_WRITE);
	huge->effect = true;
}

static void lock(struct huge *huge)
{
	write_again(huge);
	if (mlock(huge->base, HUGE_BYTES))
		fail("mlock");
	be_paged_out();
	huge->effect = pagemap_count(huge->pagemap, huge->base, HUGE_PAGES, PAGEMAP_PRESENT) ==
		       HUGE_PAGES;
	munlock(huge->base, HUGE_BYTES);
}

/*
 * The page is protected for a NUMA hint when it is given up. The kernel does that while a task
 * runs, not while it sleeps. If this is the only huge page of the program, it is this one.
 */
static bool be_hinted(struct huge *huge)
{
	uint64_t before = vmstat("numa_huge_pte_updates"), start = now_ns();

	while (!huge->effect && seconds_since(start) < HINTS_S && !is_over())
		huge->effect = vmstat("numa_huge_pte_updates") != before;
	return true;
}

/* Nobody looks at it before reclaim does: that would end the protection. */
static void stay_hinted(struct huge *huge)
{
	write_again(huge);
	if (!huge->touched)
		be_paged_out();
}

/* --- somebody holds a page of it ---------------------------------------------------------- */

static void splice_page(struct huge *huge)
{
	struct iovec part = { huge->base + any_page(huge) * PAGE_BYTES, PAGE_BYTES };

	if (vmsplice(huge->ends[1], &part, 1, 0) < 0)
		fail("vmsplice");
	huge->effect = true;
}

/* A page of one that isn't touched is held when it is given up: later it could be gone already. */
static bool open_pipe(struct huge *huge)
{
	if (pipe(huge->ends))
		fail("pipe");
	if (!huge->touched)
		splice_page(huge);
	return true;
}

static void be_spliced(struct huge *huge)
{
	if (huge->touched)
		splice_page(huge);
	write_again(huge);
	be_paged_out();
}

static void close_pipe(struct huge *huge)
{
	close(huge->ends[0]);
	close(huge->ends[1]);
}

static bool has_file(struct huge *huge)
{
	return huge->file >= 0;
}

/* The device writes to the page, not a CPU. What write_page_again() has stored is read back. */
static void device_writes(struct huge *huge)
{
	unsigned int page = any_page(huge);
	char *at = huge->base + page * PAGE_BYTES;

	if (!huge->touched)
		return;
	write_page_again(huge, page);
	memcpy(huge->buffer, at, PAGE_BYTES);
	if (pwrite(huge->file, huge->buffer, PAGE_BYTES, 0) != PAGE_BYTES)
		fail("O_DIRECT");
	/* Given up once more: only the device's write is newer. */
	madvise(huge->base, HUGE_BYTES, MADV_FREE);
	if (pread(huge->file, at, PAGE_BYTES, 0) != PAGE_BYTES)
		fail("O_DIRECT");
	huge->effect = true;
}

static __thread struct uring ring;
/* Whoever leaves a hole in the address space fills it again before others map anything. */
static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;

static bool open_ring(void)
{
	bool good;

	pthread_mutex_lock(&mapping);
	good = uring_open(&ring);
	pthread_mutex_unlock(&mapping);
	return good;
}

static bool pin(struct huge *huge)
{
	if (!has_file(huge) || !open_ring())
		return false;
	if (uring_pin(&ring, huge->base, PAGE_BYTES))
		return true;
	uring_close(&ring);
	return false;
}

static void device_writes_pinned(struct huge *huge)
{
	if (!huge->touched)
		return;
	write_page_again(huge, 0);
	memcpy(huge->buffer, huge->base, PAGE_BYTES);
	if (pwrite(huge->file, huge->buffer, PAGE_BYTES, 0) != PAGE_BYTES)
		fail("O_DIRECT");
	madvise(huge->base, HUGE_BYTES, MADV_FREE);
	if (uring_transfer(&ring, IORING_OP_READ_FIXED, huge->file, huge->base, PAGE_BYTES, 0) !=
	    (int)PAGE_BYTES)
		fail("IORING_OP_READ_FIXED");
	huge->effect = true;
}

static void fixed(struct huge *huge)
{
	device_writes_pinned(huge);
	be_paged_out();
}

/*
 * The pin ends before reclaim comes: the kernel doesn't mark what it wrote. Reclaim gets the time
 * that it needs, so that what is lost doesn't depend on how fast it is.
 */
static void fixed_and_let_go(struct huge *huge)
{
	be_left_alone(huge);
	device_writes_pinned(huge);
	uring_unpin(&ring);
	be_given_up(huge);
	be_gone(huge, 10);
}

static void close_ring(struct huge *huge)
{
	(void)huge;
	uring_close(&ring);
}

/* --- userfaultfd -------------------------------------------------------------------------- */

static bool watch(struct huge *huge, char *place, uint64_t features, uint64_t mode)
{
	struct uffdio_register range = {
		.range = { (uintptr_t)place, HUGE_BYTES }, .mode = mode,
	};

	huge->uffd = uffd_open(features);
	if (huge->uffd < 0)
		return false;
	if (ioctl(huge->uffd, UFFDIO_REGISTER, &range))
		fail("UFFDIO_REGISTER");
	return true;
}

static void unwatch(struct huge *huge)
{
	close(huge->uffd);
	huge->uffd = -1;
	madvise(huge->spare, HUGE_BYTES, MADV_DONTNEED);
}

static bool watch_writes(struct huge *huge)
{
	return watch(huge, huge->home, UFFD_FEATURE_PAGEFAULT_FLAG_WP, UFFDIO_REGISTER_MODE_WP);
}

static void write_protect(struct huge *huge)
{
	write_again(huge);
	uffd_protect(huge->uffd, huge->base, HUGE_PAGES, true);
	huge->effect = pagemap_count(huge->pagemap, huge->base, HUGE_PAGES, PAGEMAP_UFFD_WP) > 0;
	be_paged_out();
	uffd_protect(huge->uffd, huge->base, HUGE_PAGES, false);
	write_again(huge);
}

static bool watch_moves(struct huge *huge)
{
	madvise(huge->spare, HUGE_BYTES, MADV_DONTNEED);
	return watch(huge, huge->spare, UFFD_FEATURE_MOVE, UFFDIO_REGISTER_MODE_MISSING);
}

static void be_at(struct huge *huge, char *base)
{
	__atomic_store_n(&huge->base, base, __ATOMIC_RELEASE);
}

/* Move what is left. Returns whether all of it has been moved. */
static bool move_on(const struct huge *huge, struct uffdio_move *move)
{
	unsigned int tries = 1000;

	while (move->len && tries--) {
		move->move = 0;
		if (ioctl(huge->uffd, UFFDIO_MOVE, move) && errno != EAGAIN && errno != EBUSY &&
		    errno != EEXIST)
			fail("UFFDIO_MOVE");
		if (move->move > 0) {
			move->src += move->move;
			move->dst += move->move;
			move->len -= move->move;
		}
	}
	return !move->len;
}

/*
 * A hole at the source is passed over. Whoever reads what is missing at the destination would wait
 * for ever. So nobody reads it before the userfaultfd is closed.
 */
static void uffd_move(struct huge *huge)
{
	struct uffdio_move move = {
		.dst = (uintptr_t)huge->spare, .src = (uintptr_t)huge->base, .len = HUGE_BYTES,
		.mode = 2 /* UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES */,
	};

	write_again(huge);
	huge->effect = move_on(huge, &move);
	if (!huge->effect) {
		/* Reclaim has some of it. */
		be_left_alone(huge);
		huge->effect = move_on(huge, &move);
		be_given_up(huge);
	}
	close(huge->uffd);
	huge->uffd = -1;
	if (huge->effect) {
		be_at(huge, huge->spare);
		write_again(huge);
		return;
	}
	/* Some of it was moved, and some is there: put back what was. */
	memcpy(huge->home, huge->spare, HUGE_BYTES - move.len);
}

/* --- it moves, or becomes something else -------------------------------------------------- */

static void *map_at(void *address)
{
	return mmap(address, HUGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void move(struct huge *huge)
{
	pthread_mutex_lock(&mapping);
	/* Over the spare place, which is lost. */
	if (mremap(huge->base, HUGE_BYTES, HUGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		   huge->spare) == MAP_FAILED || map_at(huge->home) == MAP_FAILED)
		fail("mremap");
	pthread_mutex_unlock(&mapping);
	be_at(huge, huge->spare);
	write_again(huge);
	huge->effect = true;
}

static void come_home(struct huge *huge)
{
	if (map_at(huge->home) == MAP_FAILED || map_at(huge->spare) == MAP_FAILED)
		fail("mmap");
	be_at(huge, huge->home);
}

static bool ksm_runs(void)
{
	int fd = open("/sys/kernel/mm/ksm/run", O_RDONLY | O_CLOEXEC);
	char run = 0;

	if (fd < 0)
		return false;
	if (read(fd, &run, 1) != 1)
		run = 0;
	close(fd);
	return run == '1';
}

static bool is_merged(const struct huge *huge, unsigned int page, int flags_of_frames)
{
	uint64_t entry = pagemap_entry(huge->pagemap, huge->base + page * PAGE_BYTES), flags;

	off_t at = (off_t)((entry & PAGEMAP_FRAME) * sizeof(flags));

	if (!(entry & PAGEMAP_PRESENT) ||
	    pread(flags_of_frames, &flags, sizeof(flags), at) != sizeof(flags))
		return false;
	return flags & 1ULL << KPF_KSM;
}

static bool wait_until_merged(const struct huge *huge, unsigned int page)
{
	int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	uint64_t start = now_ns();
	bool merged = false;

	while (fd >= 0 && !merged && ksm_runs() && seconds_since(start) < MERGE_S && !is_over()) {
		sleep_ms(5);
		merged = is_merged(huge, page, fd);
	}
	close(fd);
	return merged;
}

/*
 * KSM looks at a page some times before it merges it with an equal one. So these two stay until it
 * has, and are reclaimed then.
 */
static void merge(struct huge *huge)
{
	unsigned int page = any_page(huge) / 2 * 2;

	if (huge->touched)
		be_left_alone(huge);
	madvise(huge->base, HUGE_BYTES, MADV_MERGEABLE);
	write_again(huge);
	if (huge->touched) {
		write_page_like(huge, page, page + 1);
		huge->effect = wait_until_merged(huge, page);
		be_given_up(huge);
	}
	be_paged_out();
	madvise(huge->base, HUGE_BYTES, MADV_UNMERGEABLE);
}

static bool is_collapsed(struct huge *huge)
{
	unsigned int tries = COLLAPSE_TRIES;

	while (tries--)
		if (!madvise(huge->base, HUGE_BYTES, MADV_COLLAPSE))
			return true;
	return false;
}

/*
 * The mapping is split, and made whole again, beside reclaim. If that holds too many of its pages,
 * it is made whole without reclaim. One that nobody touched may be gone. 6.1 makes no huge page of
 * pages none of which may be written, as when all are swapped.
 */
static void collapse(struct huge *huge)
{
	write_again(huge);
	mprotect(huge->base, PAGE_BYTES, PROT_READ);
	mprotect(huge->base, PAGE_BYTES, PROT_READ | PROT_WRITE);
	huge->effect = is_collapsed(huge);
	if (huge->touched && !huge->effect) {
		be_left_alone(huge);
		write_again(huge);
		huge->effect = is_collapsed(huge);
		be_given_up(huge);
	}
	write_again(huge);
}

/* Of a part that is given up once more, nothing is known. */
static void free_part(struct huge *huge)
{
	unsigned int page, pages = 1 + any_page(huge) / 2;

	write_again(huge);
	huge->effect = !madvise(huge->base + pages * PAGE_BYTES, HUGE_BYTES - pages * PAGE_BYTES,
				MADV_FREE);
	for (page = pages; page < HUGE_PAGES; page++)
		if (huge->fresh[page])
			write_page_again(huge, page);
}

/* Nothing may be left of what was there. */
static void dont_need(struct huge *huge)
{
	write_again(huge);
	if (madvise(huge->base, HUGE_BYTES, MADV_DONTNEED))
		fail("MADV_DONTNEED");
	memset(huge->fresh, 0, sizeof(huge->fresh));
	huge->version = 0;
	huge->effect = true;
}

static void map_anew(struct huge *huge)
{
	write_again(huge);
	/* This unmaps what is there. */
	if (map_at(huge->base) == MAP_FAILED)
		fail("mmap");
	memset(huge->fresh, 0, sizeof(huge->fresh));
	huge->version = 0;
	huge->effect = true;
}

#define WAY(name_, act_, ...)	{ .name = (name_), .act = (act_), __VA_ARGS__ }

const struct way ways[] = {
	WAY("plain", rewrite, .lasts = true),
	WAY("late", rewrite_late, .lasts = true),
	WAY("fork-parent", fork_and_write),
	WAY("fork-both", write_and_fork),
	WAY("fork-child", child_writes),
	WAY("fork-exit", child_exits),
	WAY("read-only", read_only, .prepare = be_read_only),
	WAY("no-access", no_access, .prepare = be_inaccessible),
	WAY("hints", stay_hinted, .prepare = be_hinted, .by_cgroup = true),
	WAY("mlock", lock),
	WAY("vmsplice", be_spliced, .prepare = open_pipe, .finish = close_pipe),
	WAY("direct", device_writes, .prepare = has_file),
	WAY("fixed", fixed, .prepare = pin, .finish = close_ring),
	WAY("fixed-let-go", fixed_and_let_go, .prepare = pin, .finish = close_ring,
	    .is_short = true),
	WAY("uffd-wp", write_protect, .prepare = watch_writes, .finish = unwatch),
	WAY("uffd-move", uffd_move, .prepare = watch_moves, .finish = come_home),
	WAY("mremap", move, .finish = come_home, .lasts = true),
	WAY("ksm", merge),
	WAY("collapse", collapse),
	WAY("part", free_part),
	WAY("dontneed", dont_need),
	WAY("munmap", map_anew), /* the 22nd */
};

const unsigned int nr_ways = ARRAY_SIZE(ways);
