// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modes about the bits of a page table entry, and about huge pages. The userfaultfd
 * write-protect bit and the soft-dirty bit have to survive in a swap entry. A huge page may
 * be split while it waits.
 */
#include "modes.h"
#include "uffd.h"

#include <poll.h>

#define HUGE_PAGES	(HUGE_BYTES / PAGE_BYTES)

/* -- userfaultfd write protection -- */

struct protection {
	int fd;
	uint8_t *protected[MAX_CPUS];	/* per page: no write was seen yet */
};

static struct protection protection;

static bool still_protected(unsigned int worker, size_t page)
{
	return __atomic_load_n(&protection.protected[worker][page],
			       __ATOMIC_ACQUIRE);
}

static void set_protected(unsigned int worker, size_t page, bool on)
{
	__atomic_store_n(&protection.protected[worker][page], on,
			 __ATOMIC_RELEASE);
}

/* Gets each first write to a protected page, notes it, and lets it go on. */
void *uffdwp_helper(void *argument)
{
	struct run *run = argument;
	struct pollfd wait = { .fd = protection.fd, .events = POLLIN };
	unsigned int i;

	while (!workers_finished(run)) {
		struct uffd_msg message;
		unsigned char *address;

		if (poll(&wait, 1, 50) <= 0 ||
		    read(protection.fd, &message, sizeof(message)) !=
		    sizeof(message) || message.event != UFFD_EVENT_PAGEFAULT)
			continue;
		address = (unsigned char *)(uintptr_t)
			(message.arg.pagefault.address & ~(PAGE_BYTES - 1));
		for (i = 0; i < run->nr_workers; i++) {
			struct worker *worker = &run->workers[i];
			size_t page = (size_t)(address - worker->base) /
				      PAGE_BYTES;

			if (address < worker->base || page >= worker->pages)
				continue;
			set_protected(i, page, false);
		}
		uffd_protect(protection.fd, address, 1, false);
	}
	return NULL;
}

const char *uffdwp_prepare(struct run *run)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP,
	};
	unsigned int i;

	protection.fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (protection.fd < 0)
		return errno == EPERM ? "userfaultfd_is_not_permitted" :
					"no_userfaultfd";
	if (run->shared)
		api.features |= UFFD_FEATURE_WP_HUGETLBFS_SHMEM;
	if (ioctl(protection.fd, UFFDIO_API, &api)) {
		close(protection.fd);
		return "no_write_protection_by_userfaultfd";
	}
	for (i = 0; i < run->nr_workers; i++) {
		struct worker *worker = &run->workers[i];
		struct uffdio_register range = {
			.range.start = (uintptr_t)worker->base,
			.range.len = worker->pages * PAGE_BYTES,
			.mode = UFFDIO_REGISTER_MODE_WP,
		};

		if (ioctl(protection.fd, UFFDIO_REGISTER, &range)) {
			close(protection.fd);
			return "memory_can't_be_registered";
		}
		protection.protected[i] = map_locked(worker->pages);
	}
	return NULL;
}

const char *uffdwp_finish(struct run *run)
{
	unsigned int i;

	close(protection.fd);
	for (i = 0; i < run->nr_workers; i++)
		munmap(protection.protected[i], run->workers[i].pages);
	return NULL;
}

static void lost_bit(struct worker *worker, size_t page, const char *what,
		     uint64_t entry)
{
	count_error(worker->run);
	say(STDERR_FILENO,
	    "wrong bit: mode=%s at=%s worker=%u page=%zu address=%p pagemap=%016" PRIx64 "\n",
	    worker->run->mode->name, what, worker->index, page,
	    page_at(worker, page), entry);
}

/* A page to which nobody wrote must have its bit, in memory and in swap. */
static void check_protected(struct worker *worker, size_t page)
{
	uint64_t entry = pagemap_entry(worker->run->pagemap,
				       page_at(worker, page));

	if (still_protected(worker->index, page) && !(entry & PAGEMAP_UFFD_WP))
		lost_bit(worker, page, "write protection lost", entry);
}

void uffdwp_step(struct worker *worker)
{
	size_t first, length, i;

	first = pick_range(worker, &length);
	warm_range(worker, first, length, "before write protection");
	for (i = first; i < first + length; i++)
		set_protected(worker->index, i, true);
	uffd_protect(protection.fd, page_at(worker, first), length, true);

	/* Leave time for reclaim, and for writes that are seen in the ordinary way. */
	for (i = 0; i < OPS_PER_STEP; i++)
		one_rewrite(worker);
	for (i = first; i < first + length; i++) {
		check_protected(worker, i);
		check_page(worker, i, "write-protected");	/* faults it in */
		check_protected(worker, i);
		rewrite_page(worker, i);
		if (still_protected(worker->index, i))
			lost_bit(worker, i, "a write went unseen", 0);
		set_protected(worker->index, i, false);
	}
	/* A page that was written unseen must not stay protected for the next step. */
	uffd_protect(protection.fd, page_at(worker, first), length, false);
}

/* -- soft-dirty bits -- */

#define DIRTY_PAGES	256	/* written between two rounds, per worker */

static bool softdirty_over;

const char *softdirty_prepare(struct run *run)
{
	volatile unsigned char *page = run->workers[0].base;

	softdirty_over = false;
	if (run->shared)
		return "unmapped_shmem_keeps_no_soft-dirty_bits";
	page[0] = 1;
	clear_soft_dirty();
	if (pagemap_entry(run->pagemap, run->workers[0].base) &
	    PAGEMAP_SOFT_DIRTY)
		return "no_soft-dirty_bits_in_this_kernel";
	page[0] = 0;
	if (!(pagemap_entry(run->pagemap, run->workers[0].base) &
	      PAGEMAP_SOFT_DIRTY))
		return "no_soft-dirty_bits_in_this_kernel";
	return NULL;
}

/*
 * All workers go through the rounds in step, because clearing concerns the whole process. A
 * round clears the bits, writes some pages, lets reclaim take them, and looks. Every page
 * written since must be soft-dirty. Others may be soft-dirty, too: that only costs time.
 */
void softdirty_loop(struct worker *worker)
{
	struct run *run = worker->run;
	size_t written[DIRTY_PAGES], i;

	for (;;) {
		pthread_barrier_wait(&run->barrier);
		if (worker->index == 0) {
			softdirty_over = run_over(run);
			if (!softdirty_over)
				clear_soft_dirty();
		}
		pthread_barrier_wait(&run->barrier);
		if (softdirty_over)
			return;

		for (i = 0; i < DIRTY_PAGES; i++) {
			written[i] = rng_below(&worker->rng, worker->pages);
			rewrite_page(worker, written[i]);
			check_page(worker,
				   rng_below(&worker->rng, worker->pages),
				   "soft-dirty");
		}
		for (i = 0; i < DIRTY_PAGES; i++) {
			void *address = page_at(worker, written[i]);
			uint64_t entry = pagemap_entry(run->pagemap, address);

			if (!(entry & PAGEMAP_SOFT_DIRTY))
				lost_bit(worker, written[i],
					 "soft-dirty bit lost", entry);
		}
		worker->actions++;
	}
}

/* -- huge pages -- */

static uint64_t huge_pages_before;

static uint64_t huge_pages_used(void)
{
	return vmstat("thp_fault_alloc") + vmstat("thp_collapse_alloc") +
	       vmstat("thp_file_alloc");
}

const char *thp_prepare(struct run *run)
{
	(void)run;
	huge_pages_before = huge_pages_used();
	return NULL;
}

const char *thp_finish(struct run *run)
{
	(void)run;
	return huge_pages_used() == huge_pages_before ?
		"no_huge_page_was_used" : NULL;
}

/*
 * Discards a few pages of a huge page (which is split later), or discards all of it and
 * fills it anew.
 */
void thp_step(struct worker *worker)
{
	size_t first, length, i;

	first = pick_range(worker, &length);
	if (worker->pages >= HUGE_PAGES && rng_one_in(&worker->rng, 16)) {
		first -= first % HUGE_PAGES;
		length = HUGE_PAGES;
		if (first + length > worker->pages)
			first -= HUGE_PAGES;
	}
	if (madvise(page_at(worker, first), length * PAGE_BYTES,
		    MADV_DONTNEED))
		die_environment("MADV_DONTNEED: %s", strerror(errno));
	for (i = first; !worker->run->shared && i < first + length; i++)
		renew_zero_page(worker, i);
	check_range(worker, first, length, "huge page");
}
