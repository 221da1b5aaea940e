// SPDX-License-Identifier: GPL-2.0-only
/*
 * cow - write to pages for the first time after a fork
 *
 * A child is forked and ends at once. Then each page of a private mapping is written to.
 * The page's entry is still write-protected, but nobody shares the page any more. So the
 * kernel lets the process have it back (the reuse of a page at a copy-on-write fault) and
 * calls folio_move_anon_rmap().
 *
 * The last line reads "pages=N write_ns=N all_ns=N": pages written to, the time of the
 * writes alone, and the time of everything, forks included.
 */
#include "common.h"

static volatile char *base;
static unsigned long pages = 4096, rounds = 4;

/* Write-protects every page of the mapping, and leaves none of them shared. */
static void fork_once(void)
{
	pid_t child = fork();

	if (child < 0)
		die_environment("fork: %s", strerror(errno));
	if (!child)
		_exit(0);
	if (wait_child(child))
		die_environment("the child did not end");
}

static uint64_t write_all(char value)
{
	uint64_t start = now_ns();
	unsigned long i;

	for (i = 0; i < pages; i++)
		base[i * PAGE_BYTES] = value;
	return now_ns() - start;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "pages", required_argument, NULL, 'p' },
		{ "rounds", required_argument, NULL, 'r' },
		{ },
	};
	uint64_t start, writing = 0;
	unsigned long round;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'p':
			pages = parse_number("pages", optarg, 1, 1UL << 20);
			break;
		case 'r':
			rounds = parse_number("rounds", optarg, 1, 1UL << 20);
			break;
		default:
			die_usage("cow [--pages N] [--rounds N]");
		}
	}
	base = mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED ||
	    madvise((void *)base, pages * PAGE_BYTES, MADV_NOHUGEPAGE))
		die_environment("mmap: %s", strerror(errno));
	write_all(1);

	start = now_ns();
	for (round = 0; round < rounds; round++) {
		fork_once();
		writing += write_all((char)(round + 2));
	}
	printf("pages=%lu write_ns=%" PRIu64 " all_ns=%" PRIu64 "\n",
	       pages * rounds, writing, now_ns() - start);
	return STRESS_OK;
}
