// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the scenarios share: files, cells, and the generations that they begin with.
 */
#include "scene.h"

#include <sys/stat.h>

#define LUF_CGROUP	"/sys/fs/cgroup/luf-oracle"
#define CUSHIONS	8
#define CUSHION_PAGES	24

const char *scene_dir = "/var/tmp";
const char *scene_device = "/dev/vdb";
char path_a[256], path_b[256];
char *cushion;
static size_t cushion_used;

void scene_paths(const char *dir)
{
	snprintf(path_a, sizeof(path_a), "%s/luf-a.%d", dir, getpid());
	snprintf(path_b, sizeof(path_b), "%s/luf-b.%d", dir, getpid());
}

/* Folios on this CPU's list of new ones come to the LRU by any madvise(). */
void drain_lru(void)
{
	if (madvise(cushion, PAGE_BYTES, MADV_COLD))
		die_environment("MADV_COLD: %s", strerror(errno));
}

static size_t file_cached(int fd)
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

/* Drop the file from the page cache: folios of written pages can be large. */
static void file_drop(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), tries = 100;

	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	/* Sync everything: later the file system would work on CPU 0 too. */
	sync();
	do {
		drain_lru();
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	} while (file_cached(fd) && --tries);
	if (!tries)
		die_environment("%s stays in the page cache", path);
	close(fd);
}

/* The file has one-byte nops: a uprobe needs an instruction. */
void file_make(const char *path)
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

/* Pages that are read before they are written are clean, and can be reclaimed without swap. */
void shmem_make(char *path)
{
	int fd;

	snprintf(path, sizeof(path_a), "/dev/shm/luf.%d", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (fd < 0 || ftruncate(fd, FILE_PAGES * PAGE_BYTES))
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
}

void files_remove(void)
{
	unlink(path_a);
	unlink(path_b);
}

void must_pin(int cpu)
{
	if (!pin_self(cpu))
		die_environment("no CPU %d", cpu);
}

void cushion_make(void)
{
	size_t i;

	must_pin(ACTOR_CPU);
	cushion = cell_anon_map(NULL, CUSHIONS * CUSHION_PAGES);
	for (i = 0; i < CUSHIONS * CUSHION_PAGES; i++)
		cushion[i * PAGE_BYTES] = 1;
}

/*
 * Puts free pages on top of CPU 0's list. Other allocations there take these, and not the
 * generation's. This covers CPU 0, by a switch from one process to another. A generation's
 * other CPU decides what is expected of it.
 */
void scene_cushion(void)
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
void scene_ready(struct cell *cell)
{
	cell_call(cell, cell_map, 0);
	cell_call(cell, cell_arm, 0);
	cell_call(cell, cell_touch, 0);
}

/*
 * From now on all of the cell's pages must be reclaimed; the generation is the youngest. If
 * a kernel thread runs in the spinner's place at that moment, the CPU is lazy, and the
 * flush interrupts nobody. Then it is done once more.
 */
void scene_pageout(struct cell *cell)
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

/* How often the spinner came to a CPU. */
static uint64_t arrivals(const struct cell *cell)
{
	char path[64], text[96];
	uint64_t count;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", cell->pid, cell->spinner);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (got <= 0)
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
	text[got] = 0;
	if (sscanf(text, "%*u %*u %" SCNu64, &count) != 1)
		die_environment("%s has '%s'", path, text);
	return count;
}

/*
 * A full flush of the cell, also on its spinner's CPU. If a kernel thread runs in the spinner's
 * place at that moment, the CPU is lazy, and the flush passes it over. Then it is done once more.
 */
void scene_flush(struct cell *cell)
{
	unsigned int tries = 10;
	uint64_t before, beats;

	for (;;) {
		before = arrivals(cell);
		cell_call(cell, cell_flush, 0);
		if (cell->sleeps)
			return;
		for (beats = cell->beats; cell->beats == beats; )
			sched_yield();
		if (arrivals(cell) == before || !--tries)
			return;
		cell_call(cell, cell_arm, 0);
	}
}

/* A cell that has mapped nothing yet. The caller comes back to CPU 2. */
struct cell *scene_cell(const char *path, int cpu)
{
	struct cell *cell;

	must_pin(RECLAIM_CPU);
	cell = cell_start(path, cpu);
	must_pin(ACTOR_CPU);
	return cell;
}

/* The cell's generation is open, and is the youngest. */
void scene_begin(struct cell *cell)
{
	scene_pageout(cell);
	luf_want("pageout", "generation=1 open=1 unmaps_readonly=%zu "
		 "unmaps_mixed=0 flushes=1 flushes_mixed=0", cell->pages);
}

/* A cell with a read-only mapping of the file, and its generation open. */
struct cell *scene_open(const char *path, int cpu)
{
	struct cell *cell = scene_cell(path, cpu);

	scene_ready(cell);
	scene_begin(cell);
	return cell;
}

/*
 * Two cells, with A and with B. Everything that the second cell needs to begin exists
 * before the first one's generation is open. Otherwise it would be allocated from that
 * generation's pages.
 */
void scene_open_both(struct cell *a, struct cell *b)
{
	scene_ready(b);
	scene_ready(a);
	scene_begin(b);
	scene_begin(a);
}

/* --- processes in a cgroup of their own ---------------------------------------- */

/* Reclaims a cgroup on CPU 0 until the cell has no page of its file left. */
void cgroup_reclaim(struct cell *cell)
{
	unsigned int tries;
	int fd;

	must_pin(RECLAIM_CPU);
	for (tries = 0; tries < 100 && cell_call(cell, cell_present, 0); tries++) {
		fd = open(LUF_CGROUP "/memory.reclaim", O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			luf_skip("no memory.reclaim here");
		if (write(fd, "2M", 2) < 0 && errno != EAGAIN)
			die_environment("memory.reclaim: %s", strerror(errno));
		close(fd);
	}
	must_pin(ACTOR_CPU);
	if (cell_call(cell, cell_present, 0))
		die_environment("pages were not reclaimed");
}

/*
 * The program enters the cgroup first, so processes that it starts are in it too. A process
 * that enters a cpuset forgets where it was pinned.
 */
void cgroup_enter(void)
{
	char text[32];

	mkdir(LUF_CGROUP, 0755);
	snprintf(text, sizeof(text), "%d", getpid());
	luf_write(LUF_CGROUP "/cgroup.procs", text);
}

void cgroup_leave(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", getpid());
	luf_write("/sys/fs/cgroup/cgroup.procs", text);
	must_pin(ACTOR_CPU);
}
