// SPDX-License-Identifier: GPL-2.0-only
#include "uffd.h"

/* Returns -1 if this kernel hasn't all of the features. */
int uffd_open(uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/**
 * uffd_protect() - protect pages against writes, or no longer
 * @fd:		the userfaultfd for which they are registered
 * @address:	of the first
 * @pages:	how many
 * @protect:	whether
 */
void uffd_protect(int fd, void *address, size_t pages, bool protect)
{
	struct uffdio_writeprotect range = {
		.range.start = (uintptr_t)address,
		.range.len = pages * PAGE_BYTES,
		.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};
	int result;

	do {
		result = ioctl(fd, UFFDIO_WRITEPROTECT, &range);
	} while (result && errno == EAGAIN);
	if (result)
		die_environment("UFFDIO_WRITEPROTECT: %s", strerror(errno));
}
