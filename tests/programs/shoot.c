// SPDX-License-Identifier: GPL-2.0-only
/*
 * shoot - send TLB shootdowns of a known cause
 *
 *	shoot mprotect|madvise|munmap|mremap|fork|read [--threads 3] [--times 1000]
 *	shoot move [--threads 3] [--times 1000]	migrates a page from node 0 to 1 and back
 *	shoot exit [--threads 3] [--times 20]	a child whose threads run everywhere exits
 *
 * A thread spins on each of N other CPUs, so that each flush interrupts exactly those. With
 * "read" the thread only makes system calls: nothing is flushed. Prints how many flushes its
 * cause asked for, at least.
 *
 * Start it with "taskset -c 0": CPUs on which the process ran before count, too.
 */
#include "common.h"
#include "spinners.h"
#include <sys/syscall.h>
#include <sys/wait.h>

#define MPOL_MF_MOVE_FLAG	2

static char *map_page(void)
{
	char *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	*page = 1;
	return page;
}

/* Each asks for one flush of a page that is mapped and was written. */
static void shoot_mprotect(char *page)
{
	*page = 1;
	if (mprotect(page, PAGE_BYTES, PROT_READ) ||
	    mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE))
		die_environment("mprotect: %s", strerror(errno));
}

static void shoot_madvise(char *page)
{
	*page = 1;
	if (madvise(page, PAGE_BYTES, MADV_DONTNEED))
		die_environment("madvise: %s", strerror(errno));
}

static void shoot_munmap(char *page)
{
	(void)page;
	if (munmap(map_page(), PAGE_BYTES))
		die_environment("munmap: %s", strerror(errno));
}

static void shoot_mremap(char *page)
{
	char *at = map_page(), *to = map_page();

	(void)page;
	if (mremap(at, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to ||
	    munmap(to, PAGE_BYTES))
		die_environment("mremap: %s", strerror(errno));
}

static void shoot_fork(char *page)
{
	pid_t child;

	*page = 1;
	child = fork();
	if (child < 0)
		die_environment("fork: %s", strerror(errno));
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void shoot_read(char *page)
{
	(void)page;
	if (getppid() < 0)
		die_environment("getppid");
}

static void shoot_move(char *page)
{
	static int node;
	void *pages[] = { page };
	int status;

	*page = 1;
	node = !node;
	if (syscall(SYS_move_pages, 0, 1UL, pages, &node, &status, MPOL_MF_MOVE_FLAG))
		die_environment("move_pages: %s", strerror(errno));
}

/* The child's threads are still on their CPUs when the last one leaves the mm. */
static void shoot_exit(size_t threads)
{
	pid_t child = fork();

	if (child < 0)
		die_environment("fork: %s", strerror(errno));
	if (!child) {
		size_t i;

		spinners_start(threads);
		for (i = 0; i < 64; i++)
			map_page();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static const struct {
	const char *name;
	void (*shoot)(char *page);
} causes[] = {
	{ "mprotect", shoot_mprotect }, { "madvise", shoot_madvise },
	{ "munmap", shoot_munmap }, { "mremap", shoot_mremap }, { "fork", shoot_fork },
	{ "read", shoot_read }, { "move", shoot_move }, { "exit", NULL },
};

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "times", required_argument, NULL, 'n' },
		{ }
	};
	size_t threads = 3, times = 1000, cause, i;
	char *page;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 't':
			threads = parse_number("threads", optarg, 1, MAX_CPUS - 1);
			break;
		case 'n':
			times = parse_number("times", optarg, 1, 1000000);
			break;
		default:
			die_usage("shoot CAUSE [--threads 3] [--times 1000]");
		}
	}
	for (cause = 0; optind < argc && cause < ARRAY_SIZE(causes); cause++)
		if (!strcmp(argv[optind], causes[cause].name))
			break;
	if (optind + 1 != argc || cause == ARRAY_SIZE(causes))
		die_usage("shoot CAUSE [--threads 3] [--times 1000]");
	start_watchdog(300);
	if (causes[cause].shoot) {
		spinners_start(threads);
		page = map_page();
		for (i = 0; i < times; i++)
			causes[cause].shoot(page);
		spinners_stop();
	} else {
		for (i = 0; i < times; i++)
			shoot_exit(threads);
	}
	say(STDOUT_FILENO, "%s: times=%zu threads=%zu\n", causes[cause].name, times, threads);
	return STRESS_OK;
}
