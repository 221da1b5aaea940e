/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much LUF tracking remembers, and how much memory that takes. The ABI document has
 * these figures under luf/mode; tests/unit compares them. The files that define the
 * structs assert their sizes.
 */
#ifndef TLBBATCH_LUF_SIZE_H
#define TLBBATCH_LUF_SIZE_H

#include "kernel/portable.h"

/* Bounds: what doesn't fit makes a generation untracked. */
#define TLBBATCH_LUF_GENERATIONS	16384U
#define TLBBATCH_LUF_CHUNKS		16384U
#define TLBBATCH_LUF_CHUNKS_EACH	288U
#define TLBBATCH_LUF_FILES		8U
/*
 * Pages of a generation. All are looked at with preemption off: microseconds a
 * thousand.
 */
#define TLBBATCH_LUF_PAGES_EACH		16384U

/* What many CPUs write at once is split: the bits of 512 slots fill a cache line. */
#define TLBBATCH_LUF_SHARDS_MAX		(TLBBATCH_LUF_GENERATIONS / 512)
#define TLBBATCH_LUF_CPUS_PER_SHARD	8U
/* Every event on a file reads a count in each table. */
#define TLBBATCH_LUF_TABLES_MAX		8U
#define TLBBATCH_LUF_TABLE_BITS		16

/* Passes that are watched at once. */
#define TLBBATCH_LUF_PASSES_PER_CPU	8U
#define TLBBATCH_LUF_PASSES_MIN		64U
#define TLBBATCH_LUF_PASSES_MAX		1024U

/* Of the structs; each is whole cache lines, so that neighbours share none. */
#define TLBBATCH_LUF_GENERATION_BYTES	192U
#define TLBBATCH_LUF_PASS_BYTES		192U
#define TLBBATCH_LUF_CHUNK_BYTES	128U
#define TLBBATCH_LUF_COVERAGE_BYTES	64U
#define TLBBATCH_LUF_TABLE_BYTES	(sizeof(u32) << TLBBATCH_LUF_TABLE_BITS)
/* One for each model of a generation, and three for each pass. */
#define TLBBATCH_LUF_MASKS_EACH		2U
#define TLBBATCH_LUF_PASS_MASKS		3U

static inline unsigned int tlbbatch_luf_power_of_two(unsigned int nr)
{
	unsigned int power = 1;

	while (power < nr)
		power *= 2;
	return power;
}

/**
 * tlbbatch_luf_shards_for() - parts for so many CPUs
 * @cpus: that there can be
 * @each: CPUs for a part
 *
 * Return: a power of two.
 */
static inline unsigned int tlbbatch_luf_shards_for(unsigned int cpus,
						   unsigned int each)
{
	return min(tlbbatch_luf_power_of_two((cpus + each - 1) / each),
		   TLBBATCH_LUF_SHARDS_MAX);
}

/**
 * tlbbatch_luf_passes_for() - passes that are watched at once with so many CPUs
 * @cpus: that there can be
 *
 * Return: a power of two.
 */
static inline unsigned int tlbbatch_luf_passes_for(unsigned int cpus)
{
	unsigned int nr = min(cpus * TLBBATCH_LUF_PASSES_PER_CPU,
			      TLBBATCH_LUF_PASSES_MAX);

	return tlbbatch_luf_power_of_two(max(nr, TLBBATCH_LUF_PASSES_MIN));
}

/**
 * tlbbatch_luf_bytes() - what tracking takes
 * @frames: page frames up to the highest
 * @cpus: that there can be
 */
static inline u64 tlbbatch_luf_bytes(u64 frames, unsigned int cpus)
{
	u64 mask = (cpus + 63) / 64 * sizeof(u64);
	unsigned int shards = tlbbatch_luf_shards_for(cpus, TLBBATCH_LUF_CPUS_PER_SHARD);

	return frames * sizeof(u16) +
	       TLBBATCH_LUF_GENERATIONS * (TLBBATCH_LUF_GENERATION_BYTES +
					   TLBBATCH_LUF_MASKS_EACH * mask) +
	       TLBBATCH_LUF_CHUNKS * (u64)TLBBATCH_LUF_CHUNK_BYTES +
	       cpus * (u64)TLBBATCH_LUF_COVERAGE_BYTES +
	       min(shards, TLBBATCH_LUF_TABLES_MAX) * TLBBATCH_LUF_TABLE_BYTES +
	       tlbbatch_luf_passes_for(cpus) * (TLBBATCH_LUF_PASS_BYTES +
						TLBBATCH_LUF_PASS_MASKS * mask);
}

#endif /* TLBBATCH_LUF_SIZE_H */
