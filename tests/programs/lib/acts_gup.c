// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts in which the kernel or a device reads and writes the pages by reference, not by
 * address. A pinned page may be unmapped and have a swap entry. But the next fault must
 * find what was written through the reference. A folio that gets pinned while it waits in a
 * batch has to stay in memory.
 */
#include "acts.h"
#include "uring.h"

#define GUP_PAGES	8	/* at once; a pipe takes twice as many */
#define GUP_BYTES	(GUP_PAGES * PAGE_BYTES)

static const char * const gup_names[GUP_WAYS] = {
	"remote_read", "remote_write", "splice", "direct_write", "direct_read",
	"fixed_write", "fixed_read",
};

struct gup_state {
	int direct;		/* file opened with O_DIRECT, or -1 */
	int plain;		/* memfd for io_uring */
	int pipe[2];
	struct uring uring;
	void *buffer;		/* GUP_PAGES of locked memory */
	uint64_t done[GUP_WAYS];
};

static struct gup_state gup_states[MAX_CPUS];

/* Opens a file on which O_DIRECT works. Not every file system has it. */
static int open_direct(const struct run *run, const void *buffer)
{
	const char * const places[] = { run->direct_dir, "/var/tmp", "/tmp",
					"." };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		int fd;

		if (!places[i])
			continue;
		fd = open(places[i], O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC,
			  0600);
		if (fd < 0)
			continue;
		if (pwrite(fd, buffer, GUP_BYTES, 0) == (ssize_t)GUP_BYTES)
			return fd;
		close(fd);
	}
	return -1;
}

const char *gup_prepare(struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->nr_workers; i++) {
		struct gup_state *state = &gup_states[i];

		memset(state, 0, sizeof(*state));
		state->buffer = map_locked(GUP_BYTES);
		state->direct = open_direct(run, state->buffer);
		state->plain = memfd_create("verify-gup", MFD_CLOEXEC);
		if (state->plain < 0 ||
		    ftruncate(state->plain, (off_t)GUP_BYTES) ||
		    pipe2(state->pipe, O_CLOEXEC))
			die_environment("memfd or pipe: %s", strerror(errno));
		uring_open(&state->uring);
		run->workers[i].private = state;
	}
	return NULL;
}

/* Prints what was done, because some operations don't exist everywhere. */
const char *gup_finish(struct run *run)
{
	uint64_t done[GUP_WAYS] = { 0 };
	unsigned int i, way;
	char line[512];
	size_t used = 0;

	for (i = 0; i < run->nr_workers; i++) {
		struct gup_state *state = &gup_states[i];

		for (way = 0; way < GUP_WAYS; way++)
			done[way] += state->done[way];
		if (state->direct >= 0)
			close(state->direct);
		close(state->plain);
		close(state->pipe[0]);
		close(state->pipe[1]);
		uring_close(&state->uring);
		munmap(state->buffer, GUP_BYTES);
	}
	for (way = 0; way < GUP_WAYS; way++)
		used += (size_t)snprintf(line + used, sizeof(line) - used,
					 " %s=%" PRIu64, gup_names[way],
					 done[way]);
	say(STDOUT_FILENO, "note=gup%s\n", line);
	return NULL;
}

static void check_buffer(struct worker *worker, size_t first, size_t length,
			 const unsigned char *buffer, const char *what)
{
	size_t i;

	for (i = 0; i < length; i++)
		check_copy(worker, first + i, buffer + i * PAGE_BYTES, what);
}

/* Pages out pages that are referenced. Reclaim decides whether it can. */
static void page_out_range(struct worker *worker, size_t first, size_t length)
{
	madvise(page_at(worker, first), length * PAGE_BYTES, MADV_PAGEOUT);
}

static bool whole(ssize_t got, size_t bytes, const char *what)
{
	if (got == (ssize_t)bytes)
		return true;
	if (got < 0 && errno != EINTR && errno != EAGAIN && errno != ENOMEM)
		die_environment("%s: %s", what, strerror(errno));
	return false;
}

static void gup_remote(struct worker *worker, struct gup_state *state,
		       size_t first, size_t length, bool to_page)
{
	size_t bytes = length * PAGE_BYTES;
	struct iovec local = { state->buffer, bytes };
	struct iovec remote = { page_at(worker, first), bytes };
	ssize_t got;

	if (!to_page) {
		got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
		if (whole(got, bytes, "process_vm_readv"))
			check_buffer(worker, first, length, state->buffer,
				     "read by reference");
		return;
	}
	next_contents(worker, first, length, state->buffer);
	got = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
	if (!whole(got, bytes, "process_vm_writev"))
		memcpy(page_at(worker, first), state->buffer, bytes);
	check_range(worker, first, length, "written by reference");
}

static void gup_splice(struct worker *worker, struct gup_state *state,
		       size_t first, size_t length)
{
	struct iovec vector = { page_at(worker, first), length * PAGE_BYTES };
	unsigned char *buffer = state->buffer;
	size_t left;
	ssize_t got;

	got = vmsplice(state->pipe[1], &vector, 1, 0);
	if (got < 0)
		die_environment("vmsplice: %s", strerror(errno));
	page_out_range(worker, first, length);
	for (left = (size_t)got; left; left -= (size_t)got) {
		got = read(state->pipe[0], buffer, left);
		if (got <= 0)
			die_environment("read of a pipe: %s", strerror(errno));
		buffer += got;
	}
	length = (size_t)(buffer - (unsigned char *)state->buffer) / PAGE_BYTES;
	check_buffer(worker, first, length, state->buffer, "spliced");
	check_range(worker, first, length, "after vmsplice");
}

/*
 * Out: the file gets what the pages hold, and is read back to check it. In: the file gets
 * the next content from the buffer, and the pages get it from the file.
 */
static void gup_direct(struct worker *worker, struct gup_state *state,
		       size_t first, size_t length, bool to_page)
{
	void *from = to_page ? state->buffer : page_at(worker, first);
	void *to = to_page ? page_at(worker, first) : state->buffer;
	size_t bytes = length * PAGE_BYTES;

	if (to_page)
		next_contents(worker, first, length, state->buffer);
	if (!whole(pwrite(state->direct, from, bytes, 0), bytes, "pwrite") ||
	    !whole(pread(state->direct, to, bytes, 0), bytes, "pread")) {
		if (to_page)
			memcpy(to, from, bytes);
		return;
	}
	if (to_page)
		check_range(worker, first, length, "written by O_DIRECT");
	else
		check_buffer(worker, first, length, to, "read by O_DIRECT");
}

static bool gup_fixed(struct worker *worker, struct gup_state *state,
		      size_t first, size_t length, bool to_page)
{
	uint8_t opcode = to_page ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED;
	size_t bytes = length * PAGE_BYTES;
	void *pages = page_at(worker, first);
	size_t i;
	bool done;

	/*
	 * Nothing marks these pages dirty when they are unpinned. A page that was swapped
	 * in by a read is writable and clean, and loses what is read into it. This happens
	 * without the module too (seen on 6.12 and 7.3).
	 */
	for (i = first; to_page && i < first + length; i++)
		rewrite_page(worker, i);
	if (!uring_pin(&state->uring, pages, bytes))
		return false;
	page_out_range(worker, first, length);
	if (to_page) {
		next_contents(worker, first, length, state->buffer);
		done = whole(pwrite(state->plain, state->buffer, bytes, 0),
			     bytes, "pwrite");
	} else {
		/* Stores through the page table must reach the pinned page. */
		warm_range(worker, first, length, "pinned");
		done = true;
	}
	page_out_range(worker, first, length);
	if (done)
		done = uring_transfer(&state->uring, opcode, state->plain,
				      pages, bytes, 0) == (int)bytes;
	if (to_page && !done)
		memcpy(pages, state->buffer, bytes);
	if (to_page)
		check_range(worker, first, length, "written while pinned");
	else if (done && whole(pread(state->plain, state->buffer, bytes, 0),
			       bytes, "pread"))
		check_buffer(worker, first, length, state->buffer,
			     "read while pinned");
	uring_unpin(&state->uring);
	check_range(worker, first, length, "after a pin");
	return true;
}

/**
 * gup_act() - act on some pages by reference
 * @worker:	whose pages; gup_prepare() was called for its run
 * @way:	how
 *
 * Return: false if this kernel or file system has no such way.
 */
bool gup_act(struct worker *worker, enum gup_way way)
{
	struct gup_state *state = worker->private;
	size_t first, length;

	if (way >= GUP_FIXED_WRITE ? state->uring.fd < 0 :
	    way >= GUP_DIRECT_WRITE && state->direct < 0)
		return false;
	first = pick_range(worker, &length);
	length = 1 + length % GUP_PAGES;
	switch (way) {
	case GUP_REMOTE_READ:
	case GUP_REMOTE_WRITE:
		gup_remote(worker, state, first, length,
			   way == GUP_REMOTE_WRITE);
		break;
	case GUP_SPLICE:
		gup_splice(worker, state, first, length);
		break;
	case GUP_DIRECT_WRITE:
	case GUP_DIRECT_READ:
		gup_direct(worker, state, first, length,
			   way == GUP_DIRECT_READ);
		break;
	default:
		if (!gup_fixed(worker, state, first, length,
			       way == GUP_FIXED_READ))
			return false;
	}
	state->done[way]++;
	return true;
}

void gup_step(struct worker *worker)
{
	gup_act(worker, (enum gup_way)rng_below(&worker->rng, GUP_WAYS));
}
