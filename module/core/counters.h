/* SPDX-License-Identifier: GPL-2.0-only */
/* Monotonic u64 counters, per CPU inside, summed on read. Which there are, each feature says. */
#ifndef TLBBATCH_COUNTERS_H
#define TLBBATCH_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct tlbbatch_counters - the counters of a feature
 * @value: on this CPU, an array of @nr
 * @names: their names, as files in sysfs
 * @nr: how many
 *
 * One list of the feature's, an X-macro, makes an enum, the array and the names.
 * The feature counts by itself, with one instruction: this_cpu_add().
 */
struct tlbbatch_counters {
	u64 __percpu *value;
	const char *const *names;
	unsigned int nr;
};

u64 tlbbatch_counter_read(const struct tlbbatch_counters *counters,
			  unsigned int index);

#endif /* TLBBATCH_COUNTERS_H */
