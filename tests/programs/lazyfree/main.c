// SPDX-License-Identifier: GPL-2.0-only
/*
 * lazyfree - does anything get lost that is written to a huge page behind MADV_FREE?
 *
 * Each worker has huge pages. It fills one, gives it up by MADV_FREE, and goes one of many ways
 * with it (ways.c). In half of the rounds it writes to some of its pages again. Each way has its
 * turn in both kinds of rounds before any has it again, and the time isn't over before each had
 * one. Beside that one thread pages everything out, again and again. Then each page that was
 * written again must have what was written, and each other one what it had before, or zeros. A
 * page that nobody touched must go.
 *
 * A line for each way: rounds, pages written again, pages lost, other wrong pages, huge pages that
 * should go, and that went; rounds that began with a huge page, and rounds in which the way
 * led to what it is for.
 */
#include "cgroup.h"
#include "lazyfree.h"
#include "supervise.h"
#include "swap.h"

#define WORKERS_MAX	16
/* Where rounds take long, the time may be so many times as long. */
#define LONGER		6
/* Words of a page that are looked at. */
static const size_t words[] = { 0, 255, 511 };

/* What became of a way. */
struct result {
	uint64_t rounds, rewritten, lost, wrong, untouched, gone, huge, effects;
	bool missing;
};

/* What children see, too. */
struct shared {
	uint64_t sweeps;
	uint64_t turns;
	bool over;
};

static struct result *results;	/* of each worker: one for each way */
static struct shared *shared;
static unsigned int nr_workers = 3, nr_huge = 4, seconds = 20;
static const char *wanted;
static struct huge *all[WORKERS_MAX];
static __thread struct result *mine;
/* Of the own cgroup, or -1. */
static int reclaim = -1;

void fail(const char *what)
{
	die_environment("%s: %s", what, strerror(errno));
}

static uint64_t stamp(uint64_t version, size_t page, size_t word)
{
	return mix64(version << 20 | page << 9 | word) | 1;
}

/* Such a page as page @like would be. */
static void store_page(char *at, size_t like, uint64_t version)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		__atomic_store_n((uint64_t *)at + words[i], stamp(version, like, words[i]),
				 __ATOMIC_RELAXED);
}

static bool has_page(const char *at, size_t like, uint64_t version)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (__atomic_load_n((const uint64_t *)at + words[i], __ATOMIC_RELAXED) !=
		    (version ? stamp(version, like, words[i]) : 0))
			return false;
	return true;
}

/* Versions are of the whole program, so that what is stale is told from what is new. */
static uint64_t next_version(void)
{
	static uint64_t versions;

	return __atomic_add_fetch(&versions, 1, __ATOMIC_RELAXED);
}

static void write_page(struct huge *huge, unsigned int page, unsigned int like, uint64_t version)
{
	store_page(huge->base + page * PAGE_BYTES, like, version);
	if (!huge->fresh[page])
		mine->rewritten++;
	huge->fresh[page] = version;
	huge->like[page] = (uint16_t)like;
}

void write_page_again(struct huge *huge, unsigned int page)
{
	write_page(huge, page, page, next_version());
}

/* Both get the same content. */
void write_page_like(struct huge *huge, unsigned int page, unsigned int other)
{
	uint64_t version = next_version();

	write_page(huge, page, other, version);
	write_page(huge, other, other, version);
}

void write_again(struct huge *huge)
{
	static const unsigned int counts[] = { 1, 2, 17, HUGE_PAGES };
	unsigned int nr = counts[rng_below(huge->rng, ARRAY_SIZE(counts))], i;

	if (!huge->touched)
		return;
	for (i = 0; i < nr; i++)
		write_page_again(huge, nr == HUGE_PAGES ? i : rng_below(huge->rng, HUGE_PAGES));
}

void count_lost(void)
{
	mine->lost++;
}

bool verify(struct huge *huge)
{
	uint64_t before = mine->lost + mine->wrong;
	size_t page;

	for (page = 0; page < HUGE_PAGES; page++) {
		const char *at = huge->base + page * PAGE_BYTES;

		if (huge->fresh[page])
			mine->lost += !has_page(at, huge->like[page], huge->fresh[page]);
		else
			mine->wrong += !has_page(at, page, huge->version) && !has_page(at, page, 0);
	}
	return mine->lost + mine->wrong == before;
}

bool is_over(void)
{
	return __atomic_load_n(&shared->over, __ATOMIC_RELAXED);
}

void be_paged_out(void)
{
	uint64_t end = __atomic_load_n(&shared->sweeps, __ATOMIC_RELAXED) + 2;

	while (__atomic_load_n(&shared->sweeps, __ATOMIC_RELAXED) < end && !is_over())
		sched_yield();
}

void be_reclaimed(void)
{
	unsigned int tries;

	for (tries = 0; tries < 3 && reclaim >= 0; tries++)
		cgroup_reclaim_once(reclaim, "4M");
	be_paged_out();
}

void be_given_up(struct huge *huge)
{
	__atomic_store_n(&huge->given_up, true, __ATOMIC_RELEASE);
}

void be_left_alone(struct huge *huge)
{
	__atomic_store_n(&huge->given_up, false, __ATOMIC_RELEASE);
	be_paged_out();
}

/*
 * A huge page with a new version, as if nothing had ever happened to it. Who pages out leaves it
 * alone from here on: MADV_FREE passes over a page that is locked, or being swapped out.
 */
static void fill(struct huge *huge)
{
	size_t page;

	be_left_alone(huge);
	/*
	 * Mapped anew, since MADV_DONTNEED leaves the page table of a mapping that was split. Then
	 * the new pages would be small ones.
	 */
	if (mmap(huge->home, HUGE_BYTES, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		fail("mmap");
	madvise(huge->home, HUGE_BYTES, MADV_HUGEPAGE);
	__atomic_store_n(&huge->base, huge->home, __ATOMIC_RELEASE);
	huge->version = next_version();
	memset(huge->fresh, 0, sizeof(huge->fresh));
	for (page = 0; page < HUGE_PAGES; page++)
		store_page(huge->base + page * PAGE_BYTES, page, huge->version);
}

/* Is it one page that is mapped whole? */
static bool is_huge(const struct huge *huge)
{
	return smaps_huge(huge->base, HUGE_PAGES) >= HUGE_PAGES;
}

/* Is nothing of it there? Looking at it would bring it back. */
static bool is_gone(const struct huge *huge)
{
	return !pagemap_count(huge->pagemap, huge->base, HUGE_PAGES,
			      PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
}

bool be_gone(struct huge *huge, unsigned int tries)
{
	while (tries-- && !is_over()) {
		be_paged_out();
		if (is_gone(huge))
			return true;
	}
	return false;
}

static void wait_until_gone(struct huge *huge)
{
	bool gone = be_gone(huge, 40);

	/* The end of the time isn't the kernel's fault. */
	if (!gone && is_over())
		return;
	mine->untouched++;
	mine->gone += gone;
	huge->effect |= gone;
}

static void go(const struct way *way, struct huge *huge, bool touched)
{
	if (mine->missing)
		return;
	fill(huge);
	huge->touched = touched;
	huge->by_cgroup = way->by_cgroup;
	huge->effect = false;
	/* Not later: smaps of 6.1 doesn't count an entry that is protected. */
	mine->huge += is_huge(huge);
	if (way->prepare && !way->prepare(huge)) {
		mine->missing = true;
		return;
	}
	if (madvise(huge->base, HUGE_BYTES, MADV_FREE))
		fail("MADV_FREE");
	be_given_up(huge);
	way->act(huge);
	if (huge->touched)
		be_paged_out();
	else if (way->lasts)
		wait_until_gone(huge);
	verify(huge);
	if (way->finish)
		way->finish(huge);
	mine->rounds++;
	mine->effects += huge->effect;
}

static bool is_wanted(const struct way *way)
{
	size_t length = strlen(way->name);
	const char *at = wanted;

	while (at && (at = strstr(at, way->name))) {
		if ((at == wanted || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
		at++;
	}
	return !wanted;
}

/* Each way, touched and not. */
static unsigned int nr_kinds(void)
{
	return 2 * nr_ways;
}

/*
 * The kinds of rounds in turn, in another order each time that all had theirs. The workers share
 * the turns.
 */
static unsigned int next_kind(void)
{
	uint64_t turn = __atomic_fetch_add(&shared->turns, 1, __ATOMIC_RELAXED);
	static const unsigned int step = 17;

	/* It has no factor in common with the number of kinds, so each comes once. */
	return (turn * step + turn / nr_kinds()) % nr_kinds();
}

static bool had_each_kind(void)
{
	return __atomic_load_n(&shared->turns, __ATOMIC_RELAXED) >= nr_kinds() + nr_workers;
}

static void *work(void *argument)
{
	unsigned int worker = (uintptr_t)argument, i;
	struct rng rng = { .state = worker + 1 };
	int cpus[MAX_CPUS];
	unsigned int nr_cpus = usable_cpus(cpus, MAX_CPUS);

	if (nr_cpus > 1)
		pin_self(cpus[1 + worker % (nr_cpus - 1)]);
	for (i = 0; i < nr_huge; i++)
		all[worker][i].rng = &rng;
	while (!is_over()) {
		unsigned int kind = next_kind();
		const struct way *way = &ways[kind / 2];

		mine = &results[worker * nr_ways + (way - ways)];
		if (is_wanted(way))
			go(way, &all[worker][rng_below(&rng, nr_huge)], kind % 2);
	}
	return NULL;
}

static void page_out_one(struct huge *huge)
{
	if (!__atomic_load_n(&huge->given_up, __ATOMIC_ACQUIRE))
		return;
	if (huge->by_cgroup && reclaim >= 0)
		cgroup_reclaim_once(reclaim, "2M");
	else
		madvise(__atomic_load_n(&huge->base, __ATOMIC_ACQUIRE), HUGE_BYTES, MADV_PAGEOUT);
}

static void *page_out(void *unused)
{
	unsigned int worker, i;
	int cpus[1];

	(void)unused;
	usable_cpus(cpus, 1);
	pin_self(cpus[0]);
	while (!is_over()) {
		for (worker = 0; worker < nr_workers; worker++)
			for (i = 0; i < nr_huge; i++)
				page_out_one(&all[worker][i]);
		__atomic_add_fetch(&shared->sweeps, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void make_huge(struct huge *huge, const char *dir)
{
	char path[PATH_MAX];

	*huge = (struct huge){ .home = map_huge(HUGE_BYTES), .spare = map_huge(HUGE_BYTES),
			       .uffd = -1, .file = -1, .pagemap = open_pagemap(),
			       .ends = { -1, -1 } };
	huge->base = huge->home;
	if (posix_memalign(&huge->buffer, PAGE_BYTES, PAGE_BYTES))
		fail("memory");
	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/lazyfree-XXXXXX", dir);
	huge->file = mkostemp(path, O_DIRECT);
	if (huge->file < 0)
		fail(path);
	unlink(path);
}

/* Of all workers, with the first of them. */
static const struct result *sum_of(unsigned int way)
{
	struct result *sum = &results[way];
	unsigned int i;

	for (i = 1; i < nr_workers; i++) {
		const struct result *it = &results[i * nr_ways + way];

		sum->rounds += it->rounds;
		sum->rewritten += it->rewritten;
		sum->lost += it->lost;
		sum->wrong += it->wrong;
		sum->untouched += it->untouched;
		sum->gone += it->gone;
		sum->huge += it->huge;
		sum->effects += it->effects;
		sum->missing |= it->missing;
	}
	return sum;
}

static int report(void)
{
	int code = STRESS_OK;
	unsigned int i;

	for (i = 0; i < nr_ways; i++) {
		const struct result *it = sum_of(i);

		if (it->missing) {
			say(STDOUT_FILENO, "way=%s missing\n", ways[i].name);
			continue;
		}
		if (!it->rounds)
			continue;
		say(STDOUT_FILENO, "way=%s rounds=%" PRIu64 " rewritten=%" PRIu64 " lost=%" PRIu64
		    " wrong=%" PRIu64 " untouched=%" PRIu64 " gone=%" PRIu64 " huge=%" PRIu64
		    " effects=%" PRIu64 "%s\n", ways[i].name, it->rounds, it->rewritten, it->lost,
		    it->wrong, it->untouched, it->gone, it->huge, it->effects,
		    ways[i].is_short ? " short" : "");
		if (it->wrong || (it->lost && !ways[i].is_short))
			code = STRESS_DATA_ERROR;
	}
	return code;
}

static void parse(int argc, char **argv, const char **dir)
{
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = parse_number(argv[i], argv[i + 1], 1, 100000);
		else if (!strcmp(argv[i], "--huge"))
			nr_huge = parse_number(argv[i], argv[i + 1], 1, 64);
		else if (!strcmp(argv[i], "--workers"))
			nr_workers = parse_number(argv[i], argv[i + 1], 1, WORKERS_MAX);
		else if (!strcmp(argv[i], "--ways"))
			wanted = argv[i + 1];
		else if (!strcmp(argv[i], "--dir"))
			*dir = argv[i + 1];
		else if (!strcmp(argv[i], "--reclaim"))
			reclaim = cgroup_open_reclaim(argv[i + 1]);
		else
			break;
	}
	if (i != argc)
		die_usage("lazyfree [--seconds N] [--workers N] [--huge N] "
			  "[--ways \"WAY...\"] [--dir DIR] [--reclaim CGROUP]\n"
			  "       lazyfree --list");
}

static void list(void)
{
	unsigned int i;

	for (i = 0; i < nr_ways; i++)
		say(STDOUT_FILENO, "%s\n", ways[i].name);
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS_MAX + 1];
	const char *dir = NULL;
	unsigned int i, j, longest;
	uint64_t start;

	if (argc == 2 && !strcmp(argv[1], "--list")) {
		list();
		return STRESS_OK;
	}
	parse(argc, argv, &dir);
	longest = seconds * LONGER;
	start_watchdog(seconds * 10 + 120);
	results = map_locked(nr_ways * nr_workers * sizeof(*results));
	shared = map_shared_locked(sizeof(*shared));
	for (i = 0; i < nr_workers; i++) {
		all[i] = calloc(nr_huge, sizeof(*all[i]));
		for (j = 0; all[i] && j < nr_huge; j++)
			make_huge(&all[i][j], dir);
	}
	start_thread(&threads[nr_workers], page_out, NULL);
	for (i = 0; i < nr_workers; i++)
		start_thread(&threads[i], work, (void *)(uintptr_t)i);
	for (start = now_ns(); seconds_since(start) < longest && !stress_stop; ) {
		if (seconds_since(start) >= seconds && had_each_kind())
			break;
		sleep_ms(100);
	}
	__atomic_store_n(&shared->over, true, __ATOMIC_RELAXED);
	for (i = 0; i <= nr_workers; i++)
		pthread_join(threads[i], NULL);
	return report();
}
