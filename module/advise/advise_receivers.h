/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs a flush interrupts. */
#ifndef TLBBATCH_ADVISE_RECEIVERS_H
#define TLBBATCH_ADVISE_RECEIVERS_H

#include <linux/cpumask.h>
#include <linux/mm_types.h>
#include <linux/types.h>

unsigned int tlbbatch_advise_receivers(const struct cpumask *cpus,
				       const struct mm_struct *mm, bool freed_tables);
const char *tlbbatch_advise_receivers_find(void);

#endif /* TLBBATCH_ADVISE_RECEIVERS_H */
