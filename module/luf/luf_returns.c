// SPDX-License-Identifier: GPL-2.0-only
/*
 * LUF tracking watches the end of two functions: of the batched flush, which is complete
 * then, and of the bulk page allocator, whose pages are known then. A replacement runs
 * instead, calls the original, and looks (rule L1).
 *
 * Return probes can't be used, because their removal may fail (rule H14). To remove a
 * kprobe from an ftrace site takes memory. Without it disarm_kprobe_ftrace() has
 * lowered its count already, so that a second attempt lowers it once more, and the
 * probe stays hashed in memory that is about to be freed. unregister_ftrace_function()
 * needs no memory. Nor does tracepoint_probe_unregister(), which puts a stub in the
 * probe's place without it.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include "debug/debug.h"
#include "hooks/hook.h"
#include "hooks/hook_inside.h"
#include "kernel/kernel_calls.h"
#include "luf/luf_pass.h"
#include "luf/luf_returns.h"
#include "luf/luf_table.h"
#include "targets.h"

/* How many calls of the bulk allocator, which may sleep, run: the sum over all CPUs. */
static DEFINE_PER_CPU(u32, inside);

/* Section: replacements */

typedef unsigned long tlbbatch_type_bulk(gfp_t gfp, int nid, nodemask_t *nodemask,
					 int nr_pages, struct page **array);
typedef unsigned long tlbbatch_type_bulk_list(gfp_t gfp, int nid, nodemask_t *nodemask,
					      int nr_pages, struct list_head *list,
					      struct page **array);
typedef void tlbbatch_type_flush(struct arch_tlbflush_unmap_batch *batch);

DEFINE_STATIC_CALL_NULL(tlbbatch_luf_orig_bulk, tlbbatch_type_bulk);
DEFINE_STATIC_CALL_NULL(tlbbatch_luf_orig_bulk_list, tlbbatch_type_bulk_list);
DEFINE_STATIC_CALL_NULL(tlbbatch_luf_orig_flush, tlbbatch_type_flush);

/* It doesn't sleep, so RCU-tasks alone waits for the tasks that run it. */
static void watched_flush(struct arch_tlbflush_unmap_batch *batch)
{
	preempt_disable();
	tlbbatch_luf_see_flush(batch);
	preempt_enable();
	static_call(tlbbatch_luf_orig_flush)(batch);
	preempt_disable();
	tlbbatch_luf_see_flush_end();
	preempt_enable();
}

static bool is_untold(void)
{
	return tlbbatch_luf_break(TLBBATCH_LUF_BREAK_LOOK) ||
	       tlbbatch_luf_break(TLBBATCH_LUF_BREAK_BULK);
}

static void take(const struct page *page)
{
	preempt_disable();
	tlbbatch_luf_reuse(page_to_pfn(page), 1);
	preempt_enable();
}

/* Rule L9. Pages that were in the array before are in use, so in no open generation. */
static void take_array(struct page **array, unsigned long nr)
{
	unsigned long i;

	if (is_untold())
		return;
	for (i = 0; array && i < nr; i++)
		if (array[i])
			take(array[i]);
}

/* The allocator adds pages at the front of the list. */
static void take_list(struct list_head *list, unsigned long nr)
{
	struct page *page;

	if (is_untold())
		return;
	list_for_each_entry(page, list, lru) {
		if (!nr--)
			break;
		take(page);
	}
}

static unsigned long watched_bulk(gfp_t gfp, int nid, nodemask_t *nodemask,
				  int nr_pages, struct page **array)
{
	unsigned long nr = static_call(tlbbatch_luf_orig_bulk)(gfp, nid, nodemask,
							   nr_pages, array);

	take_array(array, nr);
	tlbbatch_leaves(inside);
	return nr;
}

static unsigned long watched_bulk_list(gfp_t gfp, int nid, nodemask_t *nodemask,
				       int nr_pages, struct list_head *list,
				       struct page **array)
{
	unsigned long nr = static_call(tlbbatch_luf_orig_bulk_list)(gfp, nid,
								nodemask,
								nr_pages, list,
								array);

	if (list)
		take_list(list, nr);
	else
		take_array(array, nr);
	tlbbatch_leaves(inside);
	return nr;
}

/* Section: the two hooks */

static bool notrace acts_arch_tlbbatch_flush(unsigned long parent_ip)
{
	return true;
}

/* Preemption is off here: a task on its way to the replacement is counted (rule H13). */
static bool notrace acts___alloc_pages_bulk(unsigned long parent_ip)
{
	tlbbatch_enters(inside);
	return true;
}

#define RETURNING(code, symbol, proto)					\
	{								\
		.function = { symbol, proto },				\
		.replacement = watched_##code,				\
		.original = TLBBATCH_CALL(tlbbatch_luf_orig_##code),	\
	},
#define WATCHED(name_, optional)					\
	{								\
		.name = #name_,						\
		.acts = acts_##name_,					\
		.targets = (const struct tlbbatch_target[]) {		\
			TLBBATCH_TBL_return_##name_(RETURNING)		\
			{ }						\
		},							\
	},

static struct tlbbatch_hook hooks[] = {
	TLBBATCH_TBL_luf_return_names(WATCHED)
};

/* No task enters the replacement any more. Those inside sleep for memory at most. */
static void wait_for_bulk(void)
{
	tlbbatch_inside_wait(&inside, "luf: off waits for bulk allocations to end");
}

/*
 * They are registered whole, so that their end needs no memory. A task that was in the
 * bulk allocator before must not take pages unseen that are freed from now on. When
 * they are attached it has left the allocator, or sleeps in __alloc_pages(), which
 * mm_page_alloc tells of.
 */
struct tlbbatch_redirects tlbbatch_luf_redirects = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
	.whole = true,
	.drain = wait_for_bulk,
};
