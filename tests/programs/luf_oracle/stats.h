/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of LUF tracking, and what a scenario expects of them.
 */
#ifndef LUF_STATS_H
#define LUF_STATS_H

#include "common.h"

#define LUF_DIR		"/sys/kernel/tlbbatch/luf/"

/* Exit code: this machine can't make the scenario. */
#define LUF_SKIP	5

/* Room for the counters that are compared; stats.c has their names. */
#define LUF_MAX		64

struct luf {
	int64_t value[LUF_MAX];
};

/* How many comparisons failed. */
extern int luf_wrong;
/* What luf_want() saw last, so that no change is missed. */
extern struct luf luf_last;

size_t luf_index(const char *name);
int64_t luf_read(const char *name);
void luf_snapshot(struct luf *now);
void luf_write(const char *path, const char *text);
void luf_mode(const char *mode);
bool luf_tracks(void);
void luf_compare(const char *when, size_t i, int64_t got, int64_t wanted);
void luf_relations(const char *when, const struct luf *now);
__attribute__((format(printf, 2, 3)))
void luf_want(const char *when, const char *format, ...);

/* Ends the program: a scenario that can't be made here is not a pass. */
#define luf_skip(...)							\
	do {								\
		say(STDOUT_FILENO, "skip=" __VA_ARGS__);		\
		say(STDOUT_FILENO, "\n");				\
		_exit(LUF_SKIP);					\
	} while (0)

#endif
