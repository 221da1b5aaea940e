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

/* modes_gup.c */
const char *gup_prepare(struct run *run);
const char *gup_finish(struct run *run);
void gup_step(struct worker *worker);

/* modes_map.c */
void munmap_step(struct worker *worker);
void mremap_step(struct worker *worker);
void mprotect_step(struct worker *worker);
void dontneed_step(struct worker *worker);
void truncate_step(struct worker *worker);
void free_step(struct worker *worker);
const char *free_prepare(struct run *run);

/* modes_process.c */
void *refault_helper(void *argument);
void fork_step(struct worker *worker);
void fork_settle(struct worker *worker);
void *exit_helper(void *argument);
pid_t start_pressure(struct run *run, size_t mib);
bool stop_pressure(pid_t child);

#endif
