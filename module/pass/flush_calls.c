// SPDX-License-Identifier: GPL-2.0-only
/*
 * The replacement of try_to_unmap_flush(), which two features share: batching flushes in a way
 * of its own, and hold may take over what reclaim is about to free, so that no flush is needed
 * yet. These are static calls: on the path of reclaim nothing is called through a pointer.
 */
#include <linux/static_call.h>
#include "debug/debug.h"
#include "pass/flush_calls.h"
#include "pass/pass.h"

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_try_to_unmap_flush,
			tlbbatch_type_try_to_unmap_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_flush_batched, tlbbatch_type_pass_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_flush_before, tlbbatch_type_pass_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_flush_after, tlbbatch_type_pass_flush);

/**
 * tlbbatch_flush_batched_by() - set how a pass that is batched flushes
 * @flush: called instead of the original; it calls the original, if a flush is owed
 *
 * Context: load.
 */
void tlbbatch_flush_batched_by(void (*flush)(struct tlbbatch_pass *pass))
{
	static const struct tlbbatch_call call = TLBBATCH_CALL(tlbbatch_flush_batched);

	tlbbatch_call_set(&call, (unsigned long)flush);
}

/**
 * tlbbatch_flush_held_by() - set what is done about a flush in a pass that may hold folios
 * @before: may set @leaves_out of the pass: then nothing is flushed this time
 * @after: called when a flush is complete
 *
 * Context: load.
 */
void tlbbatch_flush_held_by(void (*before)(struct tlbbatch_pass *pass),
			    void (*after)(struct tlbbatch_pass *pass))
{
	static const struct tlbbatch_call calls[] = {
		TLBBATCH_CALL(tlbbatch_flush_before),
		TLBBATCH_CALL(tlbbatch_flush_after),
	};

	tlbbatch_call_set(&calls[0], (unsigned long)before);
	tlbbatch_call_set(&calls[1], (unsigned long)after);
}

/**
 * tlbbatch_flush_acts() - does any feature act in a flush of the running task?
 * @parent_ip: unused
 *
 * Context: ftrace callback, preemption off.
 * Return: true in a pass in which a feature does, unless it is nested in another (rule B19).
 */
bool notrace tlbbatch_flush_acts(unsigned long parent_ip)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();

	return pass && pass->flushes &&
	       (pass->depth == 1 || tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_NESTED));
}

/**
 * tlbbatch_hook_try_to_unmap_flush() - reclaim flushes, mostly before it frees
 *
 * The caller may also be a THP split that holds rmap locks, or migration.
 *
 * Context: reclaim, in a pass of this task in which a feature acts.
 */
void tlbbatch_hook_try_to_unmap_flush(void)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_current();
	bool holds = pass->depth == 1 && pass->flushes & TLBBATCH_FLUSH_HELD;

	if (holds) {
		pass->leaves_out = false;
		static_call(tlbbatch_flush_before)(pass);
		if (pass->leaves_out)
			return;
	}
	if (pass->flushes & TLBBATCH_FLUSH_BATCHED)
		static_call(tlbbatch_flush_batched)(pass);
	else
		static_call(tlbbatch_orig_try_to_unmap_flush)();
	if (holds)
		static_call(tlbbatch_flush_after)(pass);
}
