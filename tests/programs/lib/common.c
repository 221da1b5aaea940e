// SPDX-License-Identifier: GPL-2.0-only
/*
 * What every program here shares: options, time, CPU pinning, the watchdog
 * and the signal that ends a run early.
 */
#include "common.h"

/*
 * Each message goes out by one write(2): children of a threaded process must not take
 * stdio's locks, and lines of several threads must not mix.
 */
void say(int fd, const char *format, ...)
{
	char line[1024];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (length < 0)
		return;
	if ((size_t)length >= sizeof(line))
		length = sizeof(line) - 1;
	if (write(fd, line, (size_t)length) < 0)
		return;	/* nobody is left to be told */
}

/**
 * parse_number() - read a decimal option value, or end with a usage error
 * @option:	name of the option, for the message
 * @text:	what the user wrote
 * @lowest:	smallest value accepted
 * @highest:	largest value accepted
 */
unsigned long parse_number(const char *option, const char *text,
			   unsigned long lowest, unsigned long highest)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || strchr(text, '-') ||
	    value < lowest || value > highest)
		die_usage("--%s must be %lu to %lu, not '%s'", option, lowest,
			  highest, text);
	return value;
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

double seconds_since(uint64_t start_ns)
{
	return (double)(now_ns() - start_ns) / (double)NSEC_PER_SEC;
}

void sleep_ms(unsigned int ms)
{
	struct timespec pause = {
		.tv_sec = ms / 1000,
		.tv_nsec = (long)(ms % 1000) * (long)NSEC_PER_MSEC,
	};

	nanosleep(&pause, NULL);
}

/**
 * scratch_path() - name a file of this process
 * @path: gets its path
 * @size: of @path
 * @name: what the file is
 * @number: of several
 *
 * Context: any. It is in $TMPDIR, or in /var/tmp.
 */
void scratch_path(char *path, size_t size, const char *name, size_t number)
{
	const char *dir = getenv("TMPDIR");

	snprintf(path, size, "%s/%s.%d.%zu", dir ? dir : "/var/tmp", name, getpid(), number);
}

/**
 * kernel_version() - the release that runs, as KERNEL_VERSION() of its first two numbers and 0
 */
unsigned int kernel_version(void)
{
	unsigned int major, minor;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		die_environment("which kernel is this?");
	return KERNEL_VERSION(major, minor, 0);
}

/**
 * usable_cpus() - the CPUs this process may run on
 * @cpus:	receives their numbers
 * @limit:	room in @cpus
 *
 * Return: how many there are, at most @limit.
 */
unsigned int usable_cpus(int *cpus, unsigned int limit)
{
	unsigned int count = 0;
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		die_environment("sched_getaffinity: %s", strerror(errno));
	for (cpu = 0; cpu < CPU_SETSIZE && count < limit; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[count++] = cpu;
	return count;
}

/* Pins the calling thread. A CPU that went away is no reason to give up. */
bool pin_self(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/**
 * map_locked() - zeroed memory that is never swapped
 * @bytes:	size
 *
 * Tests compare swapped memory with what is here, so it must not be swapped itself.
 */
void *map_locked(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die_environment("mmap of %zu bytes: %s", bytes, strerror(errno));
	if (mlock(memory, bytes))
		die_environment("mlock of %zu bytes: %s", bytes,
				strerror(errno));
	return memory;
}

/**
 * map_huge() - memory at a multiple of a huge page's size, which may have huge pages
 * @bytes: size
 *
 * It is a part of a mapping that has room for one more.
 */
char *map_huge(size_t bytes)
{
	char *room = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start = (char *)(((uintptr_t)room + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));

	if (room == MAP_FAILED)
		die_environment("mmap of %zu bytes: %s", bytes, strerror(errno));
	if (madvise(start, bytes, MADV_HUGEPAGE))
		die_environment("MADV_HUGEPAGE: %s", strerror(errno));
	return start;
}

void start_thread(pthread_t *thread, void *(*body)(void *), void *argument)
{
	int error = pthread_create(thread, NULL, body, argument);

	if (error)
		die_environment("pthread_create: %s", strerror(error));
}

/* A child ends with the thread that made it, whatever happens to that thread. */
pid_t fork_child(void)
{
	pid_t child = fork();

	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

/* How it ended, as waitpid() says it. */
int wait_child(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			die_environment("waitpid: %s", strerror(errno));
	return status;
}

/*
 * SIGTERM and SIGINT end the time early. Final checks are still made. So a test can use a
 * program as background load of unknown length.
 */
volatile sig_atomic_t stress_stop;

static void stress_on_stop(int signal_number)
{
	(void)signal_number;
	stress_stop = 1;
}

static void stress_on_alarm(int signal_number)
{
	static const char line[] = "result=timeout\n";
	ssize_t ignored;

	(void)signal_number;
	ignored = write(STDOUT_FILENO, line, sizeof(line) - 1);
	(void)ignored;
	_exit(STRESS_TIMEOUT);
}

/**
 * start_watchdog() - end this process with STRESS_TIMEOUT after a while
 * @seconds:	from now
 *
 * A hang in the kernel's reclaim must fail a test, never stall it.
 */
void start_watchdog(unsigned int seconds)
{
	struct sigaction action = { .sa_handler = stress_on_alarm };

	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = stress_on_stop;
	action.sa_flags = SA_RESTART;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	alarm(seconds);
}
