// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stores that race with an operation. Each hand has a shadow: a thread on another CPU. While
 * the hand acts on some pages, its shadow stores growing numbers into one word of each, the
 * live word. It stores by an atomic exchange, and so gets back what the page held. That must
 * be its own last number. Otherwise a store was lost, through a stale TLB entry for example.
 */
#include "torture.h"

/* Hot pages meet each stale entry. Pages left alone for a while are written and freed. */
static const unsigned int bursts[] = { 1, 64, 1024, 16384 };

static void store_lost(const struct shadow *shadow, size_t page, uint64_t expected,
		       uint64_t found)
{
	const struct page_fault fault = {
		.word = LIVE_WORD, .expected = expected, .found = found,
	};

	report_fault(shadow->worker, page, page_at(shadow->worker, page), &fault,
		     "a racing store");
}

static void store_burst(struct shadow *shadow, size_t page)
{
	struct worker *worker = shadow->worker;
	uint64_t *word = (uint64_t *)page_at(worker, page) + LIVE_WORD;
	uint64_t number = worker->live[page], found;
	unsigned int left;

	for (left = shadow->burst; left; left--) {
		if (__atomic_load_n(&shadow->ending, __ATOMIC_RELAXED))
			return;
		found = __atomic_exchange_n(word, number + 1, __ATOMIC_RELAXED);
		if (found != number)
			store_lost(shadow, page, number, found);
		/* The page has to hold at least what is published. */
		__atomic_store_n(&worker->live[page], ++number, __ATOMIC_RELEASE);
	}
}

/* No two numbers are the same, whichever page they are stored to. */
static void store_unchecked(struct shadow *shadow, size_t page)
{
	uint64_t *word = (uint64_t *)page_at(shadow->worker, page) + LIVE_WORD;

	__atomic_exchange_n(word, ++shadow->number, __ATOMIC_RELAXED);
}

static void store_until_end(struct shadow *shadow)
{
	size_t i;

	pin_self(shadow->cpu);
	while (!__atomic_load_n(&shadow->ending, __ATOMIC_RELAXED))
		for (i = 0; i < shadow->length; i++)
			if (shadow->chase)
				store_unchecked(shadow, shadow->first + i);
			else
				store_burst(shadow, shadow->first + i);
}

/* It never ends: the process does. */
void *shadow_body(void *argument)
{
	struct hand *hand = argument;
	struct shadow *shadow = &hand->shadow;

	this_hand = hand;
	pthread_mutex_lock(&shadow->lock);
	for (;;) {
		while (!shadow->worker)
			pthread_cond_wait(&shadow->changed, &shadow->lock);
		pthread_mutex_unlock(&shadow->lock);
		store_until_end(shadow);
		pthread_mutex_lock(&shadow->lock);
		shadow->worker = NULL;
		pthread_cond_broadcast(&shadow->changed);
	}
	return NULL;
}

/* Hands are on every second CPU. The others are their shadows'. */
static int shadow_cpu(struct worker *worker)
{
	unsigned int i;

	for (i = 0; cpus[i] != worker->cpu && i < nr_cpus - 1; i++)
		;
	i += 1 + 2 * (unsigned int)rng_below(&worker->rng, (nr_cpus + 1) / 2);
	return cpus[i % nr_cpus];
}

/**
 * shadow_start() - let this hand's shadow store to pages
 * @worker:	whose pages; what they hold was checked
 * @first:	the first
 * @length:	how many
 * @chase:	nobody knows what the pages hold afterwards
 */
void shadow_start(struct worker *worker, size_t first, size_t length, bool chase)
{
	struct shadow *shadow = &this_hand->shadow;
	size_t i;

	for (i = first; i < first + length; i++) {
		uint64_t *words = page_at(worker, i);

		if (worker->live[i])
			continue;
		worker->live[i] = rng_next(&worker->rng) >> 1 | 1;
		words[LIVE_WORD] = worker->live[i];
	}
	pthread_mutex_lock(&shadow->lock);
	shadow->first = first;
	shadow->length = length;
	shadow->burst = bursts[rng_below(&worker->rng, ARRAY_SIZE(bursts))];
	shadow->cpu = shadow_cpu(worker);
	shadow->chase = chase;
	shadow->ending = false;
	shadow->worker = worker;
	pthread_cond_broadcast(&shadow->changed);
	pthread_mutex_unlock(&shadow->lock);
}

/* Returns when the last number is stored and published. */
void shadow_stop(void)
{
	struct shadow *shadow = &this_hand->shadow;

	pthread_mutex_lock(&shadow->lock);
	__atomic_store_n(&shadow->ending, true, __ATOMIC_RELAXED);
	while (shadow->worker)
		pthread_cond_wait(&shadow->changed, &shadow->lock);
	pthread_mutex_unlock(&shadow->lock);
}

/* Picks a range to act on, and lets the shadow store to it, in half of the cases. */
size_t race_begin(struct worker *worker, size_t *length)
{
	size_t first = pick_range(worker, length);

	warm_range(worker, first, *length, "before an operation");
	if (rng_one_in(&worker->rng, 2))
		shadow_start(worker, first, *length, false);
	return first;
}

void race_end(struct worker *worker, size_t first, size_t length, const char *what)
{
	shadow_stop();
	check_range(worker, first, length, what);
}
