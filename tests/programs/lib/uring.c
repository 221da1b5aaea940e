// SPDX-License-Identifier: GPL-2.0-only
/*
 * The minimum of io_uring that is needed for I/O with a fixed buffer. The kernel keeps the
 * buffer's pages pinned while it is registered. There is no liburing here. One request at a
 * time is submitted and waited for.
 */
#include "uring.h"

static uint32_t *uring_word(const struct uring *uring, uint32_t offset)
{
	return (uint32_t *)(void *)(uring->ring + offset);
}

void uring_close(struct uring *uring)
{
	if (uring->fd < 0)
		return;
	if (uring->ring)
		munmap(uring->ring, uring->ring_bytes);
	if (uring->entries)
		munmap(uring->entries, uring->entries_bytes);
	close(uring->fd);
	uring->fd = -1;
}

static void *uring_map(struct uring *uring, size_t bytes, off_t what)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE, uring->fd, what);

	return memory == MAP_FAILED ? NULL : memory;
}

/**
 * uring_open() - set up a ring
 * @uring:	filled in
 *
 * Return: false if this kernel has none or forbids it.
 */
bool uring_open(struct uring *uring)
{
	const struct io_uring_params *params = &uring->params;
	size_t submit, complete;

	memset(uring, 0, sizeof(*uring));
	uring->fd = (int)syscall(SYS_io_uring_setup, 2, &uring->params);
	if (uring->fd < 0)
		return false;
	submit = params->sq_off.array + params->sq_entries * sizeof(uint32_t);
	complete = params->cq_off.cqes +
		   params->cq_entries * sizeof(struct io_uring_cqe);
	uring->ring_bytes = submit > complete ? submit : complete;
	uring->entries_bytes = params->sq_entries * sizeof(*uring->entries);
	if (params->features & IORING_FEAT_SINGLE_MMAP) {
		uring->ring = uring_map(uring, uring->ring_bytes,
					IORING_OFF_SQ_RING);
		uring->entries = uring_map(uring, uring->entries_bytes,
					   IORING_OFF_SQES);
	}
	if (uring->ring && uring->entries)
		return true;
	uring_close(uring);
	return false;
}

/* Pins a buffer; false with errno if the kernel won't. */
bool uring_pin(struct uring *uring, void *buffer, size_t bytes)
{
	struct iovec vector = { .iov_base = buffer, .iov_len = bytes };

	return syscall(SYS_io_uring_register, uring->fd,
		       IORING_REGISTER_BUFFERS, &vector, 1) == 0;
}

bool uring_unpin(struct uring *uring)
{
	return syscall(SYS_io_uring_register, uring->fd,
		       IORING_UNREGISTER_BUFFERS, NULL, 0) == 0;
}

/**
 * uring_transfer() - one read or write with the pinned buffer
 * @uring:	with a pinned buffer
 * @opcode:	IORING_OP_READ_FIXED or IORING_OP_WRITE_FIXED
 * @fd:		file
 * @buffer:	a place in the pinned buffer
 * @bytes:	how much
 * @offset:	in the file
 *
 * Return: bytes transferred, or a negative error number.
 */
int uring_transfer(struct uring *uring, uint8_t opcode, int fd, void *buffer,
		   size_t bytes, off_t offset)
{
	const struct io_uring_params *params = &uring->params;
	uint32_t *tail = uring_word(uring, params->sq_off.tail);
	uint32_t slot = *tail & *uring_word(uring, params->sq_off.ring_mask);
	uint32_t *head = uring_word(uring, params->cq_off.head);
	struct io_uring_sqe *entry = &uring->entries[slot];
	struct io_uring_cqe *done;
	int result;

	memset(entry, 0, sizeof(*entry));
	entry->opcode = opcode;
	entry->fd = fd;
	entry->addr = (uintptr_t)buffer;
	entry->len = (uint32_t)bytes;
	entry->off = (uint64_t)offset;
	uring_word(uring, params->sq_off.array)[slot] = slot;
	/* Pairs with the kernel's acquire of the tail. */
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, uring->fd, 1, 1,
		    IORING_ENTER_GETEVENTS, NULL, 0) < 0 && errno != EINTR)
		return -errno;
	/* Pairs with the kernel's release of the completion. */
	while (__atomic_load_n(uring_word(uring, params->cq_off.tail),
			       __ATOMIC_ACQUIRE) == *head)
		syscall(SYS_io_uring_enter, uring->fd, 0, 1,
			IORING_ENTER_GETEVENTS, NULL, 0);
	done = (struct io_uring_cqe *)(void *)(uring->ring +
					       params->cq_off.cqes);
	result = done[*head & *uring_word(uring, params->cq_off.ring_mask)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}
