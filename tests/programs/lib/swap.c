// SPDX-License-Identifier: GPL-2.0-only
/*
 * Was the memory really swapped? Every claim of these programs depends on this. Without
 * this check a guest without swap would pass all of them.
 */
#include "swap.h"

/**
 * vmstat() - one counter of /proc/vmstat
 * @name:	its name
 *
 * Return: the value, 0 if this kernel has no such counter.
 */
uint64_t vmstat(const char *name)
{
	size_t length = strlen(name);
	uint64_t value = 0;
	char line[128];
	FILE *file;

	file = fopen("/proc/vmstat", "re");
	if (!file)
		die_environment("/proc/vmstat: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, length) || line[length] != ' ')
			continue;
		value = strtoull(line + length, NULL, 10);
		break;
	}
	fclose(file);
	return value;
}

/* Pages written to swap since boot. Pages that zswap took count as well. */
uint64_t swap_writes(void)
{
	return vmstat("pswpout") + vmstat("zswpout");
}

/* Pages read back from swap. These had really left memory. */
uint64_t swap_reads(void)
{
	return vmstat("pswpin") + vmstat("zswpin");
}

int open_pagemap(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die_environment("/proc/self/pagemap: %s", strerror(errno));
	return fd;
}

/* The pagemap entry of one page; 0 if it can't be read. */
uint64_t pagemap_entry(int fd, const void *address)
{
	uint64_t entry = 0;
	off_t offset = (off_t)((uintptr_t)address / PAGE_BYTES * sizeof(entry));

	if (pread(fd, &entry, sizeof(entry), offset) != sizeof(entry))
		return 0;
	return entry;
}

/**
 * pagemap_count() - count pages of a range whose pagemap entry has a bit
 * @fd:		from open_pagemap()
 * @base:	start of the range
 * @pages:	its length in pages
 * @bit:	PAGEMAP_* to look for
 */
size_t pagemap_count(int fd, const void *base, size_t pages, uint64_t bit)
{
	off_t offset = (off_t)((uintptr_t)base / PAGE_BYTES * sizeof(uint64_t));
	uint64_t entries[512];
	size_t found = 0;

	while (pages) {
		size_t chunk = pages < ARRAY_SIZE(entries) ?
			       pages : ARRAY_SIZE(entries);
		ssize_t got = pread(fd, entries, chunk * sizeof(entries[0]),
				    offset);
		size_t i;

		if (got <= 0)
			break;
		chunk = (size_t)got / sizeof(entries[0]);
		for (i = 0; i < chunk; i++)
			if (entries[i] & bit)
				found++;
		offset += got;
		pages -= chunk;
	}
	return found;
}

/* What smaps says of the mappings that have a page of a range, in pages. */
static size_t smaps_sum(const void *base, size_t pages, const char *field)
{
	uintptr_t first = (uintptr_t)base;
	uintptr_t last = first + pages * PAGE_BYTES;
	size_t length = strlen(field);
	bool inside = false;
	size_t kib = 0;
	char line[512];
	FILE *file;

	file = fopen("/proc/self/smaps", "re");
	if (!file)
		die_environment("/proc/self/smaps: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		uintptr_t start, end;

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start,
			   &end) == 2)
			inside = start < last && end > first;
		else if (inside && !strncmp(line, field, length) && line[length] == ':')
			kib += strtoul(line + length + 1, NULL, 10);
	}
	fclose(file);
	return kib * 1024 / PAGE_BYTES;
}

/**
 * smaps_swapped() - pages of a shared mapping that are in swap
 * @base:	start of the range
 * @pages:	its length in pages
 *
 * The page table entry of a shmem page is empty once the page is unmapped, so pagemap knows
 * nothing. smaps asks the file. It counts whole mappings, so the caller keeps the range
 * apart from other mappings.
 */
size_t smaps_swapped(const void *base, size_t pages)
{
	return smaps_sum(base, pages, "Swap");
}

/**
 * smaps_huge() - pages of private memory that are mapped by huge pages
 * @base:	start of the range
 * @pages:	its length in pages
 *
 * As smaps_swapped(), it counts whole mappings.
 */
size_t smaps_huge(const void *base, size_t pages)
{
	return smaps_sum(base, pages, "AnonHugePages");
}

static void clear_refs(const char *what)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, what, 1) != 1)
		die_environment("/proc/self/clear_refs: %s", strerror(errno));
	close(fd);
}

/* Of all pages of this process. */
void clear_soft_dirty(void)
{
	clear_refs("4");
}

/* Of its anonymous pages. TLBs aren't flushed: who has a page there may go on unnoticed. */
void clear_referenced(void)
{
	clear_refs("2");
}
