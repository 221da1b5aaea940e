// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that compaction uses again as targets of a migration. mm_page_alloc doesn't tell of
 * these.
 *
 * Most of memory is filled with huge pages, which compaction doesn't move. The rest is
 * filled with small pages, and then every second one of these is freed. The file's pages
 * are spread among them. Compaction moves pages from low addresses to free ones above. So
 * about half of the file's former pages are in use when it is done.
 */
#include "scenarios.h"
#include "scene.h"

#define COMPACT_PAGES	CELL_MAX_PAGES
#define COMPACT_SLICES	16
/* Half of this is what compaction moves. It must not all fit into the spare memory. */
#define BALLAST_BYTES	(384UL << 20)
/* Far above the watermarks, so that kswapd doesn't wake. */
#define SPARE_BYTES	(128UL << 20)

/* Bits of /proc/kpageflags that a free page doesn't have. */
#define KPAGE_USED	(1ULL << 5 | 1ULL << 7 | 1ULL << 11 | 1ULL << 12 | \
			 1ULL << 26)

static size_t memory_free(void)
{
	size_t kib = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemFree: %zu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib << 10;
}

static void fill(size_t bytes, int advice)
{
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		die_environment("mmap of %zu bytes: %s", bytes, strerror(errno));
	madvise(map, bytes, advice);
	for (size_t at = 0; at < bytes; at += PAGE_BYTES)
		*(volatile char *)(map + at) = 1;
}

static long touch_slice(struct cell *cell, long slice)
{
	size_t pages = cell->pages / COMPACT_SLICES, i;

	for (i = (size_t)slice * pages; i < ((size_t)slice + 1) * pages; i++)
		*(volatile char *)(cell->map + i * PAGE_BYTES);
	return 0;
}

/* If pages were young, the pass would be followed by a full flush. */
static long make_old(struct cell *cell, long unused)
{
	(void)unused;
	return madvise(cell->map, cell->pages * PAGE_BYTES, MADV_COLD);
}

/* How many of the @made generations, all of the same size, have a page that is in use. */
static int64_t generations_used(const struct cell *cell, int64_t made)
{
	size_t each = (cell->pages + (size_t)made - 1) / (size_t)made, i;
	bool used[CELL_MAX_PAGES] = { false };
	int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	int64_t count = 0;
	size_t pages = 0;

	if (fd < 0)
		die_environment("/proc/kpageflags: %s", strerror(errno));
	for (i = 0; i < cell->pages; i++) {
		uint64_t flags;

		if (pread(fd, &flags, sizeof(flags),
			  (off_t)(cell->frames[i] * sizeof(flags))) != sizeof(flags))
			die_environment("/proc/kpageflags: %s", strerror(errno));
		if (flags & KPAGE_USED) {
			used[i / each] = true;
			pages++;
		}
	}
	close(fd);
	for (i = 0; i < (size_t)made; i++)
		count += used[i];
	say(STDOUT_FILENO, "in use: pages=%zu of %zu, generations=%" PRId64
	    " of %" PRId64 "\n", pages, cell->pages, count, made);
	return count;
}

static char *spread(struct cell *cell)
{
	size_t bytes = BALLAST_BYTES / COMPACT_SLICES, at, i;
	char *map = cell_anon_map(NULL, BALLAST_BYTES / PAGE_BYTES);

	for (i = 0; i < COMPACT_SLICES; i++) {
		for (at = i * bytes; at < (i + 1) * bytes; at += PAGE_BYTES)
			*(volatile char *)(map + at) = 1;
		cell_call(cell, touch_slice, (long)i);
	}
	return map;
}

/*
 * Frees every second page of the ballast, on CPU 0. That is more than the CPU's list holds,
 * so pages that were freed before move to where compaction looks for them.
 */
static void release(char *map)
{
	size_t at;

	must_pin(RECLAIM_CPU);
	for (at = 0; at < BALLAST_BYTES; at += 2 * PAGE_BYTES)
		madvise(map + at, PAGE_BYTES, MADV_DONTNEED);
	must_pin(ACTOR_CPU);
}

/* A migration of the process's own pages flushes the process in full, and saves what is open. */
static long lock_own(struct cell *cell, long unused)
{
	(void)cell;
	(void)unused;
	return mlockall(MCL_CURRENT);
}

static bool rule_is_out(void)
{
	FILE *file = fopen("/sys/module/tlbbatch/parameters/luf_break", "re");
	unsigned int rule = 0;

	if (!file)
		return false;
	if (fscanf(file, "%u", &rule) != 1)
		rule = 0;
	fclose(file);
	return rule;
}

void run_compact(void)
{
	int64_t before = luf_last.value[luf_index("saved")];
	struct luf now;
	struct cell *cell;
	int64_t made, used, saved;
	char *ballast;
	size_t free;

	file_make(path_a);
	cell = scene_cell(path_a, A_CPU);
	if (cell_call(cell, lock_own, 0))
		die_environment("mlockall: %s", strerror(errno));
	luf_write("/proc/sys/vm/compact_unevictable_allowed", "0");
	/* khugepaged stands still: collapsing changes where memory is free. */
	luf_write("/sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan", "1");
	must_pin(RECLAIM_CPU);
	free = memory_free();
	if (free < (BALLAST_BYTES + SPARE_BYTES))
		luf_skip("%zu MB of memory are free", free >> 20);
	fill((free - BALLAST_BYTES - SPARE_BYTES) & ~(HUGE_BYTES - 1),
	     MADV_HUGEPAGE);
	cell->pages = COMPACT_PAGES;
	cell_call(cell, cell_map, 0);
	cell_call(cell, cell_arm, 0);
	ballast = spread(cell);
	must_pin(ACTOR_CPU);
	cell_call(cell, cell_touch, 0);
	if (cell_call(cell, make_old, 0))
		die_environment("MADV_COLD: %s", strerror(errno));
	scene_pageout(cell);
	luf_snapshot(&now);
	made = now.value[0] - luf_last.value[0];
	luf_want("pageout", "generation=%" PRId64 " open=%" PRId64, made,
		 made);
	if (luf_wrong)
		return;
	if (made < 1)
		luf_skip("MADV_PAGEOUT made no generation");
	/* Any use of a page, also one that an event tells of, saves all generations but one. */
	if (made > 1 && rule_is_out())
		luf_skip("several generations don't tell compaction from other use");

	release(ballast);
	luf_write("/proc/sys/vm/compact_memory", "1");
	used = generations_used(cell, made);
	if (!used)
		die_environment("compaction took none of the pages");
	scene_flush(cell);
	luf_snapshot(&now);
	saved = now.value[luf_index("saved")] - before;
	say(STDOUT_FILENO, "after a flush: saved=%" PRId64 "\n", saved);
	/*
	 * The first page that was taken makes its generation needed, and that flush covers
	 * all others. If all the pages are of one generation, none can be saved.
	 */
	if (saved > made - 1) {
		say(STDOUT_FILENO, "wrong: at most %" PRId64 " can be saved\n",
		    made - 1);
		luf_wrong++;
	}
	luf_relations("after a flush", &now);
	if (now.value[1]) {
		say(STDOUT_FILENO, "wrong: %" PRId64 " are open\n", now.value[1]);
		luf_wrong++;
	}
}
