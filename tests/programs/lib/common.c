/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every stress program shares: exit codes, options, time, random
 * numbers, CPU pinning, the watchdog and the signal that ends a run early.
 *
 * Everything is static inline, so that each program stays one translation
 * unit that is built by a single gcc call.
 */
#ifndef STRESS_COMMON_H
#define STRESS_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A test script must be able to tell lost data from a bad environment. */
enum stress_exit {
	STRESS_OK = 0,
	STRESS_DATA_ERROR = 1,
	STRESS_USAGE = 2,
	STRESS_ENVIRONMENT = 3,
	STRESS_TIMEOUT = 4,
	STRESS_KILLED = 5,	/* by the OOM killer; no wrong byte until then */
};

#define PAGE_BYTES	4096UL
#define PAGE_WORDS	(PAGE_BYTES / sizeof(uint64_t))
#define MIB_PAGES	((1UL << 20) / PAGE_BYTES)
#define HUGE_BYTES	(2UL << 20)
#define MAX_CPUS	64
#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * Messages go out by one write(2) each: children of a threaded process may
 * not take stdio's locks, and lines of several threads must not mix.
 */
static inline __attribute__((format(printf, 2, 3)))
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

/* Ends the program: the test could not be made, which is not a pass. */
#define die_environment(...)						\
	do {								\
		say(STDERR_FILENO, "environment: " __VA_ARGS__);	\
		say(STDERR_FILENO, "\n");				\
		_exit(STRESS_ENVIRONMENT);				\
	} while (0)

/* Ends the program: memory ran out, which says nothing about the data. */
#define die_killed(who)							\
	do {								\
		say(STDERR_FILENO, "killed: " who "\n");		\
		_exit(STRESS_KILLED);					\
	} while (0)

/* Ends the program: the command line makes no sense. */
#define die_usage(...)							\
	do {								\
		say(STDERR_FILENO, "usage: " __VA_ARGS__);		\
		say(STDERR_FILENO, "\n");				\
		_exit(STRESS_USAGE);					\
	} while (0)

/**
 * parse_number() - read a decimal option value, or end with a usage error
 * @option:	name of the option, for the message
 * @text:	what the user wrote
 * @lowest:	smallest value accepted
 * @highest:	largest value accepted
 */
static inline unsigned long parse_number(const char *option, const char *text,
					 unsigned long lowest,
					 unsigned long highest)
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

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static inline double seconds_since(uint64_t start_ns)
{
	return (double)(now_ns() - start_ns) / (double)NSEC_PER_SEC;
}

static inline void sleep_ms(unsigned int ms)
{
	struct timespec pause = {
		.tv_sec = ms / 1000,
		.tv_nsec = (long)(ms % 1000) * (long)NSEC_PER_MSEC,
	};

	nanosleep(&pause, NULL);
}

/* splitmix64: one state word, good enough and the same on every machine. */
struct rng {
	uint64_t state;
};

static inline uint64_t mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline uint64_t rng_next(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15ULL;
	return mix64(rng->state);
}

/* A number from 0 to limit - 1. */
static inline size_t rng_below(struct rng *rng, size_t limit)
{
	return (size_t)(((rng_next(rng) >> 32) * (uint64_t)limit) >> 32);
}

/* True once in @n calls on average. */
static inline bool rng_one_in(struct rng *rng, size_t n)
{
	return rng_below(rng, n) == 0;
}

/**
 * usable_cpus() - the CPUs this process may run on
 * @cpus:	receives their numbers
 * @limit:	room in @cpus
 *
 * Return: how many there are, at most @limit.
 */
static inline unsigned int usable_cpus(int *cpus, unsigned int limit)
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
static inline bool pin_self(int cpu)
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
 * For what a test compares swapped memory with: it must not go the same way
 * as the data under test.
 */
static inline void *map_locked(size_t bytes)
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

static inline void start_thread(pthread_t *thread, void *(*body)(void *),
				void *argument)
{
	int error = pthread_create(thread, NULL, body, argument);

	if (error)
		die_environment("pthread_create: %s", strerror(error));
}

/* Children end with the thread that made them, whatever happens to it. */
static inline pid_t fork_child(void)
{
	pid_t child = fork();

	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

/*
 * SIGTERM and SIGINT end the time early; final checks are still made, so
 * that a test may use a program as background load of unknown length.
 */
static volatile sig_atomic_t stress_stop;

static inline void stress_on_stop(int signal_number)
{
	(void)signal_number;
	stress_stop = 1;
}

static inline void stress_on_alarm(int signal_number)
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
static inline void start_watchdog(unsigned int seconds)
{
	struct sigaction action = { .sa_handler = stress_on_alarm };

	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = stress_on_stop;
	action.sa_flags = SA_RESTART;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	alarm(seconds);
}

#endif
