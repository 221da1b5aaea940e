/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own lists, so that no program copies one: LUF's counters, why a folio that
 * waited is dropped, and the rules that a debug build takes out. And what it says.
 */
#ifndef TEST_MODULE_H
#define TEST_MODULE_H

#define IS_ENABLED(option)	0

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "kernel/portable.h"
#include "batch/batch_policy.h"
#include "debug/debug.h"
#include "luf/luf_counters.h"
#pragma GCC diagnostic pop

/* By enum tlbbatch_drop; a counter is called folios_dropped_NAME. */
extern const char *const drop_names[];

/* Passes that a debug build holds before their last flush. */
unsigned int passes_in_delay(void);

#endif
