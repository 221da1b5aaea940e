/* SPDX-License-Identifier: GPL-2.0-only */
/* The flush for what is held back. */
#ifndef TLBBATCH_DEFER_FLUSH_H
#define TLBBATCH_DEFER_FLUSH_H

struct cpumask;

const char *tlbbatch_defer_flush_find(void);
void tlbbatch_defer_flush(const struct cpumask *cpus);

#endif /* TLBBATCH_DEFER_FLUSH_H */
