/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the scenarios share: files, cells, and the generations that they begin with.
 */
#ifndef LUF_SCENE_H
#define LUF_SCENE_H

#include "cell.c"

#include <sys/stat.h>

#define CUSHIONS	8
#define CUSHION_PAGES	24
#define FILE_PAGES	CELL_MAX_PAGES
#define A_CPU		1
#define B_CPU		3

static const char *scene_dir = "/var/tmp";
static const char *scene_device = "/dev/vdb";
static char path_a[256], path_b[256];
/* Pages of the program's own, from CPU 2's list: see scene_cushion(). */
static char *cushion;
static size_t cushion_used;

static inline void scene_paths(const char *dir)
{
	snprintf(path_a, sizeof(path_a), "%s/luf-a.%d", dir, getpid());
	snprintf(path_b, sizeof(path_b), "%s/luf-b.%d", dir, getpid());
}

/* Folios that wait in this CPU's list of new ones come to the LRU, by any madvise(). */
static inline void drain_lru(void)
{
	if (madvise(cushion, PAGE_BYTES, MADV_COLD))
		die_environment("MADV_COLD: %s", strerror(errno));
}

static inline size_t file_cached(int fd)
{
	unsigned char in[FILE_PAGES];
	size_t count = 0, i;
	void *map = mmap(NULL, FILE_PAGES * PAGE_BYTES, PROT_READ, MAP_PRIVATE,
			 fd, 0);

	if (map == MAP_FAILED || mincore(map, FILE_PAGES * PAGE_BYTES, in))
		die_environment("mincore: %s", strerror(errno));
	munmap(map, FILE_PAGES * PAGE_BYTES);
	for (i = 0; i < FILE_PAGES; i++)
		count += in[i] & 1;
	return count;
}

/* Out of the page cache: the folios of written pages can be large. */
static inline void file_drop(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), tries = 100;

	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	/* All of it: what the file system does later, it does on CPU 0 too. */
	sync();
	do {
		drain_lru();
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	} while (file_cached(fd) && --tries);
	if (!tries)
		die_environment("%s stays in the page cache", path);
	close(fd);
}

/* Of one-byte nops: a uprobe wants an instruction. */
static inline void file_make(const char *path)
{
	static char page[PAGE_BYTES];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	size_t i;

	memset(page, 0x90, sizeof(page));
	for (i = 0; fd >= 0 && i < FILE_PAGES; i++)
		if (write(fd, page, sizeof(page)) != sizeof(page))
			break;
	if (fd < 0 || i < FILE_PAGES)
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
	file_drop(path);
}

/* Pages that are read before they are written are clean, and go without swap. */
static inline void shmem_make(char *path)
{
	int fd;

	snprintf(path, sizeof(path_a), "/dev/shm/luf.%d", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (fd < 0 || ftruncate(fd, FILE_PAGES * PAGE_BYTES))
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
}

static inline void files_remove(void)
{
	unlink(path_a);
	unlink(path_b);
}

static inline void must_pin(int cpu)
{
	if (!pin_self(cpu))
		die_environment("no CPU %d", cpu);
}

static inline void cushion_make(void)
{
	size_t i;

	must_pin(ACTOR_CPU);
	cushion = cell_anon_map(NULL, CUSHIONS * CUSHION_PAGES);
	for (i = 0; i < CUSHIONS * CUSHION_PAGES; i++)
		cushion[i * PAGE_BYTES] = 1;
}

/*
 * Free pages on top of CPU 0's list: what else allocates there takes these, and not
 * the generation's. CPU 0 is covered by that, by a switch from one process to
 * another; what is wanted of a generation is decided by its other CPU.
 */
static inline void scene_cushion(void)
{
	if (cushion_used == CUSHIONS)
		die_environment("no cushion is left");
	must_pin(RECLAIM_CPU);
	if (madvise(cushion + cushion_used++ * CUSHION_PAGES * PAGE_BYTES,
		    CUSHION_PAGES * PAGE_BYTES, MADV_DONTNEED))
		die_environment("MADV_DONTNEED: %s", strerror(errno));
	must_pin(ACTOR_CPU);
}

/* The file's pages are in memory, mapped by the cell, and nothing else is. */
static inline void scene_ready(struct cell *cell)
{
	cell_call(cell, cell_map, 0);
	cell_call(cell, cell_arm, 0);
	cell_call(cell, cell_touch, 0);
}

/*
 * From now on all of the cell's pages must go; the generation is the youngest. Where a
 * kernel thread runs in its spinner's place just then, the CPU is lazy, and the flush
 * goes to nobody: once more.
 */
static inline void scene_pageout(struct cell *cell)
{
	unsigned int tries = 10;
	int64_t unsent;
	long stayed;

	for (;;) {
		unsent = luf_read("stats/flushes_unsent");
		stayed = cell_call(cell, cell_pageout, 0);
		if (stayed)
			die_environment("%ld pages were not reclaimed", stayed);
		if (luf_read("stats/flushes_unsent") == unsent || !--tries)
			return;
		cell_call(cell, cell_touch, 0);
		luf_snapshot(&luf_last);
	}
}

/* A cell that has mapped nothing yet. The caller comes back to CPU 2. */
static inline struct cell *scene_cell(const char *path, int cpu)
{
	struct cell *cell;

	must_pin(RECLAIM_CPU);
	cell = cell_start(path, cpu);
	must_pin(ACTOR_CPU);
	return cell;
}

/* The cell's generation is open, the youngest. */
static inline void scene_begin(struct cell *cell)
{
	scene_pageout(cell);
	luf_want("pageout", "generation=1 open=1 unmaps_readonly=%zu "
		 "unmaps_mixed=0 flushes=1 flushes_mixed=0", cell->pages);
}

/* A cell with a read-only mapping of the file, and its generation open. */
static inline struct cell *scene_open(const char *path, int cpu)
{
	struct cell *cell = scene_cell(path, cpu);

	scene_ready(cell);
	scene_begin(cell);
	return cell;
}

/*
 * Two of them, of A and of B. What the second one needs to begin is there before the
 * first one's is open: it would be taken out of that.
 */
static inline void scene_open_both(struct cell *a, struct cell *b)
{
	scene_ready(b);
	scene_ready(a);
	scene_begin(b);
	scene_begin(a);
}

#endif
