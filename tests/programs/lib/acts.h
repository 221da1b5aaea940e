/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens to a worker's memory while it is being reclaimed. Each act knows what it has
 * to lead to.
 */
#ifndef TEST_ACTS_H
#define TEST_ACTS_H

#include "worker.h"

/* acts_gup.c */
enum gup_way {
	GUP_REMOTE_READ,	/* process_vm_readv() of our own memory */
	GUP_REMOTE_WRITE,
	GUP_SPLICE,		/* pages themselves go into a pipe */
	GUP_DIRECT_WRITE,	/* O_DIRECT: the device reads the pages */
	GUP_DIRECT_READ,	/* the device writes them */
	GUP_FIXED_WRITE,	/* io_uring, pinned for longer */
	GUP_FIXED_READ,
	GUP_WAYS,
};

const char *gup_prepare(struct run *run);
const char *gup_finish(struct run *run);
bool gup_act(struct worker *worker, enum gup_way way);
void gup_step(struct worker *worker);

/* acts_map.c */
void munmap_step(struct worker *worker);
void mremap_step(struct worker *worker);
void mprotect_step(struct worker *worker);
void dontneed_step(struct worker *worker);
void truncate_step(struct worker *worker);
void free_step(struct worker *worker);
const char *free_prepare(struct run *run);

/* acts_process.c */
__attribute__((noreturn)) void check_snapshot(struct worker *worker);
void fill_and_check(struct run *run, size_t pages, bool for_ever);
pid_t start_pressure(struct run *run, size_t mib);
bool stop_pressure(pid_t child);

#endif
