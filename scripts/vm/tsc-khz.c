// SPDX-License-Identifier: GPL-2.0-only
/*
 * tsc-khz - print how many thousand times a second this machine's TSC counts
 *
 * It is measured against CLOCK_MONOTONIC_RAW, over a fifth of a second. A reading that was
 * interrupted takes longer, so the quickest of many readings is used.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define READINGS	200
#define INTERVAL_NS	200000000

struct reading {
	uint64_t tsc;
	uint64_t ns;
};

static struct reading quickest(void)
{
	struct reading best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		struct timespec now;
		uint64_t before = __rdtsc(), after;

		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		best.tsc = before + least / 2;
		best.ns = (uint64_t)now.tv_sec * 1000000000 +
			  (uint64_t)now.tv_nsec;
	}
	return best;
}

int main(void)
{
	const struct timespec interval = { 0, INTERVAL_NS };
	struct reading first = quickest(), last;
	double khz;

	nanosleep(&interval, NULL);
	last = quickest();
	khz = (double)(last.tsc - first.tsc) * 1e6 / (double)(last.ns - first.ns);
	printf("%.0f\n", khz);
	return 0;
}
