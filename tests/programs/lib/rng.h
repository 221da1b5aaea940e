/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers. The functions are inline, since workloads take several numbers for each store.
 */
#ifndef TEST_RNG_H
#define TEST_RNG_H

#include "common.h"

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

#endif
