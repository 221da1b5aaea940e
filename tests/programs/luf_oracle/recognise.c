// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rule L2: which unmaps are read-only. Each scenario is one pass of reclaim over pages
 * whose unmaps are all read-only, or all not.
 */
#include "scenarios.h"
#include "scene.h"

/* The guest's 4 CPUs have room for 64 passes at once. */
#define SLEEPERS	300

static void want_readonly(struct cell *cell)
{
	scene_pageout(cell);
	luf_want("pageout", "generation=1 open=1 unmaps_readonly=%zu "
		 "unmaps_mixed=0 flushes=1 flushes_mixed=0", cell->pages);
	scene_cushion();
	scene_flush(cell);
	luf_want("flush", "open=-1 saved=1");
}

static void want_mixed(struct cell *cell)
{
	scene_pageout(cell);
	luf_want("pageout", "generation=0 unmaps_readonly=0 "
		 "unmaps_mixed=%zu flushes=1 flushes_mixed=1", cell->pages);
}

static struct cell *recognise(int open_flags, int prot, int map_flags)
{
	struct cell *cell;

	file_make(path_a);
	cell = scene_cell(path_a, A_CPU);
	cell->open_flags = open_flags;
	cell->prot = prot;
	cell->map_flags = map_flags;
	scene_ready(cell);
	return cell;
}

void run_private(void)
{
	want_readonly(recognise(O_RDONLY, PROT_READ, MAP_PRIVATE));
}

/* Writes through this mapping go to copies. The file's own pages are never writable through it. */
void run_private_writable(void)
{
	want_readonly(recognise(O_RDONLY, PROT_READ | PROT_WRITE, MAP_PRIVATE));
}

/*
 * A task that has the file open for writing may be about to write, or be in the middle of a
 * write.
 */
void run_open_write(void)
{
	struct cell *cell = recognise(O_RDONLY, PROT_READ, MAP_PRIVATE);
	int fd = open(path_a, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		die_environment("%s: %s", path_a, strerror(errno));
	scene_pageout(cell);
	luf_want("pageout", "generation=1 given_up_open_write=1 "
		 "unmaps_readonly=%zu flushes=1 flushes_mixed=0", cell->pages);
	close(fd);
}

void run_shared(void)
{
	want_readonly(recognise(O_RDONLY, PROT_READ, MAP_SHARED));
}

/* A single mprotect() would allow a store. */
void run_shared_may(void)
{
	want_mixed(recognise(O_RDWR, PROT_READ, MAP_SHARED));
}

void run_shared_writable(void)
{
	want_mixed(recognise(O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED));
}

static long protect_readonly(struct cell *cell, long unused)
{
	size_t i, bytes = cell->pages * PAGE_BYTES;

	(void)unused;
	for (i = 0; i < cell->pages; i++)
		*(volatile char *)(cell->map + i * PAGE_BYTES) = 1;
	return mprotect(cell->map, bytes, PROT_READ) ||
	       msync(cell->map, bytes, MS_SYNC) || fsync(cell->fd);
}

/* It was written, is now read-only and clean, and can be made writable again. */
void run_mprotected(void)
{
	struct cell *cell = recognise(O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED);

	if (cell_call(cell, protect_readonly, 0))
		die_environment("mprotect: %s", strerror(errno));
	want_mixed(cell);
}

/* Somebody else's mapping is writable, though none of its pages was touched. */
void run_other_writable(void)
{
	struct cell *cell;
	int fd;

	file_make(path_a);
	/* This process is made first. Otherwise it would inherit the mapping. */
	cell = scene_cell(path_a, A_CPU);
	fd = open(path_a, O_RDWR | O_CLOEXEC);
	if (mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
	    MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	scene_ready(cell);
	want_mixed(cell);
}

/* Pages that write(2) left in the page cache, and that have been cleaned since. */
void run_written(void)
{
	static char page[PAGE_BYTES];
	struct cell *cell;
	size_t i;
	int fd;

	file_make(path_a);
	cell = scene_cell(path_a, A_CPU);
	fd = open(path_a, O_WRONLY | O_CLOEXEC);
	for (i = 0; i < cell->pages; i++)
		if (write(fd, page, sizeof(page)) != sizeof(page))
			die_environment("write: %s", strerror(errno));
	if (fsync(fd))
		die_environment("fsync: %s", strerror(errno));
	close(fd);
	drain_lru();
	scene_ready(cell);
	want_readonly(cell);
}

void run_shmem_clean(void)
{
	struct cell *cell;

	shmem_make(path_a);
	cell = scene_cell(path_a, A_CPU);
	cell->map_flags = MAP_SHARED;
	scene_ready(cell);
	want_readonly(cell);
}

void run_shmem_writable(void)
{
	struct cell *cell;

	shmem_make(path_a);
	cell = scene_cell(path_a, A_CPU);
	cell->open_flags = O_RDWR;
	cell->map_flags = MAP_SHARED;
	scene_ready(cell);
	want_mixed(cell);
}

/* --- with swap ---------------------------------------------------------------- */

static bool swap_is_on(void)
{
	char text[512];
	ssize_t got;
	int fd = open("/proc/swaps", O_RDONLY | O_CLOEXEC);

	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	return strchr(text, '/') != NULL;
}

static long store_all(struct cell *cell, long unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i < cell->pages; i++)
		*(volatile char *)(cell->map + i * PAGE_BYTES) = 1;
	return 0;
}

static long settle(struct cell *cell, long unused)
{
	(void)cell;
	(void)unused;
	sync();
	sleep_ms(300);
	return 0;
}

static void want_no_generation(struct cell *cell, const char *when)
{
	cell_call(cell, cell_pageout, 0);
	luf_want(when, "generation=0 unmaps_readonly=0 unmaps_mixed=%zu",
		 cell->pages);
}

/*
 * Private copies are anonymous. When they are read back they are clean and in the swap
 * cache. Nobody maps the swap cache's address space.
 */
void run_anon(void)
{
	struct cell *cell;

	if (!swap_is_on())
		luf_skip("no swap");
	cell = recognise(O_RDONLY, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	cell_call(cell, store_all, 0);
	want_no_generation(cell, "anonymous");
	cell_call(cell, settle, 0);
	cell_call(cell, cell_touch, 0);
	want_no_generation(cell, "in the swap cache");
}

/* One pass over pages of the file, followed by private copies of other pages. */
static long store_last(struct cell *cell, long count)
{
	size_t i;

	for (i = cell->pages - (size_t)count; i < cell->pages; i++)
		*(volatile char *)(cell->map + i * PAGE_BYTES) = 1;
	return 0;
}

void run_mixed_pass(void)
{
	struct cell *cell;

	if (!swap_is_on())
		luf_skip("no swap");
	cell = recognise(O_RDONLY, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	cell_call(cell, store_last, 1);
	cell_call(cell, cell_pageout, 0);
	luf_want("pageout", "generation=0 unmaps_readonly=%zu "
		 "unmaps_mixed=1 flushes=1 flushes_mixed=1", cell->pages - 1);
}

/* --- by several processes ----------------------------------------------------- */

static sem_t sleepers_go;

static void *sleeper(void *reply)
{
	int fd = open(path_a, O_RDONLY | O_CLOEXEC);
	char *map = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);

	if (map == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	*(volatile char *)map;
	if (madvise(map, PAGE_BYTES, MADV_PAGEOUT))
		die_environment("MADV_PAGEOUT: %s", strerror(errno));
	sem_post(reply);
	sem_wait(&sleepers_go);
	return NULL;
}

/* Many more passes than there is room for. A task that sleeps after its pass is in no pass. */
void run_sleepers(void)
{
	int64_t unseen = luf_read("stats/passes_unseen");
	pthread_t thread;
	unsigned int i;
	sem_t reply;

	file_make(path_a);
	sem_init(&reply, 0, 0);
	sem_init(&sleepers_go, 0, 0);
	for (i = 0; i < SLEEPERS; i++) {
		start_thread(&thread, sleeper, &reply);
		sem_wait(&reply);
	}
	luf_compare("sleepers", luf_index("passes_unseen"),
		    luf_read("stats/passes_unseen") - unseen, 0);
}

/* Pages that two processes map: each counts once. */
void run_forked(void)
{
	struct cell *cell, *other;
	int64_t made;

	file_make(path_a);
	cgroup_enter();
	cell = scene_cell(path_a, A_CPU);
	other = scene_cell(path_a, B_CPU);
	cgroup_leave();
	scene_ready(cell);
	scene_ready(other);
	made = luf_last.value[0];
	cgroup_reclaim(cell);
	made = luf_read("generation") - made;
	if (made < 1)
		say(STDOUT_FILENO, "no generation was made\n");
	luf_want("reclaim", "generation=%" PRId64 " open=%" PRId64
		 " unmaps_readonly=%zu unmaps_mixed=0", made ? made : 1,
		 made ? made : 1, cell->pages);
	scene_cushion();
	scene_flush(cell);
	/* That flush doesn't cover the other process's CPU. */
	luf_want("flush of one", "open=0");
	scene_flush(other);
	luf_want("flush of the other", "open=%" PRId64 " saved=%" PRId64,
		 -made, made);
}
