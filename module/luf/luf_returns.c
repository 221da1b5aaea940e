// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions of which LUF tracking must know what is true behind them: the batched
 * flush, which is complete then, and the bulk page allocator, whose pages are known
 * then. A replacement runs instead, calls the original and looks (rule L1).
 *
 * Return probes would do, if they could be removed without fail (rule H14). A kprobe on an
 * ftrace site needs memory for that: without it disarm_kprobe_ftrace() has lowered
 * its count already, so that a second attempt would lower it once more, and the
 * probe stays hashed in memory that is about to go. unregister_ftrace_function()
 * needs no memory; nor does tracepoint_probe_unregister(), which puts a stub where
 * it can't get any.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include "debug/debug.h"
#include "hooks/hook.h"
#include "kernel/kernel_calls.h"
#include "luf/luf_pass.h"
#include "luf/luf_returns.h"
#include "luf/luf_table.h"
#include "targets.h"

#define MESSAGE_S	5

/* Calls of the bulk allocator, which may sleep, on their way: the sum of all CPUs. */
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

/* It doesn't sleep, so RCU-tasks alone covers who runs it. */
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

/* Rule L9. What was in the array before is in use, and in no open generation. */
static void take_array(struct page **array, unsigned long nr)
{
	unsigned long i;

	if (is_untold())
		return;
	for (i = 0; array && i < nr; i++)
		if (array[i])
			take(array[i]);
}

/* New ones come to the front. */
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
	this_cpu_dec(inside);
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
	this_cpu_dec(inside);
	return nr;
}

/* Section: the two hooks */

static bool notrace acts_arch_tlbbatch_flush(unsigned long parent_ip)
{
	return true;
}

/* With preemption off: who is on the way to the replacement is counted, rule H13. */
static bool notrace acts___alloc_pages_bulk(unsigned long parent_ip)
{
	this_cpu_inc(inside);
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

static bool anybody_inside(void)
{
	unsigned int cpu;
	u32 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(inside, cpu));
	return sum;
}

/* Nobody comes any more, and who is there sleeps for memory at most. */
static void wait_for_bulk(void)
{
	unsigned int tries = 0;

	while (anybody_inside()) {
		schedule_timeout_idle(HZ / 10);
		if (++tries % (10 * MESSAGE_S) == 0)
			pr_info("luf: off waits for bulk allocations to end, %u s now\n",
				tries / 10);
	}
}

/*
 * Registered whole, so that their end needs no memory. Who was in the bulk allocator
 * before, and must not take what is freed from now on, has left it when they are attached;
 * where it sleeps it has called __alloc_pages(), which tells.
 */
struct tlbbatch_redirects tlbbatch_luf_redirects = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
	.whole = true,
	.drain = wait_for_bulk,
};
