// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rule L11: every event by which a stale read-only entry could be seen gives up the
 * generations of its file, and of no other file.
 *
 * The event happens to file A. If the cell's own process causes it, the row has a function
 * that runs in the cell. Otherwise the row has a function that runs in the program, which
 * maps nothing.
 */
#include "events.h"
#include "scene.h"

#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE	101
#endif

#define UPROBE_EVENTS	"/sys/kernel/tracing/uprobe_events"
#define UPROBE_ENABLE	"/sys/kernel/tracing/events/uprobes/luf_oracle/enable"
/* Nothing is there. */
#define OTHER_AT	(FILE_AT + (1UL << 32))

static size_t a_bytes(const struct cell *a)
{
	return a->pages * PAGE_BYTES;
}

/* --- in the cell ------------------------------------------------------------ */

static long event_munmap(struct cell *a, long unused)
{
	(void)unused;
	return munmap(a->map, a_bytes(a));
}

static long event_map_fixed(struct cell *a, long unused)
{
	(void)unused;
	return mmap(a->map, a_bytes(a), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
		    MAP_FIXED, -1, 0) == MAP_FAILED;
}

static long event_dontneed(struct cell *a, long unused)
{
	(void)unused;
	return madvise(a->map, a_bytes(a), MADV_DONTNEED);
}

static long event_mprotect(struct cell *a, long unused)
{
	(void)unused;
	return mprotect(a->map, a_bytes(a), PROT_NONE);
}

static long event_mremap(struct cell *a, long unused)
{
	(void)unused;
	return mremap(a->map, a_bytes(a), a_bytes(a),
		      MREMAP_MAYMOVE | MREMAP_FIXED, OTHER_AT) == MAP_FAILED;
}

static long event_write_fault(struct cell *a, long unused)
{
	(void)unused;
	*(volatile char *)(a->map + PAGE_BYTES) = 1;
	return 0;
}

/* The page is there again, read-only. Only a fault by protection tells of the write. */
static long event_wp_fault(struct cell *a, long unused)
{
	(void)unused;
	*(volatile char *)(a->map + PAGE_BYTES);
	*(volatile char *)(a->map + PAGE_BYTES) = 1;
	return 0;
}

static long event_gup_write(struct cell *a, long unused)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	ssize_t put;

	(void)unused;
	put = fd < 0 ? -1 : pwrite(fd, "", 1, (off_t)(uintptr_t)a->map);
	close(fd);
	return put != 1;
}

static long event_gup_read_into(struct cell *a, long unused)
{
	int fd = open(path_b, O_RDONLY | O_DIRECT | O_CLOEXEC);
	ssize_t got;

	(void)unused;
	got = fd < 0 ? -1 : pread(fd, a->map, PAGE_BYTES, 0);
	close(fd);
	return got != (ssize_t)PAGE_BYTES;
}

static long event_collapse(struct cell *a, long unused)
{
	(void)unused;
	return madvise(a->map, HUGE_BYTES, MADV_COLLAPSE) ? -errno : 0;
}

/* A page that stayed in memory is migrated. Nothing else happens to it. */
static long event_soft_offline(struct cell *a, long unused)
{
	char *page = a->map + a_bytes(a);

	(void)unused;
	*(volatile char *)page;
	return madvise(page, PAGE_BYTES, MADV_SOFT_OFFLINE) ? -errno : 0;
}

/* --- by the program --------------------------------------------------------- */

static long event_exit(struct cell *a)
{
	kill(a->pid, SIGKILL);
	return waitpid(a->pid, NULL, 0) != a->pid;
}

static long event_truncate(struct cell *a)
{
	return truncate(a->path, (off_t)PAGE_BYTES);
}

static long event_open_trunc(struct cell *a)
{
	int fd = open(a->path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

/* Maps the file a second time, and touches no page. */
static long map_again(struct cell *a, int prot, int open_flags, int flags)
{
	int fd = open(a->path, open_flags | O_CLOEXEC);
	void *map = mmap(NULL, PAGE_BYTES, prot, flags, fd, 0);

	close(fd);
	return map == MAP_FAILED;
}

/* Some parts of the kernel write to a file that they have only opened. */
static long event_open(struct cell *a)
{
	int fd = open(a->path, O_RDWR | O_CLOEXEC);

	return fd < 0 || close(fd);
}

static long event_shared_map(struct cell *a)
{
	return map_again(a, PROT_READ | PROT_WRITE, O_RDWR, MAP_SHARED);
}

/* mprotect() could make it writable any time. */
static long event_shared_may(struct cell *a)
{
	return map_again(a, PROT_READ, O_RDWR, MAP_SHARED);
}

static long event_uprobe(struct cell *a)
{
	char line[320];

	snprintf(line, sizeof(line), "p:luf_oracle %s:0x10", a->path);
	luf_write(UPROBE_EVENTS, line);
	luf_write(UPROBE_ENABLE, "1");
	return 0;
}

static void event_uprobe_end(void)
{
	luf_write(UPROBE_ENABLE, "0");
	luf_write(UPROBE_EVENTS, "-:luf_oracle");
}

static long event_cpu_offline(struct cell *a)
{
	static const char online[] = "/sys/devices/system/cpu/cpu3/online";

	(void)a;
	/* Without this the kernel would complain that it has to move a pinned page. */
	for (size_t i = 0; i < cells_nr; i++)
		if (cells[i]->spin_cpu == B_CPU)
			cell_spin_on(cells[i], ACTOR_CPU);
	luf_write(online, "0");
	luf_write(online, "1");
	return 0;
}

static long event_off(struct cell *a)
{
	(void)a;
	luf_mode("off");
	luf_mode("track");
	return 0;
}

/* Events by which no stale entry can be seen: nothing may be given up. */
static long event_harmless(struct cell *a)
{
	char byte;
	int fd = open(a->path, O_RDONLY | O_CLOEXEC);
	long failed = fd < 0 || pread(fd, &byte, 1, 0) != 1;

	failed |= posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
	failed |= fsync(fd) | close(fd);
	failed |= map_again(a, PROT_READ, O_RDONLY, MAP_SHARED);
	failed |= map_again(a, PROT_READ | PROT_WRITE, O_RDONLY, MAP_PRIVATE);
	return failed;
}

#define RW	(PROT_READ | PROT_WRITE)

const struct event events[] = {
	{ .name = "write", .reason = "written", .outside = event_write },
	{ .name = "pwrite", .reason = "written", .outside = event_pwrite },
	{ .name = "pwritev2", .reason = "written", .outside = event_pwritev2 },
	{ .name = "direct", .reason = "written", .outside = event_direct },
	{ .name = "splice", .reason = "written", .outside = event_splice },
	{ .name = "sendfile", .reason = "written", .outside = event_sendfile },
	{ .name = "copy_file_range", .reason = "written",
	  .outside = event_copy_file_range },
	{ .name = "aio", .reason = "written", .outside = event_aio },
	{ .name = "io_uring", .reason = "written", .outside = event_io_uring },
	{ .name = "fallocate", .reason = "written", .outside = event_fallocate },
	{ .name = "punch", .reason = "written", .outside = event_punch },
	{ .name = "reflink", .reason = "written", .outside = event_reflink },
	{ .name = "truncate", .reason = "truncated", .outside = event_truncate },
	{ .name = "open_trunc", .reason = "written",
	  .outside = event_open_trunc },
	{ .name = "munmap", .reason = "unmapped", .in_cell = event_munmap },
	{ .name = "map_fixed", .reason = "unmapped",
	  .in_cell = event_map_fixed },
	{ .name = "dontneed", .reason = "unmapped", .in_cell = event_dontneed },
	{ .name = "exit", .reason = "unmapped", .outside = event_exit },
	{ .name = "mprotect", .reason = "mprotect", .in_cell = event_mprotect },
	{ .name = "mremap", .reason = "mremap", .in_cell = event_mremap },
	{ .name = "write_fault", .reason = "write_fault",
	  .in_cell = event_write_fault, .prot = RW },
	{ .name = "wp_fault", .reason = "write_fault",
	  .in_cell = event_wp_fault, .prot = RW },
	{ .name = "gup_write", .reason = "write_fault",
	  .in_cell = event_gup_write, .prot = RW },
	{ .name = "gup_direct", .reason = "write_fault",
	  .in_cell = event_gup_read_into, .prot = RW },
	{ .name = "open", .reason = "written", .outside = event_open },
	{ .name = "shared_map", .reason = "written",
	  .outside = event_shared_map },
	{ .name = "shared_may", .reason = "written",
	  .outside = event_shared_may },
	{ .name = "uprobe", .reason = "uprobe", .outside = event_uprobe,
	  .prot = PROT_READ | PROT_EXEC },
	{ .name = "collapse", .reason = "collapsed", .in_cell = event_collapse,
	  .map_flags = MAP_SHARED, .shmem = true,
	  .stay = HUGE_BYTES / PAGE_BYTES - CELL_PAGES },
	{ .name = "migrate", .reason = "migrated",
	  .in_cell = event_soft_offline, .stay = 1 },
	{ .name = "offline", .reason = "hotplug", .outside = event_cpu_offline,
	  .all = true },
	{ .name = "off", .reason = "off", .outside = event_off, .all = true },
	{ .name = "uffd_copy", .reason = "userfaultfd", .prepare = uffd_missing,
	  .in_cell = event_uffd_copy, .shmem = true },
	/* It can't be told whose VMA this is. */
	{ .name = "uffd_zeropage", .reason = "userfaultfd",
	  .prepare = uffd_missing, .in_cell = event_uffd_zeropage,
	  .shmem = true },
	{ .name = "uffd_poison", .reason = "userfaultfd",
	  .prepare = uffd_poisonable, .in_cell = event_uffd_poison,
	  .shmem = true },
	{ .name = "uffd_continue", .reason = "userfaultfd",
	  .prepare = uffd_minor, .in_cell = event_uffd_continue, .shmem = true },
	{ .name = "uffd_protect", .reason = "mprotect", .prepare = uffd_wp,
	  .in_cell = event_uffd_protect, .shmem = true },
	{ .name = "guard", .reason = "mprotect", .in_cell = event_guard },
	{ .name = "harmless", .outside = event_harmless },
	{ .name = "metadata", .outside = event_metadata },
	{ .name = "refault", .in_cell = event_refault },
	{ .name = "uffd_anon", .prepare = uffd_missing_anon,
	  .in_cell = event_uffd_anon },
	{ .name = "guard_anon", .in_cell = event_guard_anon },
};

const size_t events_nr = ARRAY_SIZE(events);

/**
 * run_event() - A's generation is given up for that reason, B's stays
 * @event:	row of the table
 */
void run_event(const struct event *event)
{
	struct cell *a, *b;
	long failed;

	if (event->shmem)
		shmem_make(path_a);
	else
		file_make(path_a);
	file_make(path_b);
	b = scene_cell(path_b, B_CPU);
	a = scene_cell(path_a, A_CPU);
	if (event->prot)
		a->prot = event->prot;
	if (event->map_flags)
		a->map_flags = event->map_flags;
	a->stay = event->stay;
	scene_ready(b);
	scene_ready(a);
	failed = event->prepare ? cell_call(a, event->prepare, 0) : 0;
	if (failed)
		luf_skip("no %s here: %s", event->name, strerror((int)-failed));
	scene_begin(b);
	scene_begin(a);
	scene_cushion();

	if (event->in_cell) {
		cell_call(a, cell_move, ACTOR_CPU);
		failed = cell_call(a, event->in_cell, 0);
	} else {
		failed = event->outside(a);
	}
	if (failed < 0)
		luf_skip("%s doesn't work here: %s", event->name,
			 strerror(event->in_cell ? (int)-failed : errno));
	if (failed)
		die_environment("%s failed: %s", event->name, strerror(errno));
	if (!event->reason)
		luf_want(event->name, "open=0");
	else
		luf_want(event->name, "open=%d given_up_%s=%d",
			 event->all ? -2 : -1, event->reason, event->all ? 2 : 1);

	/* B's generation is still open, and can still be saved. */
	scene_flush(b);
	if (event->all)
		luf_want("flush of B", "open=0");
	else
		luf_want("flush of B", "open=-1 saved=1");
	if (!event->reason) {
		scene_flush(a);
		luf_want("flush of A", "open=-1 saved=1");
	}
	if (event->outside == event_uprobe)
		event_uprobe_end();
}
