// SPDX-License-Identifier: GPL-2.0-only
/* Reading counters that are kept per CPU. */
#include <linux/cpumask.h>
#include "core/counters.h"

/**
 * tlbbatch_counter_read() - sum a counter over the CPUs
 * @counters: whose
 * @index: which
 *
 * Monotonic for each counter; two counters read one after the other are only
 * consistent with each other when no reclaim pass runs.
 *
 * Context: any.
 * Return: the sum, in the counter's own unit.
 */
u64 tlbbatch_counter_read(const struct tlbbatch_counters *counters,
			  unsigned int index)
{
	u64 sum = 0;
	int cpu;

	/* Possible, not online: a counter must not fall on CPU hotplug. */
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(counters->value + index, cpu));
	return sum;
}
