// SPDX-License-Identifier: GPL-2.0-only
/*
 * A block of memory goes and comes back: all open generations are given up, each time
 * (rule L17).
 */
#include "scenarios.h"
#include "scene.h"

#include <time.h>

#define MEMORY		"/sys/devices/system/memory/"
#define MAX_BLOCKS	65536
/* The kernel tries again and again to empty a block, until a signal comes. */
#define OFFLINE_SECONDS	5

static void memory_enough(int signal)
{
	(void)signal;
}

static bool memory_write(unsigned long block, const char *state)
{
	struct sigaction action = { .sa_handler = memory_enough };
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1,
	};
	struct itimerspec end = { .it_value.tv_sec = OFFLINE_SECONDS };
	char path[96];
	bool written;
	timer_t timer;
	int fd, error;

	snprintf(path, sizeof(path), MEMORY "memory%lu/state", block);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	sigaction(SIGUSR1, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &end, NULL))
		die_environment("no timer: %s", strerror(errno));
	written = write(fd, state, strlen(state)) > 0;
	error = errno;
	timer_delete(timer);
	close(fd);
	errno = error;
	return written;
}

static unsigned long block_pages(void)
{
	unsigned long bytes = 0;
	FILE *file = fopen(MEMORY "block_size_bytes", "re");

	if (!file || fscanf(file, "%lx", &bytes) != 1 || !bytes)
		luf_skip("no hotplug of memory in this kernel");
	fclose(file);
	return bytes / PAGE_BYTES;
}

/* A block that has a page marked as bad can go offline, but doesn't come back. */
static bool memory_tried(unsigned long block)
{
	if (!memory_write(block, "offline"))
		return false;
	if (memory_write(block, "online"))
		return true;
	say(STDOUT_FILENO, "block %lu is lost: %s\n", block, strerror(errno));
	return false;
}

/*
 * Finds a block that the kernel can do without, preferably the one with the cell's pages.
 * While a block goes offline, each CPU's list of free pages is empty. So the block is
 * looked for before there is a generation: otherwise others would take the generation's
 * pages.
 */
static unsigned long memory_find(const struct cell *cell)
{
	unsigned long own = cell->frames[0] / block_pages(), block;

	if (memory_tried(own))
		return own;
	for (block = MAX_BLOCKS; --block;)
		if (block != own && memory_tried(block))
			return block;
	luf_skip("no block of memory can be offlined here");
}

static size_t memory_holds(unsigned long block, const struct cell *cell)
{
	unsigned long pages = block_pages();
	size_t i, inside = 0;

	for (i = 0; i < cell->pages; i++)
		inside += cell->frames[i] / pages == block;
	return inside;
}

static void memory_begin(struct cell *cell)
{
	cell_call(cell, cell_arm, 0);
	cell_call(cell, cell_touch, 0);
	scene_begin(cell);
}

/*
 * All open generations end here. They are given up, except those whose pages others took
 * just before, when the lists were emptied. These are rarely all. True if one was given up.
 */
static bool memory_ends(const char *when, int64_t nr)
{
	int64_t needed = luf_read("stats/generations_needed") -
			 luf_last.value[luf_index("needed")];

	luf_want(when, "open=%" PRId64 " needed=%" PRId64
		 " given_up_hotplug=%" PRId64, -nr, needed, nr - needed);
	return needed < nr;
}

/* True if offlining and onlining were both seen to give up generations. */
static bool memory_round(struct cell *a, struct cell *b, unsigned long block)
{
	bool given_up;

	memory_begin(b);
	memory_begin(a);
	scene_cushion();
	say(STDOUT_FILENO, "block %lu, with %zu pages\n", block,
	    memory_holds(block, a) + memory_holds(block, b));
	if (!memory_write(block, "offline"))
		luf_skip("block %lu could be offlined once, and not again", block);
	given_up = memory_ends("offline", 2);
	/* Later flushes must not complete generations that have ended. */
	scene_flush(a);
	scene_flush(b);
	luf_want("flush", "open=0");
	memory_begin(a);
	scene_cushion();
	if (!memory_write(block, "online"))
		die_environment("block %lu doesn't come back: %s", block,
				strerror(errno));
	given_up &= memory_ends("online", 1);
	scene_flush(a);
	luf_want("flush", "open=0");
	return given_up;
}

void run_memory(void)
{
	unsigned int tries = 3;
	unsigned long block;
	struct cell *a, *b;

	file_make(path_a);
	file_make(path_b);
	b = scene_cell(path_b, B_CPU);
	a = scene_cell(path_a, A_CPU);
	scene_ready(b);
	scene_ready(a);
	block = memory_find(a);
	while (!memory_round(a, b, block))
		if (!--tries)
			luf_skip("others take the pages");
	memory_begin(a);
	scene_cushion();
	scene_flush(a);
	luf_want("another, and flush", "open=-1 saved=1");
}
