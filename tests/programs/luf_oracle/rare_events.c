// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rarer events by which a stale entry could be seen: userfaultfd and guard pages put
 * something where reclaim has just taken the entries away. And harmless uses of the same
 * calls, or of the same file: these give up nothing.
 */
#include "events.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL	102
#endif
/* Since Linux 5.19; 6.1's headers know it, older ones don't. */
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM	(1 << 12)
#endif
/* Since Linux 6.6. */
#ifndef UFFDIO_POISON
struct uffdio_poison {
	struct uffdio_range range;
	__u64 mode;
	__s64 updated;
};
#define UFFDIO_POISON		_IOWR(UFFDIO, 0x08, struct uffdio_poison)
#define UFFD_FEATURE_POISON	(1 << 14)
#endif

/* The cell's own. */
static int uffd = -1;

static void *second_page(const struct cell *a)
{
	return a->map + PAGE_BYTES;
}

/* --- before the generation --------------------------------------------------- */

/*
 * Registers after the first touch, which would otherwise wait for an answer, and before the
 * pageout, since registering isn't the event under test. Returns -errno if this kernel
 * doesn't have it for such memory.
 */
static long uffd_begin(void *at, size_t bytes, uint64_t features, uint64_t mode)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register area = {
		.range = { .start = (uintptr_t)at, .len = bytes },
		.mode = mode,
	};

	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	return uffd < 0 || ioctl(uffd, UFFDIO_API, &api) ||
	       ioctl(uffd, UFFDIO_REGISTER, &area) ? -errno : 0;
}

long uffd_missing(struct cell *a, long unused)
{
	(void)unused;
	return uffd_begin(a->map, a->pages * PAGE_BYTES, 0,
			  UFFDIO_REGISTER_MODE_MISSING);
}

long uffd_poisonable(struct cell *a, long unused)
{
	(void)unused;
	return uffd_begin(a->map, a->pages * PAGE_BYTES, UFFD_FEATURE_POISON,
			  UFFDIO_REGISTER_MODE_MISSING);
}

long uffd_minor(struct cell *a, long unused)
{
	(void)unused;
	return uffd_begin(a->map, a->pages * PAGE_BYTES,
			  UFFD_FEATURE_MINOR_SHMEM, UFFDIO_REGISTER_MODE_MINOR);
}

long uffd_wp(struct cell *a, long unused)
{
	(void)unused;
	return uffd_begin(a->map, a->pages * PAGE_BYTES,
			  UFFD_FEATURE_PAGEFAULT_FLAG_WP |
			  UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
			  UFFDIO_REGISTER_MODE_WP);
}

long uffd_missing_anon(struct cell *a, long unused)
{
	(void)unused;
	return uffd_begin(a->anon, ANON_PAGES * PAGE_BYTES, 0,
			  UFFDIO_REGISTER_MODE_MISSING);
}

/* --- userfaultfd: in the cell -------------------------------------------------- */

static long uffd_copy(struct cell *a, void *to)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)to,
		.src = (uintptr_t)a->scratch,
		.len = PAGE_BYTES,
	};

	return ioctl(uffd, UFFDIO_COPY, &copy) != 0;
}

long event_uffd_copy(struct cell *a, long unused)
{
	(void)unused;
	return uffd_copy(a, second_page(a));
}

long event_uffd_zeropage(struct cell *a, long unused)
{
	struct uffdio_zeropage zero = {
		.range = { .start = (uintptr_t)second_page(a), .len = PAGE_BYTES },
	};

	(void)unused;
	return ioctl(uffd, UFFDIO_ZEROPAGE, &zero) != 0;
}

long event_uffd_poison(struct cell *a, long unused)
{
	struct uffdio_poison poison = {
		.range = { .start = (uintptr_t)second_page(a), .len = PAGE_BYTES },
	};

	(void)unused;
	return ioctl(uffd, UFFDIO_POISON, &poison) != 0;
}

/* It needs a page that is in the file. Another mapping reads that page in, which is no event. */
long event_uffd_continue(struct cell *a, long unused)
{
	struct uffdio_continue go_on = {
		.range = { .start = (uintptr_t)second_page(a), .len = PAGE_BYTES },
	};
	char *other = mmap(NULL, 2 * PAGE_BYTES, PROT_READ, MAP_PRIVATE, a->fd, 0);

	(void)unused;
	if (other == MAP_FAILED)
		return 1;
	*(volatile char *)(other + PAGE_BYTES);
	return ioctl(uffd, UFFDIO_CONTINUE, &go_on) != 0;
}

long event_uffd_protect(struct cell *a, long unused)
{
	struct uffdio_writeprotect protect = {
		.range = { .start = (uintptr_t)second_page(a), .len = PAGE_BYTES },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	(void)unused;
	return ioctl(uffd, UFFDIO_WRITEPROTECT, &protect) != 0;
}

/* --- guard pages: in the cell -------------------------------------------------- */

/* Since Linux 6.13, in mappings of files since 6.15. */
static long guard_install(void *at)
{
	if (!madvise(at, PAGE_BYTES, MADV_GUARD_INSTALL))
		return 0;
	return errno == EINVAL ? -EINVAL : 1;
}

long event_guard(struct cell *a, long unused)
{
	(void)unused;
	return guard_install(second_page(a));
}

/* --- what is harmless ----------------------------------------------------------- */

/* Anonymous memory has no generations. */
long event_uffd_anon(struct cell *a, long unused)
{
	(void)unused;
	return uffd_copy(a, a->anon + CELL_PAGES * PAGE_BYTES);
}

long event_guard_anon(struct cell *a, long unused)
{
	(void)unused;
	return guard_install(a->anon + CELL_PAGES * PAGE_BYTES);
}

/* Reads a page through the mapping that may have stale entries: its content is the same. */
long event_refault(struct cell *a, long unused)
{
	(void)unused;
	*(volatile char *)second_page(a);
	return 0;
}

/* Operations that concern only the inode. */
long event_metadata(struct cell *a)
{
	char other[sizeof(a->path) + 8];
	long failed;

	snprintf(other, sizeof(other), "%s.other", a->path);
	failed = chmod(a->path, 0755) | utimensat(AT_FDCWD, a->path, NULL, 0);
	failed |= link(a->path, other) | unlink(other);
	failed |= rename(a->path, other) | rename(other, a->path);
	if (setxattr(a->path, "user.luf", "", 1, 0))
		failed |= errno != EOPNOTSUPP;
	return failed ? 1 : 0;
}
