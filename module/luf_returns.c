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
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <compat/ftrace_compat.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/kernel_calls.h>
#include <tlbbatch/luf_observe.h>
#include <tlbbatch/luf_pass.h>
#include <tlbbatch/luf_table.h>
#include <tlbbatch/symbols.h>
#include "targets.h"

#define MESSAGE_S	5

/* Calls of the bulk allocator, which may sleep, on their way: the sum of all CPUs. */
static DEFINE_PER_CPU(u32, inside);

/* Section: replacements */

DEFINE_STATIC_CALL_NULL(tlbbatch_orig_bulk, tlbbatch_type_bulk);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_bulk_list, tlbbatch_type_bulk_list);
DEFINE_STATIC_CALL_NULL(tlbbatch_orig_flush, tlbbatch_type_flush);

/* It doesn't sleep, so RCU-tasks alone covers who runs it. */
static void watched_flush(struct arch_tlbflush_unmap_batch *batch)
{
	preempt_disable();
	tlbbatch_luf_see_flush(batch);
	preempt_enable();
	static_call(tlbbatch_orig_flush)(batch);
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
	unsigned long nr = static_call(tlbbatch_orig_bulk)(gfp, nid, nodemask,
							   nr_pages, array);

	take_array(array, nr);
	this_cpu_dec(inside);
	return nr;
}

static unsigned long watched_bulk_list(gfp_t gfp, int nid, nodemask_t *nodemask,
				       int nr_pages, struct list_head *list,
				       struct page **array)
{
	unsigned long nr = static_call(tlbbatch_orig_bulk_list)(gfp, nid,
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

/* Section: where they are */

/**
 * struct returning - one function of the kernel that can be watched to its end
 * @function: it
 * @replacement: what runs instead
 * @original: enters it behind its ftrace site
 * @sleeps: it may, so calls are counted
 */
struct returning {
	struct tlbbatch_function function;
	void *replacement;
	struct tlbbatch_call original;
	bool sleeps;
};

/**
 * struct watched - one that is watched, whatever kernels call it
 * @name: what it is called if it is missing
 * @alternatives: ended by one without a symbol
 * @taken: the one that this kernel has
 * @ip: its ftrace site
 */
struct watched {
	const char *name;
	const struct returning *alternatives;

	const struct returning *taken;
	unsigned long ip;
};

/* By what stands in targets.tbl under "code". */
enum {
	flush_sleeps = false,
	bulk_sleeps = true,
	bulk_list_sleeps = true,
};

#define RETURNING(code, symbol, proto)					\
	{								\
		.function = { symbol, proto },				\
		.replacement = watched_##code,				\
		.original = TLBBATCH_CALL(tlbbatch_orig_##code),	\
		.sleeps = code##_sleeps,				\
	},
#define WATCHED(name_, optional)					\
	{								\
		.name = #name_,						\
		.alternatives = (const struct returning[]) {		\
			TLBBATCH_TBL_return_##name_(RETURNING)		\
			{ }						\
		},							\
	},

static struct watched watched[] = {
	TLBBATCH_TBL_luf_return_names(WATCHED)
};

#define for_each_watched(row)						\
	for (row = watched; row < watched + ARRAY_SIZE(watched); row++)

static void notrace redirect(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct watched *row;
	int bit;

	/* Preemption is off from here on: the RCU-tasks waits rely on it. */
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (WARN_ON_ONCE(bit < 0))
		return;
	for_each_watched(row) {
		if (row->ip != ip)
			continue;
		if (row->taken->sleeps)
			this_cpu_inc(inside);
		ftrace_regs_set_instruction_pointer(fregs,
						    (unsigned long)row->taken->replacement);
		break;
	}
	ftrace_test_recursion_unlock(bit);
}

/*
 * IPMODIFY: one such user a function, others get -EBUSY, and so does this where a
 * livepatch was first. PERMANENT: ftrace_enabled=0 would make the answer a wrong
 * one, silently.
 */
static struct ftrace_ops ops = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT |
		 COMPAT_FTRACE_OPS_FL,
};

static bool registered;

static int resolve(struct watched *row)
{
	const struct tlbbatch_function *near;
	const struct returning *taken;
	unsigned long addr, ip, entry;

	taken = tlbbatch_first_fit(row->alternatives, NULL, &near);
	if (!taken)
		return -ENOENT;
	addr = tlbbatch_symbol_address(taken->function.symbol);
	ip = static_call(tlbbatch_ftrace_location)(addr);
	entry = ip ? tlbbatch_entry_to(ip + MCOUNT_INSN_SIZE) : 0;
	if (!entry)
		return -ENOENT;
	row->taken = taken;
	row->ip = ip;
	tlbbatch_call_set(&taken->original, entry);
	return 0;
}

/**
 * tlbbatch_luf_returns_resolve() - find what is watched to its end
 *
 * Context: process context, at load; symbols found and BTF open.
 * Return: what is missing, or NULL.
 */
const char *tlbbatch_luf_returns_resolve(void)
{
	struct watched *row;

	for_each_watched(row)
		if (resolve(row))
			return row->name;
	return NULL;
}

/* Section: on and off */

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

/**
 * tlbbatch_luf_returns_attach() - begin to watch returns
 *
 * Context: process context, may sleep; tables made.
 * Return: 0, or what ftrace returned; nothing is attached then.
 */
int tlbbatch_luf_returns_attach(void)
{
	struct watched *row;
	int err = 0;

	for_each_watched(row) {
		if (row->ip)
			err = ftrace_set_filter_ip(&ops, row->ip, 0, 0);
		if (err)
			break;
	}
	/* With the filter whole: ftrace asks BPF trampolines on these to share. */
	err = tlbbatch_luf_register(&ops, err, &registered);
	if (err)
		return err;
	/*
	 * Who entered the bulk allocator before goes unseen, and must not take what is
	 * freed from now on. Where it sleeps it has called __alloc_pages(), which tells.
	 */
	synchronize_rcu_tasks();
	return 0;
}

/**
 * tlbbatch_luf_returns_detach() - stop
 *
 * In the order of rule H13: nobody is on the way to a replacement, then nobody sleeps
 * in one. Who is in the last instructions of one is waited for by the caller.
 *
 * Context: process context, may sleep, for seconds under load.
 * Return: 0, or an error of ftrace, which is dead then; may be tried again.
 */
int tlbbatch_luf_returns_detach(void)
{
	int err;

	if (registered) {
		err = tlbbatch_debug_fail_unregister();
		if (!err)
			err = unregister_ftrace_function(&ops);
		if (err)
			return err;
		registered = false;
		tlbbatch_luf_free_filter(&ops);
	}
	if (!IS_ENABLED(CONFIG_PREEMPTION))
		synchronize_rcu_tasks();
	wait_for_bulk();
	return 0;
}
