// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that are used again through the bulk allocator. mm_page_alloc doesn't tell of
 * these.
 *
 * The pages of a block device are unmovable. So are the pages into which splice() reads a
 * device, and those of vmalloc(). So all of them are on the same list of this CPU's free
 * pages, and the last ones freed are taken first. The kmem:mm_page_free event tells which
 * pages were taken, when they are freed.
 */
#include "scenarios.h"
#include "scene.h"

#include <sys/stat.h>

#define LUF_TRACE	"/sys/kernel/tracing/instances/luf_oracle"
#define BULK_BYTES	(1UL << 20)
#define ZRAM		"/sys/block/zram0/"
#define KPROBES		"/sys/kernel/debug/kprobes/enabled"

static void trace_open(void)
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

static void trace_close(void)
{
	luf_write(LUF_TRACE "/events/enable", "0");
	rmdir(LUF_TRACE);
}

/* How many of the cell's page frames occur in an event. */
static size_t trace_count(const struct cell *cell, const char *event)
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
 * How the bulk allocator is made to take pages, and to give them back. A function that is
 * called on RECLAIM_CPU allocates nothing else there.
 */
struct bulk_way {
	void (*prepare)(bool hold);
	/* The pages that it takes are free again when it returns. */
	void (*use)(void);
	void (*take)(void);
	void (*give)(void);
};

/*
 * Since 6.5: splice() from a character device into a pipe of as many pages as a cell has.
 * The pipe holds the pages until they are spliced to /dev/null.
 */
static int bulk_pipe[2], bulk_zero, bulk_null;

static void splice_take(void)
{
	if (splice(bulk_zero, NULL, bulk_pipe[1], NULL, CELL_PAGES * PAGE_BYTES, 0) !=
	    (ssize_t)(CELL_PAGES * PAGE_BYTES))
		die_environment("splice to a pipe: %s", strerror(errno));
}

static void splice_give(void)
{
	if (splice(bulk_pipe[0], NULL, bulk_null, NULL, CELL_PAGES * PAGE_BYTES, 0) !=
	    (ssize_t)(CELL_PAGES * PAGE_BYTES))
		die_environment("splice from a pipe: %s", strerror(errno));
}

static void splice_use(void)
{
	splice_take();
	splice_give();
}

/* Done once on that CPU, so that the kernel has from then on what it needs for each time. */
static void splice_prepare(bool hold)
{
	(void)hold;
	bulk_zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	bulk_null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (bulk_zero < 0 || bulk_null < 0 || pipe2(bulk_pipe, O_CLOEXEC))
		die_environment("no pipe: %s", strerror(errno));
	must_pin(RECLAIM_CPU);
	splice_use();
	must_pin(ACTOR_CPU);
}

/*
 * Before 6.5: vmalloc() (on 7.x it asks for large pages first). init_module() copies a
 * module's image to memory of vmalloc(). There is no image at the given address, so all of
 * this memory is freed again.
 */
static void vmalloc_use(void)
{
	if (!syscall(SYS_init_module, NULL, BULK_BYTES, ""))
		die_environment("init_module did something");
}

/* zram's table comes from vmalloc(), by one call of the allocator, and stays allocated. */
static void vmalloc_take(void)
{
	luf_write(ZRAM "disksize", "64M");
}

static void vmalloc_give(void)
{
	luf_write(ZRAM "reset", "1");
}

static void vmalloc_prepare(bool hold)
{
	if (!hold)
		return;
	if (access(ZRAM "disksize", W_OK))
		luf_skip("no zram");
	vmalloc_give();
}

static const struct bulk_way bulk_splice = {
	splice_prepare, splice_use, splice_take, splice_give,
};

static const struct bulk_way bulk_vmalloc = {
	vmalloc_prepare, vmalloc_use, vmalloc_take, vmalloc_give,
};

static const struct bulk_way *bulk_find(void)
{
	return kernel_version() >= KERNEL_VERSION(6, 5, 0) ? &bulk_splice : &bulk_vmalloc;
}

/* Who is to use the pages that the next generation frees. These pages are traced. */
static const struct bulk_way *bulk;

static void bulk_use(void)
{
	must_pin(RECLAIM_CPU);
	bulk->use();
	must_pin(ACTOR_CPU);
}

static void bulk_take(void)
{
	must_pin(RECLAIM_CPU);
	bulk->take();
	must_pin(ACTOR_CPU);
}

/*
 * A generation of a block device's pages. Only the function that is to take them runs on
 * their CPU, since anything else that the program does would allocate there as well.
 */
static struct cell *bulk_begin(bool hold)
{
	struct cell *cell;

	bulk = bulk_find();
	bulk->prepare(hold);
	trace_open();
	cell = scene_cell(scene_device, A_CPU);
	cell->map_flags = MAP_SHARED;
	scene_ready(cell);
	scene_begin(cell);
	luf_write(LUF_TRACE "/tracing_on", "1");
	return cell;
}

static void bulk_taken(const struct cell *cell)
{
	size_t freed, told;

	luf_write(LUF_TRACE "/tracing_on", "0");
	freed = trace_count(cell, "mm_page_free:");
	told = trace_count(cell, "mm_page_alloc:");
	trace_close();
	say(STDOUT_FILENO, "pages taken=%zu told=%zu\n", freed, told);
	if (!freed || told)
		luf_skip("the bulk allocator didn't take the pages");
}

/* The pages are free again when the flush comes, so a look at them shows nothing. */
void run_bulk(void)
{
	struct cell *cell = bulk_begin(false);

	bulk_use();
	bulk_taken(cell);
	luf_want("taken and given back", "open=-1 needed=1");
	scene_flush(cell);
	luf_want("flush", "open=0");
}

/* The pages are in use when the flush comes. */
void run_bulk_held(void)
{
	struct cell *cell = bulk_begin(true);
	struct luf now;

	bulk_take();
	scene_flush(cell);
	luf_snapshot(&now);
	bulk->give();
	bulk_taken(cell);
	luf_want("taken and flush", "open=-1 needed=1");
}

/* --- untold, as a debug build has it (luf_break=11, or 2) ------------------------------ */

/* No event tells of the use, but the pages aren't free. A look at the pages shows it. */
void run_bulk_untold(void)
{
	struct cell *cell = bulk_begin(true);

	bulk_take();
	luf_want("taken", "open=0");
	scene_flush(cell);
	luf_want("flush", "open=-1 needed=1");
	bulk->give();
	bulk_taken(cell);
}

/* --- kprobes switched off: nothing here may depend on them ---------------------------- */

void run_bulk_kprobes(void)
{
	if (access(KPROBES, W_OK))
		luf_skip("no " KPROBES);
	luf_write(KPROBES, "0");
	run_bulk();
	luf_write(KPROBES, "1");
}
