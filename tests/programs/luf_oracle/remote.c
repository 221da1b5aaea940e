// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generations that are given up as they begin: those of files that somebody else may change
 * unseen, and those of passes that an event hits in the middle.
 */
#include "events.h"
#include "scenarios.h"
#include "scene.h"

#include <linux/fuse.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define FUSE_BUFFER	65536
#define PAUSE_DIR	"/sys/module/pause/parameters/"

static void want_remote(struct cell *cell)
{
	scene_pageout(cell);
	luf_want("pageout", "generation=1 open=0 given_up_remote=1 "
		 "unmaps_readonly=%zu unmaps_mixed=0 flushes=1 flushes_mixed=0",
		 cell->pages);
}

/* --- a block device ------------------------------------------------------------- */

/*
 * A device counts as remote only while somebody holds it: a file system would write past
 * its page cache. The device's pages aren't movable, so the kernel's own allocations would
 * take them. So in the end the scenario only checks that there is a generation.
 */
void run_remote_device(void)
{
	int fd = open(scene_device, O_RDONLY | O_EXCL | O_CLOEXEC);
	struct cell *cell;

	if (fd < 0)
		luf_skip("%s: %s", scene_device, strerror(errno));
	cell = scene_cell(scene_device, A_CPU);
	cell->map_flags = MAP_SHARED;
	scene_ready(cell);
	want_remote(cell);
	/* The cell has it, too. */
	cells_end();
	close(fd);

	cell = scene_cell(scene_device, A_CPU);
	cell->map_flags = MAP_SHARED;
	scene_ready(cell);
	scene_begin(cell);
	luf_mode("off");
	luf_want("off", "open=-1 given_up_off=1");
	luf_mode("track");
}

/*
 * An open goes by the device's node, so it isn't seen as an event of the device. What
 * follows is seen.
 */
static struct cell *device_open(void)
{
	struct cell *cell = scene_cell(scene_device, A_CPU);

	cell->map_flags = MAP_SHARED;
	scene_ready(cell);
	scene_begin(cell);
	return cell;
}

void run_device_write(void)
{
	int fd = open(scene_device, O_RDWR | O_CLOEXEC);
	char *page = cushion + PAGE_BYTES;

	/* Writes what is there already, from a page that the cell doesn't map. */
	if (fd < 0 || pread(fd, page, PAGE_BYTES, CELL_MAX_PAGES * PAGE_BYTES) !=
	    (ssize_t)PAGE_BYTES)
		luf_skip("%s: %s", scene_device, strerror(errno));
	device_open();
	if (pwrite(fd, page, PAGE_BYTES, CELL_MAX_PAGES * PAGE_BYTES) !=
	    (ssize_t)PAGE_BYTES)
		die_environment("%s: %s", scene_device, strerror(errno));
	luf_want("write", "open=-1 given_up_written=1");
	close(fd);
}

void run_device_map(void)
{
	int fd = open(scene_device, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		luf_skip("%s: %s", scene_device, strerror(errno));
	device_open();
	if (mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
	    MAP_FAILED)
		die_environment("%s: %s", scene_device, strerror(errno));
	luf_want("shared mapping", "open=-1 given_up_shared_map=1");
	close(fd);
}

/* --- a file without a name --------------------------------------------------------- */

/* The kernel doesn't count writers of a memfd, so there may always be one. */
void run_memfd(void)
{
	int fd = memfd_create("luf", MFD_CLOEXEC);
	struct cell *cell;
	char path[64];

	if (fd < 0 || ftruncate(fd, FILE_PAGES * PAGE_BYTES))
		die_environment("memfd: %s", strerror(errno));
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	cell = scene_cell(path, A_CPU);
	scene_ready(cell);
	scene_pageout(cell);
	luf_want("pageout", "generation=1 given_up_open_write=1 "
		 "unmaps_readonly=%zu unmaps_mixed=0 flushes=1 flushes_mixed=0",
		 cell->pages);
}

/* --- FUSE ------------------------------------------------------------------------ */

/* A file system whose root is a file of nops. */
struct fuse_request {
	struct fuse_in_header header;
	union {
		struct fuse_init_in init;
		struct fuse_read_in read;
	};
};

static void fuse_answer(int fd, uint64_t unique, int error, const void *data,
			size_t bytes)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + bytes),
		.error = error,
		.unique = unique,
	};
	struct iovec parts[] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = (void *)data, .iov_len = bytes },
	};

	/* The task that asked may be gone. */
	if (writev(fd, parts, 2) < 0)
		return;
}

static void fuse_serve(int fd, const struct fuse_request *request)
{
	static const struct fuse_attr_out attributes = {
		.attr_valid = 3600,
		.attr = {
			.ino = FUSE_ROOT_ID,
			.size = FILE_PAGES * PAGE_BYTES,
			.mode = S_IFREG | 0444,
			.nlink = 1,
		},
	};
	static const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_readahead = PAGE_BYTES,
		.max_write = PAGE_BYTES,
	};
	static const struct fuse_open_out opened = {
		.open_flags = FOPEN_KEEP_CACHE,
	};
	static char nops[FUSE_BUFFER];
	uint64_t unique = request->header.unique;

	switch (request->header.opcode) {
	case FUSE_INIT:
		memset(nops, 0x90, sizeof(nops));
		fuse_answer(fd, unique, 0, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		fuse_answer(fd, unique, 0, &attributes, sizeof(attributes));
		break;
	case FUSE_OPEN:
		fuse_answer(fd, unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		if (request->read.size > sizeof(nops))
			fuse_answer(fd, unique, -EIO, NULL, 0);
		else
			fuse_answer(fd, unique, 0, nops, request->read.size);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		fuse_answer(fd, unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		fuse_answer(fd, unique, -ENOSYS, NULL, 0);
	}
}

static void *fuse_server(void *argument)
{
	static union {
		struct fuse_request request;
		char bytes[FUSE_BUFFER];
	} in;
	int fd = *(int *)argument;

	for (;;) {
		ssize_t got = read(fd, &in, sizeof(in));

		if (got >= (ssize_t)sizeof(in.request.header))
			fuse_serve(fd, &in.request);
		else if (got < 0 && errno != EINTR && errno != ENOENT &&
			 errno != EAGAIN)
			return NULL;
	}
}

static void fuse_end(void)
{
	umount2(path_a, MNT_DETACH);
}

/*
 * It is mounted over the file A. An open FUSE device would keep it alive, and the cell
 * doesn't have it open.
 */
static void fuse_begin(void)
{
	static pthread_t server;
	static int fd;
	struct stat status;
	char options[128];

	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		luf_skip("/dev/fuse: %s", strerror(errno));
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=100444,user_id=0,group_id=0", fd);
	if (mount("luf", path_a, "fuse", MS_NOSUID | MS_NODEV, options))
		luf_skip("mount of FUSE: %s", strerror(errno));
	atexit(fuse_end);
	start_thread(&server, fuse_server, &fd);
	/* Until it has asked, the kernel takes the root to be empty. */
	if (stat(path_a, &status) || status.st_size != FILE_PAGES * PAGE_BYTES)
		die_environment("%s on FUSE: %s", path_a, strerror(errno));
}

void run_remote_fuse(void)
{
	struct cell *cell;

	file_make(path_a);
	cell = scene_cell(path_a, A_CPU);
	fuse_begin();
	scene_ready(cell);
	want_remote(cell);
}

/* --- in the middle of a pass ------------------------------------------------------- */

static bool pause_held(void)
{
	char byte = 0;
	int fd = open(PAUSE_DIR "held", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, &byte, 1) != 1)
		die_environment(PAUSE_DIR "held: %s", strerror(errno));
	close(fd);
	return byte == 'Y';
}

/*
 * Somebody writes to @path when the cell's pages are unmapped and the flush is still to
 * come. The cell's process waits in the test module meanwhile, on its CPU.
 */
static void write_in_pass(struct cell *cell, const char *path)
{
	unsigned int tries = 10000;
	char text[16];

	snprintf(text, sizeof(text), "%d", cell->pid);
	luf_write(PAUSE_DIR "go", "0");
	luf_write(PAUSE_DIR "held", "0");
	luf_write(PAUSE_DIR "pid", text);
	cell->function = cell_pageout;
	sem_post(&cell->request);
	while (!pause_held() && --tries)
		sched_yield();
	if (tries && do_write(path, 0))
		die_environment("%s: %s", path, strerror(errno));
	luf_write(PAUSE_DIR "go", "1");
	cell_wait(cell);
	if (!tries)
		die_environment("the pass doesn't come to its flush");
	if (cell->result)
		die_environment("%ld pages were not reclaimed", cell->result);
}

static struct cell *early_ready(void)
{
	struct cell *cell;

	if (access(PAUSE_DIR "pid", W_OK))
		luf_skip("the test module pause isn't loaded");
	file_make(path_a);
	file_make(path_b);
	cell = scene_cell(path_a, A_CPU);
	scene_ready(cell);
	return cell;
}

void run_early(void)
{
	struct cell *cell = early_ready();

	write_in_pass(cell, path_a);
	luf_want("a write in the pass", "generation=1 open=0 given_up_early=1 "
		 "unmaps_readonly=%zu flushes=1 flushes_mixed=0", cell->pages);
}

/* An event of another file doesn't hit the pass. */
void run_early_other(void)
{
	struct cell *cell = early_ready();

	write_in_pass(cell, path_b);
	luf_want("a write to another file", "generation=1 open=1 "
		 "unmaps_readonly=%zu flushes=1 flushes_mixed=0", cell->pages);
	scene_cushion();
	scene_flush(cell);
	luf_want("flush", "open=-1 saved=1");
}
