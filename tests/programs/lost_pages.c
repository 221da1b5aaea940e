// SPDX-License-Identifier: GPL-2.0-only
/*
 * lost_pages - does MADV_PAGEOUT of this kernel lose pages?
 *
 * MADV_PAGEOUT takes pages off the LRU into a list of its own. After each 32 page table entries
 * it lets go of the page table's lock if the CPU is wanted. Debian's 7.2.12 returns at once, and
 * forgets its list, if there is no page table any more when it comes back. There,
 * MADV_DONTNEED of all that a page table maps frees it (CONFIG_PT_RECLAIM). The pages stay off
 * the LRU for ever, and nobody frees them.
 *
 * One thread pages out some pages, another one writes to them and gives up the whole page table
 * again and again, and a third one, of a higher priority, wants the first one's CPU. off_lru
 * shows what was lost. Swap must be on.
 */
#include "common.h"

#define TABLE_PAGES	(HUGE_BYTES / PAGE_BYTES)
/* Not at a multiple of 32. */
#define FIRST		49
#define GONE_NS		300000
#define NAG_NS		200000
#define BUSY_NS		100000

static char *base;
static size_t pages = 64, given_up = TABLE_PAGES;
static uint64_t calls;
static bool over;
static int cpus[2];

static void spin(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static bool goes_on(void)
{
	return !__atomic_load_n(&over, __ATOMIC_RELAXED);
}

static void *page_out(void *unused)
{
	(void)unused;
	pin_self(cpus[0]);
	for (; goes_on(); calls++)
		madvise(base + FIRST * PAGE_BYTES, pages * PAGE_BYTES, MADV_PAGEOUT);
	return NULL;
}

static void *give_up(void *unused)
{
	unsigned int delay = 0;
	size_t page;

	(void)unused;
	pin_self(cpus[1]);
	while (goes_on()) {
		for (page = FIRST; page < FIRST + pages; page++)
			__atomic_store_n(base + page * PAGE_BYTES, 1, __ATOMIC_RELAXED);
		delay = (delay + 37000) % 400000;
		spin(delay);
		madvise(base, given_up * PAGE_BYTES, MADV_DONTNEED);
		/* Until the next store there is no page table. */
		spin(GONE_NS);
	}
	return NULL;
}

static void *want_cpu(void *unused)
{
	const struct sched_param priority = { .sched_priority = 1 };

	(void)unused;
	pin_self(cpus[0]);
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die_environment("SCHED_FIFO: %s", strerror(errno));
	while (goes_on()) {
		nanosleep(&(struct timespec){ .tv_nsec = NAG_NS }, NULL);
		spin(BUSY_NS);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	unsigned int seconds;
	uintptr_t room;
	size_t i;

	if (argc != 4)
		die_usage("lost_pages SECONDS PAGES GIVEN_UP");
	seconds = parse_number("SECONDS", argv[1], 1, 3600);
	pages = parse_number("PAGES", argv[2], 1, 256);
	given_up = parse_number("GIVEN_UP", argv[3], 1, TABLE_PAGES);
	if (usable_cpus(cpus, 2) < 2)
		die_environment("needs two CPUs");
	start_watchdog(seconds * 10 + 60);
	room = (uintptr_t)mmap(NULL, 2 * HUGE_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if ((void *)room == MAP_FAILED)
		die_environment("mmap: %s", strerror(errno));
	base = (char *)((room + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	madvise(base, HUGE_BYTES, MADV_NOHUGEPAGE);
	start_thread(&threads[0], page_out, NULL);
	start_thread(&threads[1], give_up, NULL);
	start_thread(&threads[2], want_cpu, NULL);
	sleep_ms(seconds * 1000);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	say(STDOUT_FILENO, "calls=%" PRIu64 "\n", calls);
	return STRESS_OK;
}
