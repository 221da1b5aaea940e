// SPDX-License-Identifier: GPL-2.0-only
/*
 * detector - find stores that were lost through a stale TLB entry
 *
 * Suppose that a page is written to swap and freed while a CPU still holds a writable TLB
 * entry for it. Then that CPU's stores go to memory that nobody will read again. Writers to
 * random pages of a large set don't notice this, since they come back to a page long after
 * the window has closed. So this test keeps the window open:
 *
 *  - writers, pinned to all CPUs but the first, store a growing number into
 *    each of a few pages without a pause, and publish each number in locked
 *    memory after its store (release);
 *  - a controller on the first CPU pages the same pages out in a loop, then
 *    reads what was published (acquire) and after that the page. The page may
 *    be ahead of the published number, never behind it.
 *
 * Each page has one writer, so its numbers only grow. A writer stores by an atomic
 * exchange, and so gets back what the page held. That has to be its own last store. The
 * exchange is a write to the page like any other (through the same stale entry, if there is
 * one). It can't miss a loss that the controller comes too late to see. --plain uses simple
 * stores, as a program would.
 *
 * A report can't be false: nothing else writes to the pages, the process never forks (no
 * copy on write), and a writer's exchange needs a dirty entry, which reclaim must flush
 * before the page goes anywhere. Only the controller's *read* may rightly be behind: when
 * another task reclaims a clean page and its flush is still to come. So give the detector a
 * memory cgroup of its own, without a limit.
 *
 * Swap has to be on zram. On a disk the page is found again in the swap cache, with the
 * late store in it, and nothing is lost.
 */
#include "common.h"
#include "rng.h"
#include "swap.h"

#define MAX_PAGES	4096
#define MAX_REPORTS	20

/*
 * What reclaim does with the pages depends on how hot they are. Pages that are stored to
 * again within a microsecond meet every stale entry, but most of them are mapped again
 * before they can be written. Pages that wait until bursts to other pages end are written
 * and freed. A MADV_PAGEOUT of all pages at once fills batches. One of single pages
 * succeeds even on a kernel that flushes for each page (and then finds the other pages just
 * referenced). But it is slow, so it is used only with one writer, whose flushes are quick.
 * The kinds of rounds take turns. What a late flush loses in each depends on the batch size
 * (see tests/guest/detector).
 */
static const struct round {
	bool one_by_one;
	unsigned int burst;	/* stores to a page before the next one */
} rounds[] = {
	{ false, 1 }, { false, 64 }, { false, 1024 }, { false, 16384 },
	{ true, 1 }, { true, 64 }, { true, 1024 },
};

#define ALL_AT_ONCE	4	/* rounds, before the rounds of single pages */
#define MAX_CALLS	8	/* calls of MADV_PAGEOUT in a round */
#define LONGER		45	/* --swap-ins: at most so many times --seconds */

struct watched_page {
	uint64_t published;	/* by the writer, after its store */
	uint64_t writer_found;	/* 1 + what the page held at the writer's last loss */
	uint64_t suspect;	/* 1 + what the controller found, until matched */
	uint64_t suspect_at;	/* controller only: published when it was found */
};

struct detector {
	uint64_t *base;
	struct watched_page *pages;	/* locked memory */
	size_t nr_pages;
	size_t at_once;		/* pages of one MADV_PAGEOUT */
	bool shared;
	bool plain;
	bool visits;		/* the process runs on each CPU for a moment */
	bool over;
	unsigned int nr_writers;
	uint64_t wanted_swap_ins;	/* pages freed and read back: only these can show a loss */
	unsigned int burst;
	pthread_barrier_t start;
	unsigned int reports;
	/* Losses that a writer saw, that the controller saw, and that both saw. */
	uint64_t writer_losses, controller_losses, matched;
};

struct writer {
	pthread_t thread;
	struct detector *detector;
	int cpu;
	size_t first, step;	/* owns the pages first, first + step, ... */
	uint64_t stores;
};

static uint64_t *page_word(const struct detector *detector, size_t page)
{
	/* Word 0 is what a compressing swap device reads first. */
	return detector->base + page * PAGE_WORDS;
}

/* The rest of a page. Half of it compresses, as real memory does. */
static uint64_t filler(size_t page, size_t word)
{
	return word & 1 ? mix64(page * PAGE_WORDS + word) : page;
}

static void report(struct detector *detector, const char *who, size_t page,
		   uint64_t published, uint64_t found)
{
	if (__atomic_fetch_add(&detector->reports, 1, __ATOMIC_RELAXED) <
	    MAX_REPORTS)
		say(STDERR_FILENO,
		    "lost store: seen-by=%s page=%zu address=%p published=%" PRIu64 " found=%" PRIu64 "\n",
		    who, page, (void *)page_word(detector, page), published,
		    found);
}

/*
 * A loss that both sides see counts once. Each side first leaves its trace and then looks
 * for the other's (both seq_cst). So at least one of them finds the other's trace, and the
 * exchange lets only one of them count the loss.
 */
static void match_losses(struct detector *detector, struct watched_page *page,
			 uint64_t found)
{
	uint64_t suspect = found + 1;

	if (__atomic_compare_exchange_n(&page->suspect, &suspect, 0, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		__atomic_fetch_add(&detector->matched, 1, __ATOMIC_RELAXED);
}

static void writer_lost(struct detector *detector, size_t number,
			uint64_t found)
{
	struct watched_page *page = &detector->pages[number];

	__atomic_fetch_add(&detector->writer_losses, 1, __ATOMIC_RELAXED);
	report(detector, "writer", number, page->published, found);
	__atomic_store_n(&page->writer_found, found + 1, __ATOMIC_SEQ_CST);
	match_losses(detector, page, found);
}

static void store_burst(struct writer *writer, size_t i)
{
	struct detector *detector = writer->detector;
	struct watched_page *page = &detector->pages[i];
	uint64_t *word = page_word(detector, i);
	unsigned int burst, left;

	burst = __atomic_load_n(&detector->burst, __ATOMIC_RELAXED);
	for (left = burst; left; left--) {
		uint64_t number = page->published + 1;

		if (detector->plain) {
			__atomic_store_n(word, number, __ATOMIC_RELAXED);
		} else {
			uint64_t found;

			found = __atomic_exchange_n(word, number,
						    __ATOMIC_RELAXED);
			if (found != page->published)
				writer_lost(detector, i, found);
		}
		/* Pairs with the acquire in check_page(). */
		__atomic_store_n(&page->published, number, __ATOMIC_RELEASE);
	}
	writer->stores += burst;
}

static void *store_without_pause(void *argument)
{
	struct writer *writer = argument;
	struct detector *detector = writer->detector;
	size_t i;

	if (!pin_self(writer->cpu))
		die_environment("can't run on CPU %d: %s", writer->cpu,
				strerror(errno));
	pthread_barrier_wait(&detector->start);
	while (!__atomic_load_n(&detector->over, __ATOMIC_RELAXED)) {
		for (i = writer->first; i < detector->nr_pages;
		     i += writer->step)
			store_burst(writer, i);
	}
	return NULL;
}

/*
 * Reads the published number first: the page has to hold at least that number. The page is
 * only read, since a write would hide a loss.
 */
static void check_page(struct detector *detector, size_t number)
{
	struct watched_page *page = &detector->pages[number];
	uint64_t published, found;

	/* Pairs with the release in store_without_pause(). */
	published = __atomic_load_n(&page->published, __ATOMIC_ACQUIRE);
	found = __atomic_load_n(page_word(detector, number), __ATOMIC_RELAXED);
	if (found >= published) {
		page->suspect_at = 0;
		return;
	}
	/* This is the same loss: the writer has not been here since. */
	if (page->suspect_at && found < page->suspect_at)
		return;

	page->suspect_at = published;
	detector->controller_losses++;
	report(detector, "controller", number, published, found);
	__atomic_store_n(&page->suspect, found + 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&page->writer_found, __ATOMIC_SEQ_CST) == found + 1)
		match_losses(detector, page, found);
}

/*
 * Everybody else has stopped. The page must hold the last store, and the rest of it what
 * was there at the start. If a page is behind now, the store was lost after the writer's
 * last turn. With --plain it may be a loss that the controller has found already.
 */
static uint64_t check_at_rest(struct detector *detector)
{
	uint64_t losses = 0;
	size_t i, word;

	for (i = 0; i < detector->nr_pages; i++) {
		struct watched_page *page = &detector->pages[i];
		uint64_t *words = page_word(detector, i);

		if (words[0] != page->published) {
			report(detector, "final", i, page->published, words[0]);
			match_losses(detector, page, words[0]);
			losses++;
		}
		for (word = 1; word < PAGE_WORDS; word++) {
			if (words[word] == filler(i, word))
				continue;
			say(STDERR_FILENO,
			    "changed word: page=%zu address=%p expected=%" PRIx64 " found=%" PRIx64 "\n",
			    i, (void *)&words[word], filler(i, word),
			    words[word]);
			losses++;
			break;
		}
	}
	return losses;
}

static void map_pages(struct detector *detector)
{
	size_t bytes = detector->nr_pages * PAGE_BYTES;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	int fd = -1;
	size_t i, word;

	if (detector->shared) {
		fd = memfd_create("detector", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, (off_t)bytes))
			die_environment("memfd: %s", strerror(errno));
		flags = MAP_SHARED;
	}
	detector->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (detector->base == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	madvise(detector->base, bytes, MADV_NOHUGEPAGE);

	detector->pages = map_locked(detector->nr_pages *
				     sizeof(*detector->pages));
	for (i = 0; i < detector->nr_pages; i++)
		for (word = 1; word < PAGE_WORDS; word++)
			page_word(detector, i)[word] = filler(i, word);
}

static void page_out(const struct detector *detector, size_t first,
		     size_t count)
{
	if (madvise(page_word(detector, first), count * PAGE_BYTES,
		    MADV_PAGEOUT))
		die_environment("MADV_PAGEOUT: %s", strerror(errno));
}

static void one_round(struct detector *detector, uint64_t number)
{
	size_t nr = detector->nr_writers > 1 ? ALL_AT_ONCE : ARRAY_SIZE(rounds);
	const struct round *round = &rounds[number % nr];
	size_t step = round->one_by_one ? 1 : detector->at_once;
	size_t calls = (detector->nr_pages + step - 1) / step, i, page;

	__atomic_store_n(&detector->burst, round->burst, __ATOMIC_RELAXED);
	if (calls > MAX_CALLS)
		calls = MAX_CALLS;
	for (i = 0; i < calls; i++) {
		page = (number / nr * calls + i) * step % detector->nr_pages;
		if (page + step > detector->nr_pages)
			page = detector->nr_pages - step;
		page_out(detector, page, step);
		if (step == 1)
			check_page(detector, page);
	}
	for (page = 0; page < detector->nr_pages; page++)
		check_page(detector, page);
}

/* Goes on for longer if little was swapped: reclaim often can't take hot pages. */
static bool time_is_up(const struct detector *detector, uint64_t start_ns,
		       unsigned int seconds, uint64_t swap_ins_before)
{
	double elapsed = seconds_since(start_ns);

	if (stress_stop)
		return true;
	if (elapsed < seconds)
		return false;
	return elapsed >= seconds * LONGER ||
	       swap_reads() - swap_ins_before >= detector->wanted_swap_ins;
}

static int run(struct detector *detector, unsigned int seconds)
{
	uint64_t checks = 0, pageouts = 0, swapped = 0, swap_ins = 0, stores = 0;
	uint64_t start_ns, lost, final;
	static struct writer writers[MAX_CPUS];
	unsigned int nr_cpus, i;
	int cpus[MAX_CPUS];
	double elapsed;

	nr_cpus = usable_cpus(cpus, MAX_CPUS);
	for (i = 0; detector->visits && i < nr_cpus; i++)
		if (!pin_self(cpus[i]))
			die_environment("can't run on CPU %d: %s", cpus[i], strerror(errno));
	if (nr_cpus > detector->nr_writers + 1)
		nr_cpus = detector->nr_writers + 1;
	if (nr_cpus < 2)
		die_environment("needs two CPUs, one to reclaim and one to store");
	if (!pin_self(cpus[0]))
		die_environment("can't run on CPU %d: %s", cpus[0],
				strerror(errno));
	map_pages(detector);
	detector->burst = 1;
	pthread_barrier_init(&detector->start, NULL, nr_cpus);
	for (i = 1; i < nr_cpus; i++) {
		writers[i].detector = detector;
		writers[i].cpu = cpus[i];
		writers[i].first = i - 1;
		writers[i].step = nr_cpus - 1;
		start_thread(&writers[i].thread, store_without_pause,
			     &writers[i]);
	}

	pthread_barrier_wait(&detector->start);
	start_ns = now_ns();
	do {
		one_round(detector, pageouts);
		checks += detector->nr_pages;
		/* The first round took pages to which nobody had stored yet. */
		if (!pageouts++) {
			swapped = swap_writes();
			swap_ins = swap_reads();
		}
	} while (!time_is_up(detector, start_ns, seconds, swap_ins));
	elapsed = seconds_since(start_ns);
	__atomic_store_n(&detector->over, true, __ATOMIC_RELAXED);
	for (i = 1; i < nr_cpus; i++) {
		pthread_join(writers[i].thread, NULL);
		stores += writers[i].stores;
	}
	swapped = swap_writes() - swapped;
	swap_ins = swap_reads() - swap_ins;
	page_out(detector, 0, detector->nr_pages);
	final = check_at_rest(detector);

	lost = detector->writer_losses + detector->controller_losses -
	       detector->matched + final;
	say(STDOUT_FILENO, "lost=%" PRIu64 " checks=%" PRIu64 " pageouts=%" PRIu64 " swapped=%" PRIu64 " stores=%" PRIu64 " seconds=%.2f swapped_in=%" PRIu64 " by_writers=%" PRIu64 " by_controller=%" PRIu64 " at_rest=%" PRIu64 " memory=%s\n",
	       lost, checks, pageouts, swapped, stores, elapsed, swap_ins,
	       detector->writer_losses, detector->controller_losses, final,
	       detector->shared ? "shmem" : "anon");
	if (lost)
		return STRESS_DATA_ERROR;
	if (!swapped || !swap_ins || !stores)
		die_environment("no page was freed and read back: the detector was blind");
	return STRESS_OK;
}

static void usage(void)
{
	die_usage("detector [--seconds 5] [--pages 64] [--at-once N] [--writers N] [--swap-ins 16] [--shared] [--plain] [--visit]");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "pages", required_argument, NULL, 'p' },
		{ "at-once", required_argument, NULL, 'o' },
		{ "writers", required_argument, NULL, 'w' },
		{ "swap-ins", required_argument, NULL, 'i' },
		{ "shared", no_argument, NULL, 'S' },
		{ "plain", no_argument, NULL, 'P' },
		{ "visit", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	static struct detector detector = {
		.nr_pages = 64, .nr_writers = MAX_CPUS - 1,
		.wanted_swap_ins = 16,
	};
	unsigned int seconds = 5;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			seconds = parse_number("seconds", optarg, 1, 86400);
			break;
		case 'p':
			detector.nr_pages = parse_number("pages", optarg, 1,
							 MAX_PAGES);
			break;
		case 'o':
			detector.at_once = parse_number("at-once", optarg, 1,
							MAX_PAGES);
			break;
		case 'w':
			detector.nr_writers = parse_number("writers", optarg,
							   1, MAX_CPUS - 1);
			break;
		case 'i':
			detector.wanted_swap_ins = parse_number("swap-ins",
								optarg, 1,
								1UL << 20);
			break;
		case 'S':
			detector.shared = true;
			break;
		case 'P':
			detector.plain = true;
			break;
		case 'v':
			detector.visits = true;
			break;
		default:
			usage();
		}
	}
	if (optind != argc)
		usage();
	start_watchdog(seconds * (LONGER + 10) + 120);
	if (!detector.at_once || detector.at_once > detector.nr_pages)
		detector.at_once = detector.nr_pages;
	return run(&detector, seconds);
}
