// SPDX-License-Identifier: GPL-2.0-only
/* The counters of batching, and their names. */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include "batch/batch_counters.h"

DEFINE_PER_CPU(struct tlbbatch_batch_counts, tlbbatch_batch_counts);

/* dirty_batch.c finds a reason's counter by the first one's: one each, and in their order. */
static_assert(!TLBBATCH_DROP_LOCKED &&
	      TLBBATCH_DROPPED_LOCKED + TLBBATCH_DROP_NR == TLBBATCH_NR_COUNTERS);

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
