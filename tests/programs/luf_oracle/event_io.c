// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ways to write a file without mapping it. Each of them writes to the first page of A,
 * from a CPU whose list of free pages has no page of the generation.
 */
#include "events.h"
#include "scene.h"
#include "uring.h"

#include <linux/aio_abi.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

/* The buffer is anonymous: io_uring pins no pages of files. */
static char io_page[PAGE_BYTES] __attribute__((aligned(4096)));

static int io_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	return fd;
}

/* Nonzero unless the whole page went out. */
static long io_done(int fd, ssize_t put)
{
	close(fd);
	return put != (ssize_t)PAGE_BYTES;
}

long do_write(const char *path, int flags)
{
	int fd = io_open(path, O_WRONLY | flags);

	return io_done(fd, write(fd, io_page, PAGE_BYTES));
}

long event_write(struct cell *a)
{
	return do_write(a->path, 0);
}

long event_direct(struct cell *a)
{
	return do_write(a->path, O_DIRECT);
}

long event_pwrite(struct cell *a)
{
	int fd = io_open(a->path, O_WRONLY);

	return io_done(fd, pwrite(fd, io_page, PAGE_BYTES, 0));
}

long event_pwritev2(struct cell *a)
{
	struct iovec vector = { .iov_base = io_page, .iov_len = PAGE_BYTES };
	int fd = io_open(a->path, O_WRONLY);

	return io_done(fd, pwritev2(fd, &vector, 1, 0, 0));
}

long event_splice(struct cell *a)
{
	int fd = io_open(a->path, O_WRONLY), ends[2];

	if (pipe(ends) || write(ends[1], io_page, PAGE_BYTES) !=
	    (ssize_t)PAGE_BYTES)
		die_environment("pipe: %s", strerror(errno));
	return io_done(fd, splice(ends[0], NULL, fd, NULL, PAGE_BYTES, 0));
}

/* The data come from a third file, so that B's generation isn't touched. */
static int io_source(void)
{
	int fd = memfd_create("luf-source", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, io_page, PAGE_BYTES, 0) != (ssize_t)PAGE_BYTES)
		die_environment("memfd: %s", strerror(errno));
	return fd;
}

long event_sendfile(struct cell *a)
{
	int fd = io_open(a->path, O_WRONLY);

	return io_done(fd, sendfile(fd, io_source(), NULL, PAGE_BYTES));
}

/* The data come out of B, which this only reads. */
long event_copy_file_range(struct cell *a)
{
	int fd = io_open(a->path, O_WRONLY), from = io_open(path_b, O_RDONLY);

	return io_done(fd, copy_file_range(from, NULL, fd, NULL, PAGE_BYTES, 0));
}

long event_aio(struct cell *a)
{
	int fd = io_open(a->path, O_WRONLY);
	struct iocb request = {
		.aio_lio_opcode = IOCB_CMD_PWRITE,
		.aio_fildes = (uint32_t)fd,
		.aio_buf = (uintptr_t)io_page,
		.aio_nbytes = PAGE_BYTES,
	}, *list = &request;
	struct io_event done = { 0 };
	aio_context_t context = 0;

	if (syscall(SYS_io_setup, 1, &context) ||
	    syscall(SYS_io_submit, context, 1, &list) != 1 ||
	    syscall(SYS_io_getevents, context, 1, 1, &done, NULL) != 1)
		die_environment("aio: %s", strerror(errno));
	return io_done(fd, done.res);
}

long event_io_uring(struct cell *a)
{
	int fd = io_open(a->path, O_WRONLY);
	struct uring uring;

	if (!uring_open(&uring))
		luf_skip("no io_uring here: %s", strerror(errno));
	if (!uring_pin(&uring, io_page, PAGE_BYTES))
		die_environment("io_uring: %s", strerror(errno));
	return io_done(fd, uring_transfer(&uring, IORING_OP_WRITE_FIXED, fd,
					  io_page, PAGE_BYTES, 0));
}

static long do_fallocate(struct cell *a, int mode)
{
	int fd = io_open(a->path, O_WRONLY);
	int failed = fallocate(fd, mode, 0, PAGE_BYTES);

	close(fd);
	return failed;
}

long event_fallocate(struct cell *a)
{
	return do_fallocate(a, FALLOC_FL_KEEP_SIZE);
}

long event_punch(struct cell *a)
{
	return do_fallocate(a, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE);
}

long event_reflink(struct cell *a)
{
	int fd = io_open(a->path, O_WRONLY), from = io_open(path_b, O_RDONLY);
	int failed = ioctl(fd, FICLONE, from);

	if (failed && (errno == EOPNOTSUPP || errno == ENOTTY))
		luf_skip("this file system has no reflinks");
	close(from);
	close(fd);
	return failed;
}
