/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by verify's parts: a mode, and the loop of its workers.
 */
#ifndef VERIFY_CORE_H
#define VERIFY_CORE_H

#include "acts.h"
#include "worker.h"

#define PER_CPU		UINT_MAX

/**
 * struct mode - what happens to the memory while it is being reclaimed
 * @name:		as in --mode
 * @prepare:		before pages are filled; returns why the mode can't run
 *			here, or NULL
 * @step:		a worker's action between its rewrites
 * @loop:		replaces the worker's loop, for modes that need all of
 *			them at the same point
 * @settle:		ends what a worker's steps left open
 * @finish:		after the last check; returns why the mode proved
 *			nothing, or NULL
 * @helper:		body of threads of the mode's own
 * @helpers:		how many of them, or PER_CPU
 * @helper_serves:	the helper answers the workers' faults, and goes on until
 *			they have ended; others end before the last check
 * @page_outs:		how many threads of page_out_helper(), or PER_CPU
 * @rewrites:		the mode is about rewriting: OPS_PER_STEP are an action
 * @always_shared:	the mode is about shmem
 * @huge:		regions ask for huge pages
 */
struct mode {
	const char *name;
	const char *(*prepare)(struct run *run);
	void (*step)(struct worker *worker);
	void (*loop)(struct worker *worker);
	void (*settle)(struct worker *worker);
	const char *(*finish)(struct run *run);
	void *(*helper)(void *run);
	unsigned int helpers;
	unsigned int page_outs;
	bool helper_serves;
	bool rewrites;
	bool always_shared;
	bool huge;
};

void *worker_body(void *argument);

#endif
