/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Input and output by io_uring with a buffer that stays pinned.
 */
#ifndef TEST_URING_H
#define TEST_URING_H

#include "common.h"

#include <linux/io_uring.h>

struct uring {
	int fd;
	struct io_uring_params params;
	unsigned char *ring;
	size_t ring_bytes;
	struct io_uring_sqe *entries;
	size_t entries_bytes;
};

void uring_close(struct uring *uring);
bool uring_open(struct uring *uring);
bool uring_pin(struct uring *uring, void *buffer, size_t bytes);
bool uring_unpin(struct uring *uring);
int uring_transfer(struct uring *uring, uint8_t opcode, int fd, void *buffer,
		   size_t bytes, off_t offset);

#endif
