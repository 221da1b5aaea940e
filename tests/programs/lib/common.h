/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every program here shares: exit codes, options, time, CPU pinning, the
 * watchdog and the signal that ends a run early.
 */
#ifndef TEST_COMMON_H
#define TEST_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/version.h>
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
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What headers of older kernels lack. */
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

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

#define ARRAY_SIZE(arr)	(sizeof(arr) / sizeof((arr)[0]))

__attribute__((format(printf, 2, 3)))
void say(int fd, const char *format, ...);

/* Ends the program: the test could not be made. That is not a pass. */
#define die_environment(...)						\
	do {								\
		say(STDERR_FILENO, "environment: " __VA_ARGS__);	\
		say(STDERR_FILENO, "\n");				\
		_exit(STRESS_ENVIRONMENT);				\
	} while (0)

/* Ends the program: memory ran out. That says nothing about the data. */
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

unsigned long parse_number(const char *option, const char *text,
			   unsigned long lowest, unsigned long highest);
uint64_t now_ns(void);
double seconds_since(uint64_t start_ns);
void sleep_ms(unsigned int ms);
void scratch_path(char *path, size_t size, const char *name, size_t number);
unsigned int usable_cpus(int *cpus, unsigned int limit);
unsigned int kernel_version(void);
bool pin_self(int cpu);
void *map_locked(size_t bytes);
char *map_huge(size_t bytes);
void start_thread(pthread_t *thread, void *(*body)(void *), void *argument);
pid_t fork_child(void);
int wait_child(pid_t child);
void start_watchdog(unsigned int seconds);

/* A word that other threads write. */
static inline uint64_t value_of(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

/* Set by SIGTERM and SIGINT: the time ends early, and the checks are still made. */
extern volatile sig_atomic_t stress_stop;

#endif
