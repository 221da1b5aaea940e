// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_pageout - dirty pages of a file in the same reclaim pass as anonymous ones
 *
 * The mapping of a file is private. Its first half is written to, which makes anonymous
 * pages. Its second half is only read through the mapping, and dirtied by write(2). One
 * MADV_PAGEOUT hands both halves to one pass. Only kswapd writes dirty files, and only on a
 * second visit, when the node is full of them. So the pass runs twice, the second time as
 * kswapd (tests/guest/modules/as-kswapd). Afterwards every byte must be what it was.
 */
#include "common.h"

#define AS_KSWAPD	"/sys/module/as_kswapd/parameters/on"
#define HALF		8UL
#define PAGES		(2 * HALF)

static bool over;

/* x86 defers a flush only if another CPU uses this mm too. */
static void *spin(void *argument)
{
	pin_self(*(int *)argument);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		__builtin_ia32_pause();
	return NULL;
}

static void as_kswapd(bool on)
{
	int fd = open(AS_KSWAPD, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, on ? "1" : "0", 1) != 1)
		die_environment("%s: %s", AS_KSWAPD, strerror(errno));
	close(fd);
}

static void write_page(int fd, size_t page, uint64_t word)
{
	uint64_t words[PAGE_WORDS];
	size_t i;

	for (i = 0; i < PAGE_WORDS; i++)
		words[i] = word + page;
	if (pwrite(fd, words, PAGE_BYTES, (off_t)(page * PAGE_BYTES)) !=
	    (ssize_t)PAGE_BYTES)
		die_environment("pwrite: %s", strerror(errno));
}

/* Anonymous pages are stored to, the file's pages are read. Then all of them are mapped. */
static unsigned int touch(uint64_t *base, uint64_t word)
{
	unsigned int wrong = 0;
	size_t page;

	for (page = 0; page < HALF; page++)
		__atomic_store_n(base + page * PAGE_WORDS, word + page,
				 __ATOMIC_RELAXED);
	for (page = HALF; page < PAGES; page++)
		wrong += __atomic_load_n(base + page * PAGE_WORDS,
					 __ATOMIC_RELAXED) != word + page;
	return wrong;
}

static unsigned int verify(const uint64_t *base, uint64_t word)
{
	unsigned int wrong = 0;
	size_t page;

	for (page = 0; page < PAGES; page++)
		wrong += __atomic_load_n(base + page * PAGE_WORDS,
					 __ATOMIC_RELAXED) != word + page;
	return wrong;
}

static void page_out(uint64_t *base)
{
	if (madvise(base, PAGES * PAGE_BYTES, MADV_PAGEOUT))
		die_environment("MADV_PAGEOUT: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "file", required_argument, NULL, 'f' },
		{ "rounds", required_argument, NULL, 'r' },
		{ }
	};
	unsigned int rounds = 5, wrong = 0, round;
	const char *path = NULL;
	int cpus[2], fd, option;
	pthread_t spinner;
	uint64_t *base;
	size_t page;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'f')
			path = optarg;
		else if (option == 'r')
			rounds = parse_number("rounds", optarg, 1, 1000);
		else
			optind = argc + 1;
	}
	if (optind != argc || !path)
		die_usage("file_pageout --file PATH [--rounds N]");
	if (usable_cpus(cpus, 2) < 2 || !pin_self(cpus[0]))
		die_environment("needs two CPUs");
	start_watchdog(300);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		die_environment("%s: %s", path, strerror(errno));
	for (page = 0; page < PAGES; page++)
		write_page(fd, page, 0);
	/* The file gets blocks on the disk now: kswapd allocates none. */
	if (fsync(fd))
		die_environment("fsync: %s", strerror(errno));
	base = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		    fd, 0);
	if (base == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	/* Read-ahead uses the same page flag that kswapd looks for. */
	if (madvise(base, PAGES * PAGE_BYTES, MADV_RANDOM))
		die_environment("MADV_RANDOM: %s", strerror(errno));
	start_thread(&spinner, spin, &cpus[1]);
	/* The spinner's CPU must have loaded this mm before pages are reclaimed. */
	sleep_ms(50);
	for (round = 1; round <= rounds; round++) {
		uint64_t word = (uint64_t)round << 32;

		for (page = HALF; page < PAGES; page++)
			write_page(fd, page, word);
		wrong += touch(base, word);
		page_out(base);
		wrong += touch(base, word);
		as_kswapd(true);
		page_out(base);
		as_kswapd(false);
		wrong += verify(base, word);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(spinner, NULL);
	say(STDOUT_FILENO, "wrong=%u rounds=%u\n", wrong, rounds);
	return wrong ? STRESS_DATA_ERROR : STRESS_OK;
}
