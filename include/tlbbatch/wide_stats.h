/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What wider passes count: the files of /sys/kernel/tlbbatch/wide/stats.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_WIDE_STATS_H
#define TLBBATCH_WIDE_STATS_H

/* WIDE_COUNTERS(X): the end of each enumerator, and the file. */
#define WIDE_COUNTERS(X)						\
	X(PASSES_WIDENED,	passes_widened)				\
	X(ASKS_LEFT_OUT,	asks_left_out)				\
	X(PAGES_ASKED_ANON,	pages_asked_anon)			\
	X(PAGES_ASKED_FILE,	pages_asked_file)			\
	X(PAGES_TAKEN_ANON,	pages_taken_anon)			\
	X(PAGES_TAKEN_FILE,	pages_taken_file)

#endif /* TLBBATCH_WIDE_STATS_H */
