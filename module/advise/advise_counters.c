// SPDX-License-Identifier: GPL-2.0-only
/* What advise counts. */
#include <linux/kernel.h>
#include "advise/advise_counters.h"

DEFINE_PER_CPU(struct tlbbatch_advise_counts, tlbbatch_advise_counts);

static const char *const names[] = {
#define X(upper, lower) "flushes_" #lower,
	ADVISE_CAUSES(X)
#undef X
#define X(upper, lower) "receivers_" #lower,
	ADVISE_CAUSES(X)
#undef X
#define X(upper, lower) #lower,
	ADVISE_WHATIF(X)
#undef X
};

const struct tlbbatch_counters tlbbatch_advise_counters = {
	.value = tlbbatch_advise_counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};
