/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's trace events, tlbbatch:*, each emitted once for what it names (rule E1).
 * While nobody listens to one, it is a nop where it is emitted. Its arguments are values
 * that are at hand there.
 *
 *	event		emitted when					in
 *	defer		a folio begins to wait				batch/dirty_batch.c
 *	drain		what waits is about to be written		batch/dirty_batch.c
 *	drop		a folio that waited goes back unwritten		batch/dirty_batch.c
 *	prune		the CPUs of a flush were looked at		batch/flush.c
 *	lazyfree	a huge page was tried to be discarded whole	lazyfree/lazyfree_discard.c
 *	luf_begin	a generation begins that is tracked		luf/luf_table.c
 *	luf_end		a generation ends, in one of the models		luf/luf_table.c
 *
 * A new event is a line above, a TRACE_EVENT() below, a call, and a line in docs/trace.md.
 * The build "no-events" (module/.variant) is without all of them, to see what they cost.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM	tlbbatch

#if !defined(TLBBATCH_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define TLBBATCH_EVENTS_H

#include <linux/mm.h>
#include <linux/types.h>
#include <tlbbatch/batch_stats.h>
#ifdef TLBBATCH_NO_EVENTS
#include "events/no_events.h"
#else
#include <linux/tracepoint.h>
#endif

struct folio;

#ifndef TLBBATCH_EVENT_NAMES
#define TLBBATCH_EVENT_NAMES
/* The numbers are those of enum tlbbatch_drop, which is made of the same list. */
enum tlbbatch_event_drop {
#define X(upper, lower) TLBBATCH_EVENT_DROP_##upper,
	DROP_REASONS(X)
#undef X
};

#define TLBBATCH_EVENT_DROP_NAME(upper, lower)	{ TLBBATCH_EVENT_DROP_##upper, #lower },

/* Those of enum tlbbatch_gate, tlbbatch_lazyfree_end, tlbbatch_luf_model and tlbbatch_luf_state. */
#define TLBBATCH_EVENT_GATES	{ 0, "swap" }, { 1, "shmem" }
#define TLBBATCH_EVENT_ENDS	{ 0, "discarded" }, { 1, "dirty" }, { 2, "referenced" }
#define TLBBATCH_EVENT_MODELS	{ 0, "ideal" }, { 1, "posted" }
#define TLBBATCH_EVENT_STATES	{ 2, "saved" }, { 3, "needed" }, { 4, "given_up" },	\
				{ 5, "untracked" }
#endif

/* So that user space knows the numbers. */
#define X(upper, lower) TRACE_DEFINE_ENUM(TLBBATCH_EVENT_DROP_##upper);
DROP_REASONS(X)
#undef X

TRACE_EVENT(defer,
	    TP_PROTO(struct folio *folio, unsigned int nr_pages, unsigned int gate,
		     unsigned int waiting),
	    TP_ARGS(folio, nr_pages, gate, waiting),
	    TP_STRUCT__entry(__field(unsigned long, pfn)
			     __field(unsigned int, nr_pages)
			     __field(unsigned int, gate)
			     __field(unsigned int, waiting)),
	    TP_fast_assign(__entry->pfn = page_to_pfn(&folio->page);
			   __entry->nr_pages = nr_pages;
			   __entry->gate = gate;
			   __entry->waiting = waiting;),
	    TP_printk("pfn=0x%lx nr_pages=%u gate=%s waiting=%u",
		      __entry->pfn, __entry->nr_pages,
		      __print_symbolic(__entry->gate, TLBBATCH_EVENT_GATES),
		      __entry->waiting)
);

TRACE_EVENT(drain,
	    TP_PROTO(unsigned int folios, unsigned int uncovered),
	    TP_ARGS(folios, uncovered),
	    TP_STRUCT__entry(__field(unsigned int, folios)
			     __field(unsigned int, uncovered)),
	    TP_fast_assign(__entry->folios = folios;
			   __entry->uncovered = uncovered;),
	    TP_printk("folios=%u uncovered=%u", __entry->folios, __entry->uncovered)
);

TRACE_EVENT(drop,
	    TP_PROTO(struct folio *folio, unsigned int nr_pages, unsigned int reason),
	    TP_ARGS(folio, nr_pages, reason),
	    TP_STRUCT__entry(__field(unsigned long, pfn)
			     __field(unsigned int, nr_pages)
			     __field(unsigned int, reason)),
	    TP_fast_assign(__entry->pfn = page_to_pfn(&folio->page);
			   __entry->nr_pages = nr_pages;
			   __entry->reason = reason;),
	    TP_printk("pfn=0x%lx nr_pages=%u reason=%s",
		      __entry->pfn, __entry->nr_pages,
		      __print_symbolic(__entry->reason,
				       DROP_REASONS(TLBBATCH_EVENT_DROP_NAME) { 255, "?" }))
);

TRACE_EVENT(prune,
	    TP_PROTO(unsigned int kept, unsigned int pruned),
	    TP_ARGS(kept, pruned),
	    TP_STRUCT__entry(__field(unsigned int, kept)
			     __field(unsigned int, pruned)),
	    TP_fast_assign(__entry->kept = kept;
			   __entry->pruned = pruned;),
	    TP_printk("kept=%u pruned=%u", __entry->kept, __entry->pruned)
);

TRACE_EVENT(lazyfree,
	    TP_PROTO(struct folio *folio, unsigned int end),
	    TP_ARGS(folio, end),
	    TP_STRUCT__entry(__field(unsigned long, pfn)
			     __field(unsigned int, end)),
	    TP_fast_assign(__entry->pfn = page_to_pfn(&folio->page);
			   __entry->end = end;),
	    TP_printk("pfn=0x%lx end=%s", __entry->pfn,
		      __print_symbolic(__entry->end, TLBBATCH_EVENT_ENDS))
);

TRACE_EVENT(luf_begin,
	    TP_PROTO(u64 number, unsigned int ipis),
	    TP_ARGS(number, ipis),
	    TP_STRUCT__entry(__field(u64, number)
			     __field(unsigned int, ipis)),
	    TP_fast_assign(__entry->number = number;
			   __entry->ipis = ipis;),
	    TP_printk("number=%llu ipis=%u", __entry->number, __entry->ipis)
);

TRACE_EVENT(luf_end,
	    TP_PROTO(u64 number, unsigned int model, unsigned int state),
	    TP_ARGS(number, model, state),
	    TP_STRUCT__entry(__field(u64, number)
			     __field(unsigned int, model)
			     __field(unsigned int, state)),
	    TP_fast_assign(__entry->number = number;
			   __entry->model = model;
			   __entry->state = state;),
	    TP_printk("number=%llu model=%s state=%s", __entry->number,
		      __print_symbolic(__entry->model, TLBBATCH_EVENT_MODELS),
		      __print_symbolic(__entry->state, TLBBATCH_EVENT_STATES))
);

#endif /* TLBBATCH_EVENTS_H */

#ifndef TLBBATCH_NO_EVENTS
/* Below the -I of module/Kbuild, wherever dkms builds. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH	events
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE	tlbbatch_events
#include <trace/define_trace.h>
#endif
