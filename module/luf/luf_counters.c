// SPDX-License-Identifier: GPL-2.0-only
/* The storage, and the names, of what LUF tracking counts. */
#include <linux/kernel.h>
#include "luf/luf_counters.h"

DEFINE_PER_CPU(struct tlbbatch_luf_counts, tlbbatch_luf_counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	LUF_COUNTERS(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_luf_counters = {
	.value = tlbbatch_luf_counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};
