// SPDX-License-Identifier: GPL-2.0-only
/* Reads counters that are kept per CPU. */
#include <linux/cpumask.h>
#include "core/counters.h"

/**
 * tlbbatch_counter_read() - sum a counter over the CPUs
 * @counters: the counters of a feature
 * @index: the counter's place among them
 *
 * Each counter is monotonic. Two counters that are read one after the other are
 * consistent with each other only if no reclaim pass runs.
 *
 * Context: any.
 * Return: the sum, in the counter's own unit.
 */
u64 tlbbatch_counter_read(const struct tlbbatch_counters *counters,
			  unsigned int index)
{
	u64 sum = 0;
	int cpu;

	/* All possible CPUs: the sum must not fall when a CPU goes offline. */
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(counters->value + index, cpu));
	return sum;
}
