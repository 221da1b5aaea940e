/* SPDX-License-Identifier: GPL-2.0-only */
/* What the flushes of each CPU have covered. */
#ifndef TLBBATCH_LUF_COVERAGE_H
#define TLBBATCH_LUF_COVERAGE_H

#include <linux/types.h>
#include "luf/luf_generation.h"

int tlbbatch_luf_coverage_init(void);
void tlbbatch_luf_coverage_exit(void);
void tlbbatch_luf_cover(unsigned int cpu, enum tlbbatch_luf_model model,
			u64 number);
void tlbbatch_luf_cover_all(unsigned int cpu, u64 number);
bool tlbbatch_luf_is_covered(const unsigned long *mask,
			     enum tlbbatch_luf_model model, u64 number);
void tlbbatch_luf_flush_virtually(const unsigned long *mask,
				  enum tlbbatch_luf_model model, u64 number,
				  u64 when);

#endif /* TLBBATCH_LUF_COVERAGE_H */
