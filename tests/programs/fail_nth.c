// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do one thing while the kernel's Nth allocation for it fails.
 *
 *   fail_nth N write FILE TEXT
 *   fail_nth N load MODULE.ko [PARAMETERS]
 *   fail_nth N unload MODULE
 *
 * For a load, only the allocations of the module's own init count.
 *
 * It uses /proc/self/fail-nth if the kernel has fault injection, else the test module
 * failalloc. A load needs that module in both cases. Prints "ok" or the name of the errno, and then "failed" if there was an Nth
 * allocation, or "none" if there wasn't.
 */
#include "common.h"

#define FAIL_NTH	"/proc/self/fail-nth"
#define PARAMETERS	"/sys/module/failalloc/parameters/"

/* Shared by the thread that acts and the process that ends the injection for it. */
static volatile int *stage;
enum { STAGE_ACT, STAGE_DONE, STAGE_ENDED, STAGE_ENDED_UNUSED };

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
}

static int get(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die_environment("%s: %s", path, strerror(errno));
	close(fd);
	return atoi(text);
}

struct act {
	const char *what;
	int fd;
	const char *text;
};

/* Only the system call: anything else could allocate. */
static int act(const struct act *act)
{
	long ret;

	switch (act->what[0]) {
	case 'w':
		ret = write(act->fd, act->text, strlen(act->text));
		break;
	case 'l':
		ret = syscall(SYS_finit_module, act->fd, act->text, 0);
		break;
	default:
		ret = syscall(SYS_delete_module, act->text, O_NONBLOCK);
	}
	return ret < 0 ? errno : 0;
}

/* The test module sets the kernel's file when the module's own init comes. */
static void arm_for_load(const char *nth)
{
	char pid[32];

	snprintf(pid, sizeof(pid), "%d", getpid());
	put(PARAMETERS "nth", nth);
	put(PARAMETERS "pid", pid);
}

/* The kernel's own file. Reading and writing it allocates nothing. */
static int by_kernel(int fd, const char *nth, const struct act *what, bool *failed)
{
	bool load = what->what[0] == 'l';
	char left[32] = "";
	int err;

	if (load)
		arm_for_load(nth);
	else if (write(fd, nth, strlen(nth)) < 0)
		die_environment(FAIL_NTH ": %s", strerror(errno));
	err = act(what);
	if (pread(fd, left, sizeof(left) - 1, 0) < 0 || pwrite(fd, "0", 1, 0) < 0)
		die_environment(FAIL_NTH ": %s", strerror(errno));
	/* A load that ends before its init leaves the test module's count as it is. */
	*failed = !atoi(left) && !(load && get(PARAMETERS "nth"));
	if (load)
		put(PARAMETERS "pid", "0");
	return err;
}

/* Writing to sysfs allocates, so a child ends it. */
static void end_for_parent(void)
{
	while (*stage != STAGE_DONE)
		usleep(1000);
	put(PARAMETERS "pid", "0");
	*stage = get(PARAMETERS "nth") ? STAGE_ENDED_UNUSED : STAGE_ENDED;
	_exit(0);
}

static int by_module(const char *nth, const struct act *what, bool *failed)
{
	char pid[32];
	int err;

	stage = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (stage == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	*stage = STAGE_ACT;
	if (!fork())
		end_for_parent();
	snprintf(pid, sizeof(pid), "%d", getpid());
	put(PARAMETERS "nth", nth);
	put(PARAMETERS "wait", what->what[0] == 'l' ? "1" : "0");
	put(PARAMETERS "pid", pid);
	err = act(what);
	*stage = STAGE_DONE;
	while (*stage == STAGE_DONE)
		sched_yield();
	*failed = *stage == STAGE_ENDED;
	wait(NULL);
	return err;
}

int main(int argc, char **argv)
{
	struct act what = { .fd = -1 };
	bool failed;
	int fd, err;

	if (argc < 4 || atoi(argv[1]) < 1)
		goto usage;
	what.what = argv[2];
	if (!strcmp(argv[2], "write") && argc == 5) {
		what.fd = open(argv[3], O_WRONLY | O_CLOEXEC);
		what.text = argv[4];
	} else if (!strcmp(argv[2], "load") && argc <= 5) {
		what.fd = open(argv[3], O_RDONLY | O_CLOEXEC);
		what.text = argc == 5 ? argv[4] : "";
	} else if (!strcmp(argv[2], "unload") && argc == 4) {
		what.text = argv[3];
	} else {
		goto usage;
	}
	if (what.fd < 0 && strcmp(argv[2], "unload"))
		die_environment("%s: %s", argv[3], strerror(errno));
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die_environment("mlockall: %s", strerror(errno));

	fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		err = by_kernel(fd, argv[1], &what, &failed);
	else
		err = by_module(argv[1], &what, &failed);
	printf("%s %s\n", err ? strerrorname_np(err) : "ok", failed ? "failed" : "none");
	return STRESS_OK;
usage:
	fprintf(stderr, "usage: %s N write FILE TEXT | load FILE [PARAMETERS] | unload NAME\n",
		argv[0]);
	return STRESS_USAGE;
}
