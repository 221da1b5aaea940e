/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events by which a stale entry could be seen. events.c has a row for each.
 */
#ifndef LUF_EVENTS_H
#define LUF_EVENTS_H

#include "cell.h"

struct event {
	const char *name;
	/* Why the generation is given up; NULL if it isn't. */
	const char *reason;
	/* Runs in A's cell, before there are generations. */
	cell_function *prepare;
	/* Runs in the process of A's cell. If there is none, outside() runs in the program. */
	cell_function *in_cell;
	long (*outside)(struct cell *a);
	/* How A is mapped, if not private and read-only. */
	int prot, map_flags;
	/* A is an empty file of shared memory, so its pages are clean. */
	bool shmem;
	/* Pages at the end of A's mapping that stay in memory. */
	size_t stay;
	/* B's generation is given up too. */
	bool all;
};

extern const struct event events[];
extern const size_t events_nr;

void run_event(const struct event *event);

/* event_io.c: writes to the first page of A */
long do_write(const char *path, int flags);
long event_write(struct cell *a);
long event_direct(struct cell *a);
long event_pwrite(struct cell *a);
long event_pwritev2(struct cell *a);
long event_splice(struct cell *a);
long event_sendfile(struct cell *a);
long event_copy_file_range(struct cell *a);
long event_aio(struct cell *a);
long event_io_uring(struct cell *a);
long event_fallocate(struct cell *a);
long event_punch(struct cell *a);
long event_reflink(struct cell *a);

/* rare_events.c */
long uffd_missing(struct cell *a, long unused);
long uffd_poisonable(struct cell *a, long unused);
long uffd_minor(struct cell *a, long unused);
long uffd_wp(struct cell *a, long unused);
long uffd_missing_anon(struct cell *a, long unused);
long event_uffd_copy(struct cell *a, long unused);
long event_uffd_zeropage(struct cell *a, long unused);
long event_uffd_poison(struct cell *a, long unused);
long event_uffd_continue(struct cell *a, long unused);
long event_uffd_protect(struct cell *a, long unused);
long event_guard(struct cell *a, long unused);
long event_uffd_anon(struct cell *a, long unused);
long event_guard_anon(struct cell *a, long unused);
long event_refault(struct cell *a, long unused);
long event_metadata(struct cell *a);

#endif
