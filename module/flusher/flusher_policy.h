/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decisions about dirty file pages, as pure functions of plain facts. No kernel type
 * appears here: tests/unit runs the same code under sanitizers.
 */
#ifndef TLBBATCH_FLUSHER_POLICY_H
#define TLBBATCH_FLUSHER_POLICY_H

#include "kernel/portable.h"

/* A wake-up starts every flusher there is. On a node there is one in so many ms at most. */
#define TLBBATCH_FLUSHER_INTERVAL_MS	20U

enum tlbbatch_flusher_mode {
	TLBBATCH_FLUSHER_OFF,
	TLBBATCH_FLUSHER_WAKE,
	TLBBATCH_FLUSHER_ACCOUNT,
	TLBBATCH_FLUSHER_NR_MODES
};

bool tlbbatch_flusher_all_dirty(unsigned int taken, unsigned int unqueued);
bool tlbbatch_flusher_due(unsigned long now, unsigned long last, unsigned long interval);

#endif /* TLBBATCH_FLUSHER_POLICY_H */
