// SPDX-License-Identifier: GPL-2.0-only
/*
 * fan_out - page a region out once, so that every figure is known beforehand
 *
 * The region is dirty, mapped by one process alone, and within one page table. So
 * MADV_PAGEOUT takes it in one reclaim pass. A thread spins on each of N other CPUs, and
 * every flush interrupts exactly those. Three witnesses tell what became of the region: the
 * row TLB of /proc/interrupts (interrupts received during the pageout), pagemap (unmapped),
 * and reads of swap when each page is touched again (a page still in the swap cache needs
 * no read: it had not left memory). With --again the region, which was only read since, is
 * paged out once more: no store can be lost then, but the pages are freed.
 *
 * Start it with "taskset -c 0": CPUs on which the process ran before count, too, on kernels that
 * don't forget them. With --visit it runs for a moment on so many more CPUs.
 */
#include "common.h"
#include "rng.h"
#include "spinners.h"
#include "swap.h"

#define REGION_PAGES	(HUGE_BYTES / PAGE_BYTES)

/* On the CPUs from @first on, and then on the one that it began on. */
static void visit(unsigned int first, unsigned int nr)
{
	while (nr--)
		if (!pin_self((int)(first + nr)))
			die_environment("the process can't run on CPU %u", first + nr);
	if (!pin_self(0))
		die_environment("the process can't come back to CPU 0");
}

static uint64_t tlb_interrupts(void)
{
	uint64_t sum = 0;
	char line[4096];
	FILE *file;

	file = fopen("/proc/interrupts", "re");
	if (!file)
		die_environment("/proc/interrupts: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		char *next = strstr(line, "TLB:"), *end;

		if (!next)
			continue;
		for (next += 4; ; next = end) {
			uint64_t value = strtoull(next, &end, 10);

			if (end == next)
				break;
			sum += value;
		}
		break;
	}
	fclose(file);
	return sum;
}

/* Never 0. Half of a page compresses. */
static uint64_t word_of(size_t page, size_t word)
{
	return word & 1 ? mix64(page * PAGE_WORDS + word) | 1 : page + 1;
}

static uint64_t *map_region(bool huge)
{
	uintptr_t base = (uintptr_t)mmap(NULL, 2 * HUGE_BYTES,
					 PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *region;

	if (base == (uintptr_t)MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	region = (uint64_t *)((base + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	if (madvise(region, HUGE_BYTES, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
		die_environment("madvise: %s", strerror(errno));
	return region;
}

static size_t wrong_pages(const uint64_t *region, size_t pages)
{
	size_t wrong = 0, page, word;

	for (page = 0; page < pages; page++) {
		for (word = 0; word < PAGE_WORDS; word++) {
			if (region[page * PAGE_WORDS + word] ==
			    word_of(page, word))
				continue;
			say(STDERR_FILENO, "wrong data: page=%zu word=%zu\n",
			    page, word);
			wrong++;
			break;
		}
	}
	return wrong;
}

/* Returns how many interrupts were received meanwhile. */
static uint64_t page_out(uint64_t *region, size_t pages)
{
	uint64_t before = tlb_interrupts();

	if (madvise(region, pages * PAGE_BYTES, MADV_PAGEOUT))
		die_environment("MADV_PAGEOUT: %s", strerror(errno));
	return tlb_interrupts() - before;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "pages", required_argument, NULL, 'p' },
		{ "threads", required_argument, NULL, 't' },
		{ "huge", no_argument, NULL, 'H' },
		{ "again", no_argument, NULL, 'a' },
		{ "visit", required_argument, NULL, 'v' },
		{ }
	};
	size_t pages = REGION_PAGES, threads = 3, visits = 0, out, wrong, i;
	uint64_t received, read_back, *region;
	int pagemap = open_pagemap(), option;
	bool huge = false, again = false;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'p':
			pages = parse_number("pages", optarg, 1, REGION_PAGES);
			break;
		case 't':
			threads = parse_number("threads", optarg, 1,
					       MAX_CPUS - 1);
			break;
		case 'H':
			huge = true;
			break;
		case 'a':
			again = true;
			break;
		case 'v':
			visits = parse_number("visit", optarg, 1, MAX_CPUS - 1);
			break;
		default:
			die_usage("fan_out [--pages 512] [--threads 3] [--huge] [--again] [--visit N]");
		}
	}
	start_watchdog(300);
	spinners_start(threads);

	region = map_region(huge);
	if (visits)
		visit((unsigned int)threads + 1, (unsigned int)visits);
	for (i = 0; i < pages * PAGE_WORDS; i++)
		region[i] = word_of(i / PAGE_WORDS, i % PAGE_WORDS);

	received = page_out(region, pages);
	out = pagemap_count(pagemap, region, pages, PAGEMAP_SWAPPED);

	read_back = swap_reads();
	wrong = wrong_pages(region, pages);
	read_back = swap_reads() - read_back;
	if (again)
		say(STDOUT_FILENO, "again: received=%" PRIu64 "\n", page_out(region, pages));
	spinners_stop();

	say(STDOUT_FILENO, "pages=%zu threads=%zu out=%zu received=%" PRIu64 " read_back=%" PRIu64 " errors=%zu\n",
	    pages, threads, out, received, read_back, wrong);
	return wrong ? STRESS_DATA_ERROR : STRESS_OK;
}
