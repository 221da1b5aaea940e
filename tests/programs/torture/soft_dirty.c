// SPDX-License-Identifier: GPL-2.0-only
/*
 * Soft-dirty bits. Clearing them concerns the whole process, so one hand at a time does it.
 */
#include "torture.h"

static pthread_mutex_t clearing = PTHREAD_MUTEX_INITIALIZER;

static bool is_soft_dirty(const void *address, uint64_t *entry)
{
	*entry = pagemap_entry(runs[0].pagemap, address);
	return *entry & PAGEMAP_SOFT_DIRTY;
}

const char *cannot_soft_dirty(void)
{
	volatile unsigned char *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	bool clean, dirty;
	uint64_t entry;

	if (page == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	clear_soft_dirty();
	clean = !is_soft_dirty((void *)page, &entry);
	page[0] = 1;
	dirty = is_soft_dirty((void *)page, &entry);
	munmap((void *)page, PAGE_BYTES);
	return clean && dirty ? NULL : "this kernel has no soft-dirty bits";
}

/* Pages written since bits were cleared have the bit, in memory and in swap. */
bool act_soft_dirty(struct worker *worker, int argument)
{
	struct page_fault fault = { 0, PAGEMAP_SOFT_DIRTY, 0 };
	size_t length, first, i;

	(void)argument;
	if (pthread_mutex_trylock(&clearing))
		return false;
	first = pick_range(worker, &length);
	clear_soft_dirty();
	for (i = first; i < first + length; i++)
		rewrite_page(worker, i);
	madvise(page_at(worker, first), length * PAGE_BYTES, MADV_PAGEOUT);
	for (i = first; i < first + length; i++)
		if (!is_soft_dirty(page_at(worker, i), &fault.found))
			lost("a soft-dirty bit", page_at(worker, i), &fault, 1);
	pthread_mutex_unlock(&clearing);
	check_range(worker, first, length, "soft-dirty");
	return true;
}
