// SPDX-License-Identifier: GPL-2.0-only
/*
 * off_lru - is a page in use, and on no LRU list for good?
 *
 * Reclaim takes folios off the LRU and puts back those that it didn't free. A folio that it
 * loses stays allocated without PG_lru. NR_ISOLATED_* doesn't show this: the kernel adds
 * and subtracts what it took, not what came back. The flags of each page in
 * /proc/kpageflags show it.
 *
 * CPUs hold some pages back for a while on their way to a list. So each CPU is made to
 * drain them, and a page counts only if it is off the lists every time.
 */
#include "common.h"

/* Documentation/admin-guide/mm/pagemap.rst */
#define KPF(bit)	(1ULL << (bit))
#define KPF_LRU		KPF(5)
#define KPF_SLAB	KPF(7)
#define KPF_BUDDY	KPF(10)
#define KPF_ANON	KPF(12)
#define KPF_SWAPBACKED	KPF(14)
#define KPF_TAIL	KPF(16)
#define KPF_HUGETLB	KPF(17)

#define CHUNK		8192	/* pages read at once */
/*
 * A task that is preempted while it frees pages, or pages them out, has them off the lists
 * for as long: seconds on a crowded host.
 */
#define TRIES		40
#define PAUSE_MS	500
#define MAX_SHOWN	40

/* migrate_pages() to the node where all pages already are does only that. */
static void drain_cpus(void)
{
	unsigned long node = 1;

	if (syscall(SYS_migrate_pages, 0, 8 * sizeof(node), &node, &node) < 0)
		die_environment("migrate_pages: %s", strerror(errno));
}

static bool is_off(uint64_t flags)
{
	return flags & (KPF_ANON | KPF_SWAPBACKED) &&
	       !(flags & (KPF_LRU | KPF_SLAB | KPF_BUDDY | KPF_TAIL |
			  KPF_HUGETLB));
}

static size_t count_off(bool show)
{
	static uint64_t flags[CHUNK];
	size_t pfn = 0, off = 0;
	ssize_t got;
	int fd;

	fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die_environment("/proc/kpageflags: %s", strerror(errno));
	while ((got = read(fd, flags, sizeof(flags))) > 0) {
		size_t nr = (size_t)got / sizeof(flags[0]), i;

		for (i = 0; i < nr; i++) {
			if (!is_off(flags[i]))
				continue;
			if (show && off < MAX_SHOWN)
				say(STDERR_FILENO,
				    "off the LRU: pfn=%#zx flags=%#" PRIx64 "\n",
				    pfn + i, flags[i]);
			off++;
		}
		pfn += nr;
	}
	close(fd);
	if (!pfn)
		die_environment("/proc/kpageflags is empty");
	return off;
}

int main(void)
{
	size_t off = 0, before = 0;
	int i;

	for (i = 0; i < TRIES; i++) {
		drain_cpus();
		off = count_off(i == TRIES - 1);
		/* Fewer and fewer are on their way; always the same are lost. */
		if (i && off != before)
			say(STDERR_FILENO, "off the LRU: %zu, and then %zu\n", before, off);
		if (!off)
			break;
		before = off;
		sleep_ms(PAUSE_MS);
	}
	say(STDOUT_FILENO, "off_lru=%zu\n", off);
	return off ? STRESS_DATA_ERROR : STRESS_OK;
}
