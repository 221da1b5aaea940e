// SPDX-License-Identifier: GPL-2.0-only
/*
 * passes - reclaim passes that the module's batching can't have
 *
 *  crowd	so many threads page a part of the memory out at once, a pass each: there
 *		may be more of them than the module's table has room for
 *  nested	a pass is interrupted in its middle by another one of the same task, by
 *		the module nest (tests/guest/modules/nest)
 *
 * Every byte is checked afterwards. What became of the passes the calling script asks
 * the module, and nest.
 */
#include "common.h"
#include "rng.h"
#include "swap.h"

#define NEST		"/sys/module/nest/parameters/nest"
#define PAGES		32UL	/* of a pass */
#define MAX_THREADS	128
/* Folios of the outer pass that wait when the inner one begins, and one more. */
#define NTH		8

static uint64_t *base;
static pthread_barrier_t start;
static bool over;

/* Never 0; half of a page compresses. */
static uint64_t word_of(size_t word)
{
	return word & 1 ? mix64(word) | 1 : word + 1;
}

static void fill(size_t first, size_t pages)
{
	size_t word;

	for (word = first * PAGE_WORDS; word < (first + pages) * PAGE_WORDS; word++)
		base[word] = word_of(word);
}

static size_t wrong_words(size_t pages)
{
	size_t wrong = 0, word;

	for (word = 0; word < pages * PAGE_WORDS; word++)
		wrong += base[word] != word_of(word);
	return wrong;
}

static void page_out(size_t first)
{
	if (madvise(base + first * PAGE_WORDS, PAGES * PAGE_BYTES, MADV_PAGEOUT))
		die_environment("MADV_PAGEOUT: %s", strerror(errno));
}

static void map(size_t pages)
{
	base = mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED || madvise(base, pages * PAGE_BYTES, MADV_NOHUGEPAGE))
		die_environment("mmap: %s", strerror(errno));
}

static void *one_of_crowd(void *argument)
{
	size_t first = (size_t)argument * PAGES;

	fill(first, PAGES);
	pthread_barrier_wait(&start);
	page_out(first);
	return NULL;
}

static size_t crowd(unsigned long threads)
{
	pthread_t thread[MAX_THREADS];
	size_t i;

	map(threads * PAGES);
	pthread_barrier_init(&start, NULL, (unsigned int)threads);
	for (i = 0; i < threads; i++)
		start_thread(&thread[i], one_of_crowd, (void *)i);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return wrong_words(threads * PAGES);
}

/* x86 puts a flush off only if another CPU uses this mm too. */
static void *spin(void *unused)
{
	(void)unused;
	pin_self(1);
	pthread_barrier_wait(&start);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		__builtin_ia32_pause();
	return NULL;
}

static size_t nested(void)
{
	int fd = open(NEST, O_WRONLY | O_CLOEXEC), pagemap = open_pagemap(), length;
	pthread_t spinner;
	char text[64];
	size_t out;

	/* Behind the outer pass's pages those of the inner one. */
	map(2 * PAGES);
	pin_self(0);
	pthread_barrier_init(&start, NULL, 2);
	start_thread(&spinner, spin, NULL);
	pthread_barrier_wait(&start);
	fill(0, 2 * PAGES);
	length = snprintf(text, sizeof(text), "%lx %lu %d",
			  (unsigned long)(base + PAGES * PAGE_WORDS), PAGES * PAGE_BYTES, NTH);
	if (fd < 0 || write(fd, text, (size_t)length) != length)
		die_environment("%s: %s", NEST, strerror(errno));
	close(fd);
	page_out(0);
	out = pagemap_count(pagemap, base, 2 * PAGES, PAGEMAP_SWAPPED);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(spinner, NULL);
	say(STDOUT_FILENO, "pages=%lu out=%zu ", PAGES, out);
	return wrong_words(2 * PAGES);
}

int main(int argc, char **argv)
{
	size_t wrong;

	start_watchdog(300);
	if (argc == 3 && !strcmp(argv[1], "crowd"))
		wrong = crowd(parse_number("crowd", argv[2], 2, MAX_THREADS));
	else if (argc == 2 && !strcmp(argv[1], "nested"))
		wrong = nested();
	else
		die_usage("passes crowd THREADS | nested");
	say(STDOUT_FILENO, "wrong=%zu\n", wrong);
	return wrong ? STRESS_DATA_ERROR : STRESS_OK;
}
