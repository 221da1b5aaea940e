/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One mode of verify, and the sums over all.
 */
#ifndef VERIFY_RUN_H
#define VERIFY_RUN_H

#include "core.h"

struct totals {
	unsigned int modes, skipped, unswapped, too_few;
	uint64_t ops, verified, errors;
	size_t swapped;		/* the most in one mode */
};

void run_mode(struct run *run, const struct mode *mode, struct totals *totals);

#endif
