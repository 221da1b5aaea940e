/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * userfaultfd: what older headers don't know, and what several programs do.
 */
#ifndef TEST_UFFD_H
#define TEST_UFFD_H

#include "common.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

/* Since Linux 6.8 */
#ifndef UFFDIO_MOVE
struct uffdio_move {
	__u64 dst;
	__u64 src;
	__u64 len;
	__u64 mode;
	__s64 move;
};
#define UFFDIO_MOVE		_IOWR(UFFDIO, 0x05, struct uffdio_move)
#define UFFD_FEATURE_MOVE	(1 << 16)
#endif

int uffd_open(uint64_t features);
void uffd_protect(int fd, void *address, size_t pages, bool protect);

#endif
