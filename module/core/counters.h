/* SPDX-License-Identifier: GPL-2.0-only */
/* Monotonic u64 counters, kept per CPU and summed when read. A feature has its own. */
#ifndef TLBBATCH_COUNTERS_H
#define TLBBATCH_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct tlbbatch_counters - the counters of a feature
 * @value: an array of @nr counters on each CPU
 * @names: their names, which are those of their files in sysfs
 * @nr: how many there are
 *
 * The feature has one X-macro, which lists its counters. The enum, the array and the
 * names are made from that. The feature counts by this_cpu_add(), which is one
 * instruction.
 */
struct tlbbatch_counters {
	u64 __percpu *value;
	const char *const *names;
	unsigned int nr;
};

u64 tlbbatch_counter_read(const struct tlbbatch_counters *counters,
			  unsigned int index);

#endif /* TLBBATCH_COUNTERS_H */
