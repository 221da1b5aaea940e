// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a worker: anonymous, or of a file.
 */
#include "region.h"

/**
 * map_region() - give a worker its memory, and the tables of what that has to hold
 * @worker:	its run and its number of pages are known
 *
 * Nothing lies between regions, so that no two of them are merged into one mapping.
 */
void map_region(struct worker *worker)
{
	struct run *run = worker->run;
	size_t bytes = worker->pages * PAGE_BYTES;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	uintptr_t base;

	worker->reserved_bytes = HUGE_BYTES + bytes +
				 (SPARE_PAGES + 2) * PAGE_BYTES;
	worker->reserved = mmap(NULL, worker->reserved_bytes, PROT_NONE,
				flags | MAP_NORESERVE, -1, 0);
	if (worker->reserved == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	base = (uintptr_t)worker->reserved + PAGE_BYTES + HUGE_BYTES - 1;
	worker->base = (unsigned char *)worker->reserved +
		       ((base & ~(HUGE_BYTES - 1)) -
			(uintptr_t)worker->reserved);
	worker->spare = worker->base + bytes + PAGE_BYTES;

	worker->fd = -1;
	if (run->shared) {
		worker->fd = run->file_dir ?
			     open(run->file_dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) :
			     memfd_create("region", MFD_CLOEXEC);
		if (worker->fd < 0 || ftruncate(worker->fd, (off_t)bytes))
			die_environment("memfd or file: %s", strerror(errno));
		flags = MAP_SHARED;
	}
	if (mmap(worker->base, bytes, PROT_READ | PROT_WRITE,
		 flags | MAP_NORESERVE | MAP_FIXED, worker->fd, 0) !=
	    worker->base)
		die_environment("mmap: %s", strerror(errno));
	madvise(worker->base, bytes,
		run->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	worker->sequence = map_locked(worker->pages *
				      sizeof(*worker->sequence));
}

void unmap_region(struct worker *worker)
{
	munmap(worker->reserved, worker->reserved_bytes);
	munmap(worker->sequence, worker->pages * sizeof(*worker->sequence));
	if (worker->fd >= 0)
		close(worker->fd);
}
