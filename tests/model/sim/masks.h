/* SPDX-License-Identifier: GPL-2.0-only */
/* Masks of CPUs as a whole. Included by sim.h. */
#ifndef SIM_MASKS_H
#define SIM_MASKS_H

#define cpumask_clear(mask)		memset(mask, 0, sizeof(struct cpumask))
#define cpumask_copy(to, from)		memcpy(to, from, sizeof(struct cpumask))

static inline void cpumask_or(struct cpumask *to, const struct cpumask *a, const struct cpumask *b)
{
	unsigned int i;

	for (i = 0; i < BITS_TO_LONGS(SIM_CPUS); i++)
		to->bits[i] = a->bits[i] | b->bits[i];
}

#endif /* SIM_MASKS_H */
