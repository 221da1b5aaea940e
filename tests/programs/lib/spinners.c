// SPDX-License-Identifier: GPL-2.0-only
/* Threads that spin on other CPUs: see spinners.h. */
#include "common.h"
#include "spinners.h"

static bool over;
static unsigned int spinning;
static pthread_t spinners[MAX_CPUS];
static size_t nr_spinners;

static void *spin(void *unused)
{
	(void)unused;
	__atomic_fetch_add(&spinning, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		__builtin_ia32_pause();
	return NULL;
}

/* The thread is on its CPU from its first instruction on. */
static void start_on(pthread_t *thread, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_attr_init(&attr) ||
	    pthread_attr_setaffinity_np(&attr, sizeof(set), &set) ||
	    pthread_create(thread, &attr, spin, NULL))
		die_environment("no thread on CPU %d", cpu);
	pthread_attr_destroy(&attr);
}

void spinners_start(size_t nr)
{
	for (nr_spinners = 0; nr_spinners < nr; nr_spinners++)
		start_on(&spinners[nr_spinners], (int)nr_spinners + 1);
	while (__atomic_load_n(&spinning, __ATOMIC_ACQUIRE) < nr)
		sleep_ms(1);
}

void spinners_stop(void)
{
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	while (nr_spinners)
		pthread_join(spinners[--nr_spinners], NULL);
}
