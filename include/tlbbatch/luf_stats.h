/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What LUF tracking counts: the files of /sys/kernel/tlbbatch/luf/stats.
 *
 * Names only, for the module and for programs that read the files.
 */
#ifndef TLBBATCH_LUF_STATS_H
#define TLBBATCH_LUF_STATS_H

/*
 * Why a generation was given up: something happened by which a stale read-only
 * entry could have been seen, or LUF couldn't have put the flush off at all.
 */
#define LUF_REASONS(X)							\
	X(KEPT,		kept)		/* unmapped, but not freed */	\
	X(EARLY,	early)		/* an event before the flush */	\
	X(OPEN_WRITE,	open_write)	/* its file is open for writing */ \
	X(WRITE_FAULT,	write_fault)	/* a CPU, or GUP, wants to write */ \
	X(SHARED_MAP,	shared_map)	/* mapped shared and writable */ \
	X(WRITTEN,	written)	/* write(2), fallocate, reflink */ \
	X(TRUNCATED,	truncated)	/* truncate, hole, invalidation */ \
	X(UNMAPPED,	unmapped)	/* munmap, exit, MAP_FIXED */	\
	X(MPROTECT,	mprotect)	/* and guard pages, userfaultfd-wp */ \
	X(USERFAULTFD,	userfaultfd)	/* installs a page */		\
	X(MREMAP,	mremap)						\
	X(MIGRATED,	migrated)					\
	X(COLLAPSED,	collapsed)	/* khugepaged, MADV_COLLAPSE */	\
	X(UPROBE,	uprobe)						\
	X(REMOTE,	remote)		/* network and FUSE file systems */ \
	X(HOTPLUG,	hotplug)	/* of CPUs, of memory */	\
	X(OFF,		off)		/* tracking ended */

/* LUF_COUNTERS(X): the end of each enumerator, and the file. */
#define LUF_COUNTERS(X)							\
	X(LUF_PASSES_UNSEEN,	passes_unseen)				\
	X(LUF_UNMAPS_READONLY,	unmaps_readonly)			\
	X(LUF_UNMAPS_MIXED,	unmaps_mixed)				\
	X(LUF_FLUSHES,		flushes)				\
	X(LUF_FLUSHES_MIXED,	flushes_mixed)				\
	X(LUF_FLUSHES_UNSENT,	flushes_unsent)				\
	X(LUF_IPIS,		ipis)					\
	X(LUF_SAVED,		generations_saved)			\
	X(LUF_NEEDED,		generations_needed)			\
	X(LUF_GIVEN_UP,		generations_given_up)			\
	X(LUF_UNTRACKED,	generations_untracked)			\
	X(LUF_IPIS_AVOIDED,	ipis_avoided)				\
	X(LUF_POSTED_SAVED,	generations_saved_as_posted)		\
	X(LUF_POSTED_NEEDED,	generations_needed_as_posted)		\
	X(LUF_POSTED_GIVEN_UP,	generations_given_up_as_posted)		\
	X(LUF_POSTED_UNTRACKED,	generations_untracked_as_posted)	\
	X(LUF_POSTED_IPIS_AVOIDED, ipis_avoided_as_posted)		\
	LUF_REASONS(X_REASON)

#define X_REASON(upper, lower)	X(LUF_GIVEN_UP_##upper, given_up_##lower)

#endif /* TLBBATCH_LUF_STATS_H */
