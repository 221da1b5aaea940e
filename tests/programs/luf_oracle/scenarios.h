/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scenarios, a row each. The function of scenario x is run_x(), in the file that its
 * section names. tests/guest/luf reads the table by --list.
 */
#ifndef LUF_SCENARIOS_H
#define LUF_SCENARIOS_H

/* Where a scenario runs. */
enum place {
	PLAIN,
	/* With swap. The other scenarios are clearer without it. */
	SWAP,
	/* With a debug build that is not told of the bulk allocator's pages. */
	UNTOLD,
	/*
	 * It makes the kernel log messages: of pages that don't move, of kprobes that are
	 * switched off.
	 */
	LOUD,
};

/*
 * X(name, place, rules without which its answer is wrong): the negative controls. Each
 * names the rule of LUF's that it shows; of the events (events.c) all with a reason show
 * rule L11.
 */
#define SCENARIOS(X)							\
	/* recognise.c: rule L2; what is open for writing is rule L13 */ \
	X(private,		PLAIN,	0)				\
	X(private_writable,	PLAIN,	0)				\
	X(open_write,		PLAIN,	WITHOUT(EVENTS))		\
	X(shared,		PLAIN,	0)				\
	X(shared_may,		PLAIN,	WITHOUT(READONLY))		\
	X(shared_writable,	PLAIN,	WITHOUT(READONLY))		\
	X(mprotected,		PLAIN,	WITHOUT(READONLY))		\
	X(other_writable,	PLAIN,	WITHOUT(READONLY))		\
	X(written,		PLAIN,	0)				\
	X(shmem_clean,		PLAIN,	0)				\
	X(shmem_writable,	PLAIN,	WITHOUT(READONLY))		\
	X(forked,		PLAIN,	0)				\
	/* flush.c: rules L4, L5, L6, L7, L9 and L10 */			\
	X(hold,			PLAIN,	WITHOUT(ECHO))			\
	X(kept,			PLAIN,	WITHOUT(LOOK))			\
	X(flush,		PLAIN,	WITHOUT(ECHO))			\
	X(asleep,		PLAIN,	WITHOUT(LAZY))			\
	X(asleep_one,		PLAIN,	WITHOUT(LAZY))			\
	X(flush_pending,	PLAIN,	WITHOUT(ECHO))			\
	X(flush_other,		PLAIN,	WITHOUT(ECHO) | WITHOUT(POSTED)) \
	X(flush_many,		PLAIN,	WITHOUT(ECHO))			\
	X(partial,		PLAIN,	WITHOUT(PARTIAL))		\
	X(reuse_one,		PLAIN,	WITHOUT(REUSE))			\
	X(reuse_all,		PLAIN,	WITHOUT(REUSE))			\
	X(reuse_apart,		PLAIN,	WITHOUT(REUSE))			\
	X(reuse_many,		PLAIN,	WITHOUT(REUSE))			\
	X(write_many,		PLAIN,	WITHOUT(EVENTS))		\
	/* bulk.c: rules L9 and L10 */					\
	X(bulk,			PLAIN,	WITHOUT(LOOK) | WITHOUT(BULK))	\
	X(bulk_held,		PLAIN,	WITHOUT(LOOK))			\
	X(bulk_untold,		UNTOLD,	WITHOUT(LOOK))			\
	X(bulk_kprobes,		LOUD,	0)				\
	/* compact.c */							\
	X(compact,		PLAIN,	WITHOUT(LOOK))			\
	/* remote.c: rule L13; in the middle of a pass, rule L12 */	\
	X(remote_device,	PLAIN,	WITHOUT(EVENTS))		\
	X(device_write,		PLAIN,	WITHOUT(EVENTS))		\
	X(device_map,		PLAIN,	WITHOUT(EVENTS))		\
	X(memfd,		PLAIN,	WITHOUT(EVENTS))		\
	X(remote_fuse,		PLAIN,	WITHOUT(EVENTS))		\
	X(early,		PLAIN,	WITHOUT(EVENTS))		\
	X(early_other,		PLAIN,	0)				\
	/* hotplug.c: rule L17 */					\
	X(memory,		LOUD,	WITHOUT(EVENTS))		\
	/* recognise.c again: rule L15, and with swap rule L2 */	\
	X(sleepers,		PLAIN,	WITHOUT(SLEEPERS))		\
	X(anon,			SWAP,	WITHOUT(READONLY))		\
	X(mixed_pass,		SWAP,	WITHOUT(READONLY))

#define X(name, place, wrong) void run_##name(void);
SCENARIOS(X)
#undef X

#endif
