// SPDX-License-Identifier: GPL-2.0-only
/*
 * The replacement of try_to_unmap_flush(), which features share: batching flushes in a way of its
 * own; hold and LUF's deferral may take over what reclaim is about to free, so that no flush is needed
 * yet. These are static calls: on the path of reclaim nothing is called through a pointer.
 */
#include <linux/static_call.h>
#include "debug/debug.h"
#include "pass/flush_calls.h"
#include "pass/group.h"
#include "pass/pass.h"

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_try_to_unmap_flush,
			tlbbatch_type_try_to_unmap_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_flush_batched, tlbbatch_type_pass_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_hold_before, tlbbatch_type_group_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_hold_after, tlbbatch_type_pass_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_defer_before, tlbbatch_type_group_flush);
DEFINE_STATIC_CALL_NULL(tlbbatch_defer_after, tlbbatch_type_pass_flush);

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

static void set_calls(const struct tlbbatch_call *calls, tlbbatch_group_flush *before,
		      tlbbatch_pass_flush *after)
{
	tlbbatch_call_set(&calls[0], (unsigned long)before);
	tlbbatch_call_set(&calls[1], (unsigned long)after);
}

/**
 * tlbbatch_flush_held_by() - set what is done about a flush in a pass that may hold folios
 * @before: called with the group that reclaim frees next, or NULL; may set @leaves_out of the
 *	pass: then nothing is flushed this time
 * @after: called when a flush is complete
 *
 * Context: load.
 */
void tlbbatch_flush_held_by(tlbbatch_group_flush *before, tlbbatch_pass_flush *after)
{
	static const struct tlbbatch_call calls[] = {
		TLBBATCH_CALL(tlbbatch_hold_before),
		TLBBATCH_CALL(tlbbatch_hold_after),
	};

	set_calls(calls, before, after);
}

/**
 * tlbbatch_flush_deferred_by() - the same in a pass whose flush may be put off
 * @before: as for tlbbatch_flush_held_by(), and called before that one
 * @after: as for tlbbatch_flush_held_by()
 *
 * Context: load.
 */
void tlbbatch_flush_deferred_by(tlbbatch_group_flush *before, tlbbatch_pass_flush *after)
{
	static const struct tlbbatch_call calls[] = {
		TLBBATCH_CALL(tlbbatch_defer_before),
		TLBBATCH_CALL(tlbbatch_defer_after),
	};

	set_calls(calls, before, after);
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
	/* A pass nested in another does what the kernel does. */
	unsigned int acts = pass->depth == 1 ? pass->flushes : 0;
	struct tlbbatch_group claimed, *group = NULL;

	if (acts & TLBBATCH_FLUSH_GROUPS) {
		if (tlbbatch_group_claim(pass, &claimed))
			group = &claimed;
		pass->leaves_out = false;
		if (acts & TLBBATCH_FLUSH_DEFERRED)
			static_call(tlbbatch_defer_before)(pass, group);
		if (acts & TLBBATCH_FLUSH_HELD && !pass->leaves_out)
			static_call(tlbbatch_hold_before)(pass, group);
		if (pass->leaves_out)
			return;
	}
	if (pass->flushes & TLBBATCH_FLUSH_BATCHED)
		static_call(tlbbatch_flush_batched)(pass);
	else
		static_call(tlbbatch_orig_try_to_unmap_flush)();
	if (acts & TLBBATCH_FLUSH_DEFERRED)
		static_call(tlbbatch_defer_after)(pass);
	if (acts & TLBBATCH_FLUSH_HELD)
		static_call(tlbbatch_hold_after)(pass);
}
