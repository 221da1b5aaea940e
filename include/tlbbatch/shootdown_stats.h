/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What shootdown/ counts: the files of /sys/kernel/tlbbatch/shootdown/stats.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_SHOOTDOWN_STATS_H
#define TLBBATCH_SHOOTDOWN_STATS_H

/* What became of a CPU that was looked at: first why it stays, then why it is left out. */
#define RECEIVER_VERDICTS(X)						\
	X(KEPT_BEHIND,		kept_behind)				\
	X(KEPT_SWITCHING,	kept_switching)				\
	X(KEPT_UNKNOWN,		kept_unknown)				\
	X(PRUNED_KERNEL,	pruned_kernel)				\
	X(PRUNED_CURRENT,	pruned_current)

/* SHOOTDOWN_COUNTERS(X): the end of each enumerator, and the file. */
#define SHOOTDOWN_COUNTERS(X)						\
	X(FLUSHES_JUDGED,	flushes_judged)				\
	X(FLUSHES_PRUNED,	flushes_pruned)				\
	X(RECEIVERS_KEPT,	receivers_kept)				\
	X(RECEIVERS_PRUNED,	receivers_pruned)			\
	RECEIVER_VERDICTS(X)						\
	X(DEFERRALS_JUDGED,	deferrals_judged)			\
	X(RECEIVERS_SEEN,	receivers_seen)				\
	X(FOLIOS_DIRECT_FEW,	folios_direct_few)

#endif /* TLBBATCH_SHOOTDOWN_STATS_H */
