/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The modes of verify. verify.c has their table.
 */
#ifndef VERIFY_MODES_H
#define VERIFY_MODES_H

#include "core.h"

/* modes_bits.c */
void *uffdwp_helper(void *argument);
const char *uffdwp_prepare(struct run *run);
const char *uffdwp_finish(struct run *run);
void uffdwp_step(struct worker *worker);
const char *softdirty_prepare(struct run *run);
void softdirty_loop(struct worker *worker);
const char *thp_prepare(struct run *run);
const char *thp_finish(struct run *run);
void thp_step(struct worker *worker);

/* modes_process.c */
void *refault_helper(void *argument);
void fork_step(struct worker *worker);
void fork_settle(struct worker *worker);
void *exit_helper(void *argument);

#endif
