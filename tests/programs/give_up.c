// SPDX-License-Identifier: GPL-2.0-only
/*
 * give_up - huge pages that MADV_FREE gave up, in a state that a test wants
 *
 *  plain	nobody has touched them since
 *  dirty	a word of each was written since
 *  held	a page of each is in a pipe
 *  protected	they are read-only since
 *  watched	a userfaultfd watches them since
 *  shared	another process has them, too
 *
 * Prints "ready", and pages them out when it reads a line: then it prints how many huge pages went,
 * and how many words of the others are wrong. It exits at the end of its input.
 */
#include "common.h"
#include "swap.h"
#include "uffd.h"

#define HUGE_PAGES	(HUGE_BYTES / PAGE_BYTES)
#define MAX_HUGE	512
/* Pages that were split need a second time. One that another CPU looks at needs one more. */
#define TRIES		5

static char *base;
static size_t nr;

static uint64_t *word_of(size_t huge)
{
	return (uint64_t *)(base + huge * HUGE_BYTES) + 1;
}

static void map(void)
{
	size_t bytes = nr * HUGE_BYTES;

	base = map_huge(bytes);
	memset(base, 1, bytes);
}

static void hold(void)
{
	size_t huge;
	int ends[2];

	if (pipe(ends))
		die_environment("pipe: %s", strerror(errno));
	fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	for (huge = 0; huge < nr; huge++) {
		struct iovec part = { base + huge * HUGE_BYTES, PAGE_BYTES };

		if (vmsplice(ends[1], &part, 1, 0) < 0)
			die_environment("vmsplice: %s", strerror(errno));
	}
}

static void watch(void)
{
	int fd = uffd_open(UFFD_FEATURE_PAGEFAULT_FLAG_WP);
	struct uffdio_register range = {
		.range = { (uintptr_t)base, nr * HUGE_BYTES }, .mode = UFFDIO_REGISTER_MODE_WP,
	};

	if (fd < 0 || ioctl(fd, UFFDIO_REGISTER, &range))
		die_environment("UFFDIO_REGISTER: %s", strerror(errno));
}

static void share(void)
{
	if (!fork_child()) {
		for (;;)
			pause();
	}
}

static uint64_t written(size_t huge)
{
	return 0x5eed0000 + huge;
}

static void bring_into(const char *state)
{
	size_t huge;

	if (!strcmp(state, "dirty"))
		for (huge = 0; huge < nr; huge++)
			*(volatile uint64_t *)word_of(huge) = written(huge);
	else if (!strcmp(state, "held"))
		hold();
	else if (!strcmp(state, "protected"))
		mprotect(base, nr * HUGE_BYTES, PROT_READ);
	else if (!strcmp(state, "watched"))
		watch();
	else if (!strcmp(state, "shared"))
		share();
	else if (strcmp(state, "plain"))
		die_usage("no state '%s'", state);
}

static size_t gone(int pagemap)
{
	size_t huge, count = 0;

	for (huge = 0; huge < nr; huge++)
		count += !pagemap_count(pagemap, base + huge * HUGE_BYTES, HUGE_PAGES,
					PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
	return count;
}

static void page_out(const char *state)
{
	int pagemap = open_pagemap(), tries = TRIES;
	size_t huge, went, wrong = 0;

	do {
		madvise(base, nr * HUGE_BYTES, MADV_PAGEOUT);
		went = gone(pagemap);
	} while (went < nr && --tries);
	if (!strcmp(state, "dirty"))
		for (huge = 0; huge < nr; huge++)
			wrong += *word_of(huge) != written(huge);
	close(pagemap);
	printf("gone=%zu wrong=%zu\n", went, wrong);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[16];

	if (argc != 3)
		die_usage("give_up HUGE_PAGES plain|dirty|held|protected|watched|shared");
	nr = parse_number("HUGE_PAGES", argv[1], 1, MAX_HUGE);
	start_watchdog(600);
	map();
	if (madvise(base, nr * HUGE_BYTES, MADV_FREE))
		die_environment("MADV_FREE: %s", strerror(errno));
	bring_into(argv[2]);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		page_out(argv[2]);
	/* With its children. */
	kill(0, SIGTERM);
	return STRESS_OK;
}
