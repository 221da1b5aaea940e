// SPDX-License-Identifier: GPL-2.0-only
/*
 * reclaim_free - how long does it take to reclaim huge pages that MADV_FREE gave up?
 *
 * It runs in the memory cgroup whose memory.reclaim it is given. It fills huge pages, gives them up,
 * and asks for as much memory, until all of it is gone. Only that is timed. Prints what was asked for,
 * the seconds, the pages that went, and the huge pages that there were.
 */
#include "common.h"
#include "swap.h"

#define TRIES	64

static char *base;
static size_t bytes;

static void fill(void)
{
	size_t at;

	base = map_huge(bytes);
	for (at = 0; at < bytes; at += PAGE_BYTES)
		*(volatile char *)(base + at) = 1;
}

static size_t present(int pagemap)
{
	return pagemap_count(pagemap, base, bytes / PAGE_BYTES, PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
}

/* Of the whole range, as the kernel itself says it. */
static size_t huge_kb(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	unsigned long kb = 0;
	char line[256];

	if (!file)
		die_environment("smaps_rollup: %s", strerror(errno));
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonHugePages: %lu", &kb) == 1)
			break;
	fclose(file);
	return kb;
}

int main(int argc, char **argv)
{
	unsigned int tries = TRIES, i;
	size_t huge, left, pages;
	uint64_t spent = 0;
	int file, pagemap;
	char text[32];

	if (argc != 3)
		die_usage("reclaim_free MEMORY.RECLAIM MIB");
	bytes = parse_number("MIB", argv[2], 2, 1 << 16) << 20;
	bytes &= ~(HUGE_BYTES - 1);
	pages = left = bytes / PAGE_BYTES;
	start_watchdog(600);
	file = open(argv[1], O_WRONLY);
	if (file < 0)
		die_environment("%s: %s", argv[1], strerror(errno));
	pagemap = open_pagemap();
	fill();
	huge = huge_kb() / 2048;
	/* It passes over a page that somebody has locked. Nothing could reclaim such a one. */
	for (i = 0; i < 3; i++)
		if (madvise(base, bytes, MADV_FREE))
			die_environment("MADV_FREE: %s", strerror(errno));
	while (left && tries--) {
		int length = snprintf(text, sizeof(text), "%zuK", left * PAGE_BYTES >> 10);
		uint64_t start = now_ns();

		if (write(file, text, length) != length && errno != EAGAIN)
			die_environment("%s: %s", argv[1], strerror(errno));
		spent += now_ns() - start;
		left = present(pagemap);
	}
	printf("mib=%zu seconds=%.6f pages=%zu huge=%zu\n", bytes >> 20, (double)spent / 1e9,
	       pages - left, huge);
	return left ? STRESS_ENVIRONMENT : STRESS_OK;
}
