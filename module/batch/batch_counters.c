// SPDX-License-Identifier: GPL-2.0-only
/* The storage, and the names, of what batching counts. */
#include <linux/kernel.h>
#include "batch/batch_counters.h"

DEFINE_PER_CPU(struct tlbbatch_batch_counts, tlbbatch_batch_counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	BATCH_COUNTERS(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_batch_counters = {
	.value = tlbbatch_batch_counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};
