/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages that are used again through the bulk allocator, of which mm_page_alloc tells
 * nothing.
 *
 * The pages of a block device are unmovable, as those of vmalloc() are, so that both
 * are on the same list of this CPU's free pages: the last ones freed are the first
 * that a vmalloc() gets. Which pages it had is seen when it frees them, by the
 * kmem:mm_page_free event.
 */
#ifndef LUF_BULK_H
#define LUF_BULK_H

#include "luf_scene.h"

#define LUF_TRACE	"/sys/kernel/tracing/instances/luf_oracle"
#define BULK_BYTES	(1UL << 20)
#define ZRAM		"/sys/block/zram0/"

static inline void trace_open(void)
{
	char pid[32];

	if (mkdir(LUF_TRACE, 0700) && errno != EEXIST)
		die_environment("%s: %s", LUF_TRACE, strerror(errno));
	luf_write(LUF_TRACE "/tracing_on", "0");
	luf_write(LUF_TRACE "/trace", "");
	snprintf(pid, sizeof(pid), "%d", getpid());
	luf_write(LUF_TRACE "/set_event_pid", pid);
	luf_write(LUF_TRACE "/events/kmem/mm_page_free/enable", "1");
	luf_write(LUF_TRACE "/events/kmem/mm_page_alloc/enable", "1");
}

static inline void trace_close(void)
{
	luf_write(LUF_TRACE "/events/enable", "0");
	rmdir(LUF_TRACE);
}

/* How many of the cell's page frames an event names. */
static inline size_t trace_count(const struct cell *cell, const char *event)
{
	bool seen[CELL_MAX_PAGES] = { false };
	FILE *file = fopen(LUF_TRACE "/trace", "re");
	size_t count = 0, i;
	char line[512];

	if (!file)
		die_environment("%s: %s", LUF_TRACE, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		char *frame = strstr(line, event);
		uint64_t number;

		frame = frame ? strstr(frame, "pfn=") : NULL;
		if (!frame)
			continue;
		number = strtoull(frame + 4, NULL, 0);
		for (i = 0; i < cell->pages; i++)
			if (cell->frames[i] == number)
				seen[i] = true;
	}
	fclose(file);
	for (i = 0; i < cell->pages; i++)
		count += seen[i];
	return count;
}

/*
 * A generation of a block device's pages. Only what is to take them is done on their
 * CPU: whatever else the program does allocates there as well.
 */
static inline struct cell *bulk_begin(void)
{
	struct cell *cell;

	trace_open();
	cell = scene_cell(scene_device, A_CPU);
	cell->map_flags = MAP_SHARED;
	scene_ready(cell);
	scene_begin(cell);
	return cell;
}

static inline void bulk_taken(const struct cell *cell)
{
	size_t freed, told;

	freed = trace_count(cell, "mm_page_free:");
	told = trace_count(cell, "mm_page_alloc:");
	trace_close();
	say(STDOUT_FILENO, "pages taken=%zu told=%zu\n", freed, told);
	/* 7.x's vmalloc() asks for large pages first; mm_page_alloc tells of those. */
	if (!freed || told)
		luf_skip("the bulk allocator didn't take the pages");
}

/*
 * The module's image is copied to what vmalloc() gives; there is none at that
 * address, and all is freed again. When the flush comes, the pages look as free as
 * before.
 */
static inline void run_bulk(void)
{
	struct cell *cell = bulk_begin();
	bool failed;

	luf_write(LUF_TRACE "/tracing_on", "1");
	must_pin(RECLAIM_CPU);
	failed = syscall(SYS_init_module, NULL, BULK_BYTES, "") != 0;
	must_pin(ACTOR_CPU);
	luf_write(LUF_TRACE "/tracing_on", "0");
	if (!failed)
		die_environment("init_module: %s", strerror(errno));
	bulk_taken(cell);
	luf_want("vmalloc and vfree", "open=-1 needed=1");
	cell_call(cell, cell_flush, 0);
	luf_want("flush", "open=0");
}

/* zram's table is vmalloc()ed, and stays: the pages are in use when the flush comes. */
static inline void run_bulk_held(void)
{
	struct cell *cell;
	struct luf now;

	if (access(ZRAM "disksize", W_OK))
		luf_skip("no zram");
	luf_write(ZRAM "reset", "1");
	cell = bulk_begin();
	luf_write(LUF_TRACE "/tracing_on", "1");
	must_pin(RECLAIM_CPU);
	luf_write(ZRAM "disksize", "256M");
	must_pin(ACTOR_CPU);
	cell_call(cell, cell_flush, 0);
	luf_snapshot(&now);
	luf_write(ZRAM "reset", "1");
	luf_write(LUF_TRACE "/tracing_on", "0");
	bulk_taken(cell);
	luf_want("vmalloc and flush", "open=-1 needed=1");
}

#endif
