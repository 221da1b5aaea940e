/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events that are left out: each is a function that does nothing. Programs that have the
 * module's files without a kernel may define TLBBATCH_EVENT_SEEN().
 */
#ifndef TLBBATCH_NO_EVENTS_H
#define TLBBATCH_NO_EVENTS_H

#ifndef TLBBATCH_EVENT_SEEN
#define TLBBATCH_EVENT_SEEN(name)
#endif

#define TP_PROTO(...)	__VA_ARGS__
#define TP_ARGS(...)
#define TRACE_EVENT(name, proto, ...)					\
	static inline void trace_##name(proto)				\
	{								\
		TLBBATCH_EVENT_SEEN(#name);				\
	}								\
	struct tlbbatch_no_event
#define TRACE_DEFINE_ENUM(name)	struct tlbbatch_no_event

#endif /* TLBBATCH_NO_EVENTS_H */
