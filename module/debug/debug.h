/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What only the test builds contain. module/Kbuild turns a word in
 * module/.variant into
 *
 *  debug		fault injection, and a wait that widens the window in which
 *		folios wait; flushes are as in a release build
 *  example		debug, and the feature that CONTRIBUTING.md explains
 *  negative-late	debug, and the flush comes after the write-out: loses stores
 *  negative-never	debug, and no flush at all: corrupts memory
 *  negative-lf-dirty	debug, and a huge page is discarded that was written (rule F4)
 *  negative-lf-refs	debug, and one that somebody else holds (rule F5)
 *  negative-lf-none	debug, and an entry that may come back is none (rule F3)
 *  negative-lf-table	debug, and no page table follows where 6.1 needs one (rule F3)
 *  negative-lf-flush	debug, and CPUs keep the entry of a page that goes (rule F4)
 *
 * The negative builds exist to show that the tests can fail. In a release build
 * every function here is a constant that the compiler drops.
 */
#ifndef TLBBATCH_DEBUG_H
#define TLBBATCH_DEBUG_H

#include <linux/types.h>

struct folio;

#if defined(TLBBATCH_NEGATIVE_LATE)
#define TLBBATCH_DEBUG_NOTICE	"; NEGATIVE CONTROL: flushes late, LOSES DATA"
#elif defined(TLBBATCH_NEGATIVE_NEVER)
#define TLBBATCH_DEBUG_NOTICE	"; NEGATIVE CONTROL: never flushes, LOSES DATA"
#elif defined(TLBBATCH_NEGATIVE_LF_DIRTY) || defined(TLBBATCH_NEGATIVE_LF_REFS) || \
	defined(TLBBATCH_NEGATIVE_LF_NONE) || defined(TLBBATCH_NEGATIVE_LF_TABLE) || \
	defined(TLBBATCH_NEGATIVE_LF_FLUSH)
#define TLBBATCH_DEBUG_NOTICE	"; NEGATIVE CONTROL: lazyfree is unsafe, LOSES DATA"
#elif defined(TLBBATCH_DEBUG)
#define TLBBATCH_DEBUG_NOTICE	" (debug build)"
#else
#define TLBBATCH_DEBUG_NOTICE	""
#endif

static inline bool tlbbatch_negative_late_flush(void)
{
	return IS_ENABLED(TLBBATCH_NEGATIVE_LATE);
}

static inline bool tlbbatch_negative_never_flush(void)
{
	return IS_ENABLED(TLBBATCH_NEGATIVE_NEVER);
}

static inline bool tlbbatch_negative_lazyfree_dirty(void)
{
	return IS_ENABLED(TLBBATCH_NEGATIVE_LF_DIRTY);
}

static inline bool tlbbatch_negative_lazyfree_refs(void)
{
	return IS_ENABLED(TLBBATCH_NEGATIVE_LF_REFS);
}

static inline bool tlbbatch_negative_lazyfree_none(void)
{
	return IS_ENABLED(TLBBATCH_NEGATIVE_LF_NONE);
}

static inline bool tlbbatch_negative_lazyfree_table(void)
{
	return IS_ENABLED(TLBBATCH_NEGATIVE_LF_TABLE);
}

static inline bool tlbbatch_negative_lazyfree_flush(void)
{
	return IS_ENABLED(TLBBATCH_NEGATIVE_LF_FLUSH);
}

/*
 * What luf_break takes out of LUF's simulation, to show that a test would notice. The
 * program `breaks` prints the numbers of this list and of the next.
 */
#define LUF_BREAKS(X)							\
	X(NOTHING,	nothing)					\
	X(REUSE,	reuse)	/* rule L9: a reused page makes nothing needed */ \
	X(LOOK,		look)	/* rule L10: only mm_page_alloc tells of pages in use */ \
	X(EVENTS,	events)	/* rule L11 */				\
	X(ECHO,		echo)	/* rule L4: a flush that LUF puts off completes */ \
	X(READONLY,	readonly) /* rule L2 */				\
	X(PARTIAL,	partial) /* rule L5: any flush completes, even one only sent */ \
	X(LAZY,		lazy)	/* rule L6: lazy CPUs are interrupted, too */ \
	X(POSTED,	posted)	/* rule L7: the posted series notices every flush */ \
	X(SLEEPERS,	sleepers) /* rule L15: a pass isn't over before its task's next */ \
	X(DEMOTION,	demotion) /* rule L15: a pass that demotes is over */ \
	X(BULK,		bulk)	/* rule L9: bulk allocations go untold */ \
	X(UNFIT,	unfit)	/* rule L19: any machine is fit for it */

enum tlbbatch_luf_break {
#define X(upper, lower) TLBBATCH_LUF_BREAK_##upper,
	LUF_BREAKS(X)
#undef X
};

/* What dirty_break takes out of batching: each entry names the rule that it breaks. */
#define DIRTY_BREAKS(X)							\
	X(NOTHING,	nothing)					\
	X(DIRECT,	direct)	/* rule B1: no flush before a direct write */ \
	X(FILE,		file)	/* rule B16: no flush before a file's write */ \
	X(CLEARED,	cleared) /* rule B3: tlb_ubc.writable cleared without a flush */ \
	X(TURNOVER,	turnover) /* rule H9: hooks go while passes are open */ \
	X(UNSEEN,	unseen)	/* rule B1: write-outs go by the gates */ \
	X(TRIPWIRE,	tripwire) /* rule B4: the same, and the tripwire is dead */ \
	X(UNREGISTER,	unregister) /* rule H7: the filter is cleared first */ \
	X(PROTO,	proto)	/* rule H2: any prototype is the right one */ \
	X(FOREIGN,	foreign) /* rule B15: no flush before others write shmem */ \
	X(REMOVAL,	removal) /* rule B20: no flush before others remove shmem */ \
	X(INFLUSH,	inflush) /* rule B10: a flush writes what waits */ \
	X(DEMOTION,	demotion) /* rule B19: passes on nodes that demote are batched */ \
	X(NESTED,	nested)	/* rule B19: so are those nested in another */

/* What wide_break takes out of wider passes. */
#define WIDE_BREAKS(X)							\
	X(NOTHING,	nothing)					\
	X(ACTIVE,	active)	/* rule W1: active lists, too */		\
	X(SHARE,	share)	/* rule W2: whatever the list has */	\
	X(PLAIN,	plain)	/* rules W2, W6: no ask is left out or stays as it is */ \
	X(STALE,	stale)	/* rule W3: a call pays for the one before it */ \
	X(WHOLE,	whole)	/* rule W3: a large folio answers many asks */ \
	X(FOLLOW,	follow)	/* rule W5: the batch stays as it is */

/* What shootdown_break takes out of shootdown/, or pretends of the machine. */
#define SHOOTDOWN_BREAKS(X)						\
	X(NOTHING,	nothing)					\
	X(BEHIND,	behind)	/* rule S1: CPUs that are behind are left out, too */ \
	X(EXACT,	exact)	/* rule S6: any kernel's masks have CPUs to leave out */ \
	X(BROADCAST,	broadcast) /* the machine seems to flush by INVLPGB */ \
	X(PARAVIRT,	paravirt) /* the hypervisor seems to help to flush */

enum tlbbatch_shootdown_break {
#define X(upper, lower) TLBBATCH_SHOOTDOWN_BREAK_##upper,
	SHOOTDOWN_BREAKS(X)
#undef X
};

/* What advise_break takes out of advise. */
#define ADVISE_BREAKS(X)						\
	X(NOTHING,	nothing)					\
	X(CAUSE,	cause)	/* rule A2: no flush has a cause */	\
	X(WHATIF,	whatif)	/* rule A3: batching would put no flush off */ \
	X(ALL,		all)	/* rule A4: each pass is judged, even one that is batched */

enum tlbbatch_advise_break {
#define X(upper, lower) TLBBATCH_ADVISE_BREAK_##upper,
	ADVISE_BREAKS(X)
#undef X
};

/* What hold_break takes out of holding. */
#define HOLD_BREAKS(X)							\
	X(NOTHING,	nothing)					\
	X(EARLY,	early)	/* rule G2: freed before the flush */	\
	X(DIRTY,	dirty)	/* rule G3: although a dirty PTE was unmapped */ \
	X(LOSE,		lose)	/* rule G4: taken over, and never freed */

enum tlbbatch_hold_break {
#define X(upper, lower) TLBBATCH_HOLD_BREAK_##upper,
	HOLD_BREAKS(X)
#undef X
};

/* What defer_break takes out of LUF's deferral. */
#define DEFER_BREAKS(X)							\
	X(NOTHING,	nothing)					\
	X(FILES,	files)	/* rule D1: of any file, whoever writes it */ \
	X(KEPT,		kept)	/* rule D2: although a folio was kept */ \
	X(OPEN,		open)	/* rule D3: the four events */		\
	X(TRUNCATE,	truncate)					\
	X(COW,		cow)						\
	X(GUARD,	guard)						\
	X(EVENTS,	events)	/* and all of them */			\
	X(UNFLUSHED,	unflushed) /* rule D4: freed without the flush */ \
	X(MARK,		mark)	/* rule D3: what mprotect() and others look at */

enum tlbbatch_defer_break {
#define X(upper, lower) TLBBATCH_DEFER_BREAK_##upper,
	DEFER_BREAKS(X)
#undef X
};

enum tlbbatch_wide_break {
#define X(upper, lower) TLBBATCH_WIDE_BREAK_##upper,
	WIDE_BREAKS(X)
#undef X
};

enum tlbbatch_dirty_break {
#define X(upper, lower) TLBBATCH_DIRTY_BREAK_##upper,
	DIRTY_BREAKS(X)
#undef X
};

#ifdef TLBBATCH_DEBUG

/* What became of the folios that a pass deferred: each was dropped or written. */
struct tlbbatch_debug_pass {
	unsigned int dropped;
	unsigned int mapped;
	unsigned int gone;
	unsigned int freed;
};

void tlbbatch_debug_dropped(struct tlbbatch_debug_pass *pass, bool mapped, bool gone);
void tlbbatch_debug_freed(struct tlbbatch_debug_pass *pass);
void tlbbatch_debug_pass_folios(unsigned int deferred, unsigned int dropped,
				unsigned int mapped, unsigned int gone, unsigned int freed);
void tlbbatch_debug_pass_end(const struct tlbbatch_debug_pass *pass, unsigned int deferred);
bool tlbbatch_dirty_break(enum tlbbatch_dirty_break rule);
const char *tlbbatch_debug_proto(const char *hook, const char *proto);
bool tlbbatch_luf_break(enum tlbbatch_luf_break rule);
bool tlbbatch_wide_break(enum tlbbatch_wide_break rule);
bool tlbbatch_shootdown_break(enum tlbbatch_shootdown_break rule);
bool tlbbatch_advise_break(enum tlbbatch_advise_break rule);
bool tlbbatch_hold_break(enum tlbbatch_hold_break rule);
bool tlbbatch_defer_break(enum tlbbatch_defer_break rule);
int tlbbatch_debug_fail_unregister(void);
int tlbbatch_debug_fail_step(unsigned int step);
bool tlbbatch_debug_fail_selftest(void);
int tlbbatch_debug_fail_detach(void);
void tlbbatch_debug_in_pass(void);
bool tlbbatch_debug_defer_always(void);
bool tlbbatch_debug_defer_never(void);
bool tlbbatch_debug_skip_move_flush(void);
bool tlbbatch_debug_drops(void);
bool tlbbatch_debug_defer_shmem_late(void);
u64 tlbbatch_debug_clock(void);
void tlbbatch_debug_spent_own(u64 start);
void tlbbatch_debug_spent_writing(u64 start);
bool tlbbatch_debug_inject_writeout(struct folio *folio, int *ret);
void tlbbatch_debug_before_flush(bool owes);
bool tlbbatch_debug_priority_low(int priority);
bool tlbbatch_debug_flush_each(void);
void tlbbatch_debug_lose(struct folio *folio);
bool tlbbatch_debug_loses_dirty(void);
void tlbbatch_debug_lazyfree_wait(void);

#else

struct tlbbatch_debug_pass {
};

static inline void tlbbatch_debug_dropped(struct tlbbatch_debug_pass *pass,
					  bool mapped, bool gone)
{
}

static inline void tlbbatch_debug_freed(struct tlbbatch_debug_pass *pass)
{
}

static inline void tlbbatch_debug_pass_end(const struct tlbbatch_debug_pass *pass,
					   unsigned int deferred)
{
}

static inline bool tlbbatch_dirty_break(enum tlbbatch_dirty_break rule)
{
	return false;
}

static inline const char *tlbbatch_debug_proto(const char *hook,
					       const char *proto)
{
	return proto;
}

static inline bool tlbbatch_luf_break(enum tlbbatch_luf_break rule)
{
	return false;
}

static inline bool tlbbatch_wide_break(enum tlbbatch_wide_break rule)
{
	return false;
}

static inline bool tlbbatch_shootdown_break(enum tlbbatch_shootdown_break rule)
{
	return false;
}

static inline bool tlbbatch_advise_break(enum tlbbatch_advise_break rule)
{
	return false;
}

static inline bool tlbbatch_hold_break(enum tlbbatch_hold_break rule)
{
	return false;
}

static inline bool tlbbatch_defer_break(enum tlbbatch_defer_break rule)
{
	return false;
}

static inline int tlbbatch_debug_fail_unregister(void)
{
	return 0;
}

static inline int tlbbatch_debug_fail_step(unsigned int step)
{
	return 0;
}

static inline bool tlbbatch_debug_fail_selftest(void)
{
	return false;
}

static inline int tlbbatch_debug_fail_detach(void)
{
	return 0;
}

static inline void tlbbatch_debug_in_pass(void)
{
}

static inline bool tlbbatch_debug_defer_always(void)
{
	return false;
}

static inline bool tlbbatch_debug_defer_never(void)
{
	return false;
}

static inline bool tlbbatch_debug_skip_move_flush(void)
{
	return false;
}

static inline bool tlbbatch_debug_drops(void)
{
	return false;
}

static inline bool tlbbatch_debug_defer_shmem_late(void)
{
	return false;
}

static inline u64 tlbbatch_debug_clock(void)
{
	return 0;
}

static inline void tlbbatch_debug_spent_own(u64 start)
{
}

static inline void tlbbatch_debug_spent_writing(u64 start)
{
}

static inline bool tlbbatch_debug_inject_writeout(struct folio *folio, int *ret)
{
	return false;
}

static inline void tlbbatch_debug_lose(struct folio *folio)
{
}

static inline void tlbbatch_debug_before_flush(bool owes)
{
}

static inline bool tlbbatch_debug_flush_each(void)
{
	return false;
}

static inline bool tlbbatch_debug_priority_low(int priority)
{
	return false;
}

static inline bool tlbbatch_debug_loses_dirty(void)
{
	return false;
}

static inline void tlbbatch_debug_lazyfree_wait(void)
{
}

#endif /* TLBBATCH_DEBUG */

#endif /* TLBBATCH_DEBUG_H */
