// SPDX-License-Identifier: GPL-2.0-only
/* Per-CPU storage of the counters. */
#include <linux/cpumask.h>
#include <tlbbatch/counters.h>

DEFINE_PER_CPU(struct tlbbatch_counters, tlbbatch_counters);

/**
 * tlbbatch_counter_read() - sum a counter over the CPUs
 * @counter: which
 *
 * Monotonic for each counter; two counters read one after the other are only
 * consistent with each other when no reclaim pass runs.
 *
 * Context: any.
 * Return: the sum, in the counter's own unit.
 */
u64 tlbbatch_counter_read(enum tlbbatch_counter counter)
{
	u64 sum = 0;
	int cpu;

	/* Possible, not online: a counter must not fall on CPU hotplug. */
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(tlbbatch_counters, cpu).value[counter]);
	return sum;
}
