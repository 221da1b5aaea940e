// SPDX-License-Identifier: GPL-2.0-only
/* The counters of LUF tracking, and their names. */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include "luf/luf_counters.h"

DEFINE_PER_CPU(struct tlbbatch_luf_counts, tlbbatch_luf_counts);

/* luf_table.c finds a reason's counter by the first one's: one each, and in their order. */
static_assert(!TLBBATCH_LUF_REASON_KEPT &&
	      TLBBATCH_LUF_GIVEN_UP_KEPT + TLBBATCH_LUF_NR_REASONS ==
	      TLBBATCH_LUF_NR_COUNTERS);

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
