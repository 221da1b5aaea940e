// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watch the kernel for LUF tracking: entries of functions by ftrace, two returns by
 * return probes, two tracepoints. Nothing is redirected; off, nothing is attached.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/tracepoint.h>
#include <compat/ftrace_compat.h>
#include <tlbbatch/debug.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/kernel_calls.h>
#include <tlbbatch/luf_observe.h>
#include <tlbbatch/luf_pass.h>
#include <tlbbatch/luf_table.h>
#include <tlbbatch/symbols.h>

/* Section: entries of functions */

#define BY_IP_BITS	7

/* Open addressing, at most half full. */
static struct tlbbatch_luf_entry *by_ip[1 << BY_IP_BITS];

static unsigned int probe_ip(unsigned long ip, unsigned int i)
{
	return (hash_long(ip, BY_IP_BITS) + i) & ((1 << BY_IP_BITS) - 1);
}

static void notrace callback(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct tlbbatch_luf_entry *entry;
	unsigned int i;
	int bit;

	/* Recursion would be a function that is watched and called from here. */
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (WARN_ON_ONCE(bit < 0))
		return;
	for (i = 0; (entry = by_ip[probe_ip(ip, i)]); i++)
		if (entry->ip == ip)
			break;
	if (likely(entry))
		entry->see(fregs);
	ftrace_test_recursion_unlock(bit);
}

/* PERMANENT: ftrace_enabled=0 would make the answer a wrong one, silently. */
static struct ftrace_ops ops = {
	.func = callback,
	.flags = FTRACE_OPS_FL_PERMANENT | COMPAT_FTRACE_OPS_FL,
};

static int resolve_entry(struct tlbbatch_luf_entry *entry)
{
	unsigned long addr = tlbbatch_symbol_address(entry->symbol);
	unsigned int i;

	if (!tlbbatch_is_kernel_text(addr) ||
	    !tlbbatch_symbol_matches(entry->symbol, entry->proto))
		return -ENOENT;
	entry->ip = static_call(tlbbatch_ftrace_location)(addr);
	if (!entry->ip)
		return -ENOENT;
	for (i = 0; by_ip[probe_ip(entry->ip, i)]; i++)
		;
	by_ip[probe_ip(entry->ip, i)] = entry;
	return 0;
}

/* The first of its alternatives that this kernel has is watched. */
static const char *resolve_entries(void)
{
	struct tlbbatch_luf_entry *entry;
	bool found = false;

	if (tlbbatch_luf_nr_entries > ARRAY_SIZE(by_ip) / 2)
		return "room for so many functions";
	for_each_tlbbatch_luf_entry(entry) {
		if (!found)
			found = !resolve_entry(entry);
		if (entry->or)
			continue;
		if (!found && !entry->optional)
			return entry->symbol;
		found = false;
	}
	return NULL;
}

static void clear_filter(void)
{
	ftrace_set_filter(&ops, NULL, 0, 1);
}

static int attach_entries(void)
{
	struct tlbbatch_luf_entry *entry;
	int err = 0;

	for_each_tlbbatch_luf_entry(entry) {
		if (entry->ip)
			err = ftrace_set_filter_ip(&ops, entry->ip, 0, 0);
		if (err)
			break;
	}
	if (!err)
		err = register_ftrace_function(&ops);
	if (err)
		clear_filter();
	return err;
}

/* First unregister, then clear the filter. */
static int detach_entries(void)
{
	int err = unregister_ftrace_function(&ops);

	if (!err)
		clear_filter();
	return err;
}

/* Section: returns */

/*
 * Most flushes complete nothing. The callback above has been here already, or the
 * return only finds that there is nothing to do.
 */
static int flush_begins(struct kretprobe_instance *instance,
			struct pt_regs *regs)
{
	return !tlbbatch_luf_flush_completes();
}

static int flush_returns(struct kretprobe_instance *instance,
			 struct pt_regs *regs)
{
	tlbbatch_luf_see_flush_end();
	return 0;
}

/* Where a bulk allocation puts its pages; a list only up to 6.12 or so. */
struct bulk {
	struct list_head *list;
	struct page **array;
};

static const char *bulk_symbol;
static bool bulk_has_list;

/*
 * Bulk allocations entered on a CPU, and those that the probe saw: more than can
 * be on their way from one to the other means that it is blind (debugfs can switch
 * all kprobes off).
 */
struct bulk_calls {
	u32 entered;
	u32 probed;
};

#define BULK_ON_THEIR_WAY	4

static DEFINE_PER_CPU(struct bulk_calls, bulk_calls);
static bool blind;

static int bulk_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct bulk *bulk = (struct bulk *)instance->data;

	this_cpu_inc(bulk_calls.probed);
	bulk->list = NULL;
	if (bulk_has_list)
		bulk->list = (void *)regs_get_kernel_argument(regs, 4);
	bulk->array = (void *)regs_get_kernel_argument(regs, bulk_has_list ? 5 : 4);
	return 0;
}

static int bulk_returns(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct bulk *bulk = (const struct bulk *)instance->data;
	unsigned long nr = regs_return_value(regs), i;
	struct page *page;

	if (tlbbatch_luf_break(TLBBATCH_LUF_BREAK_LOOK))
		return 0;
	if (bulk->list) {
		/* New ones come to the front. */
		list_for_each_entry(page, bulk->list, lru) {
			if (!nr--)
				break;
			tlbbatch_luf_reuse(page_to_pfn(page), 1);
		}
		return 0;
	}
	for (i = 0; bulk->array && i < nr; i++)
		if (bulk->array[i])
			tlbbatch_luf_reuse(page_to_pfn(bulk->array[i]), 1);
	return 0;
}

/* A probe can't be registered twice without being made anew. */
static struct kretprobe flush_probe, bulk_probe;
static unsigned long missed;

/**
 * tlbbatch_luf_see_bulk() - a bulk allocation begins
 * @fregs: unused
 *
 * Context: any but NMI, preemption off.
 */
void tlbbatch_luf_see_bulk(struct ftrace_regs *fregs)
{
	s32 unprobed;

	/* In one instruction: the next one may come by an interrupt. */
	this_cpu_inc(bulk_calls.entered);
	unprobed = this_cpu_read(bulk_calls.entered) -
		   this_cpu_read(bulk_calls.probed);
	if (likely(unprobed <= BULK_ON_THEIR_WAY) ||
	    READ_ONCE(blind))
		return;
	WRITE_ONCE(blind, true);
	pr_err("luf: bulk allocations go unseen (kprobes off?): nothing is saved until mode is off and track again\n");
}

/**
 * tlbbatch_luf_see_bulk_list() - the same, of a kernel that can fill a list
 * @fregs: unused
 *
 * Context: any but NMI, preemption off.
 */
void tlbbatch_luf_see_bulk_list(struct ftrace_regs *fregs)
{
	tlbbatch_luf_see_bulk(fregs);
}

static const char *resolve_returns(void)
{
	struct tlbbatch_luf_entry *entry;

	for_each_tlbbatch_luf_entry(entry) {
		if (!entry->ip || (entry->see != tlbbatch_luf_see_bulk &&
				   entry->see != tlbbatch_luf_see_bulk_list))
			continue;
		bulk_symbol = entry->symbol;
		bulk_has_list = entry->see == tlbbatch_luf_see_bulk_list;
		return NULL;
	}
	return "the bulk page allocator";
}

/* Too many at once, or one inside another probe. */
static unsigned long count_missed(void)
{
	return READ_ONCE(bulk_probe.nmissed) + READ_ONCE(bulk_probe.kp.nmissed);
}

/**
 * tlbbatch_luf_sees_bulk() - was every bulk allocation seen so far?
 *
 * Context: any.
 */
bool tlbbatch_luf_sees_bulk(void)
{
	return !READ_ONCE(blind) && count_missed() == READ_ONCE(missed);
}

/**
 * tlbbatch_luf_check_missed() - let go of what can't be trusted
 *
 * What was open when a bulk allocation went unseen; then all is well again.
 *
 * Context: task.
 */
void tlbbatch_luf_check_missed(void)
{
	unsigned long now = count_missed();

	if (likely(now == READ_ONCE(missed)))
		return;
	tlbbatch_luf_distrust();
	WRITE_ONCE(missed, now);
}

static int attach_returns(void)
{
	int active = max(64U, 4 * num_possible_cpus());
	int err;

	flush_probe = (struct kretprobe){
		.kp.symbol_name = "arch_tlbbatch_flush",
		.entry_handler = flush_begins,
		.handler = flush_returns,
		.maxactive = active,
	};
	bulk_probe = (struct kretprobe){
		.kp.symbol_name = bulk_symbol,
		.entry_handler = bulk_begins,
		.handler = bulk_returns,
		.data_size = sizeof(struct bulk),
		.maxactive = active,
	};
	missed = 0;
	err = register_kretprobe(&flush_probe);
	if (err)
		return err;
	err = register_kretprobe(&bulk_probe);
	if (err)
		unregister_kretprobe(&flush_probe);
	return err;
}

static void detach_returns(void)
{
	unregister_kretprobe(&bulk_probe);
	unregister_kretprobe(&flush_probe);
}

/* Section: tracepoints */

static void probe_mm_page_alloc(void *data, struct page *page,
				unsigned int order, gfp_t gfp, int migratetype)
{
	tlbbatch_luf_seen_youngest();
	if (page && (order || !tlbbatch_luf_index_empty(page_to_pfn(page))))
		tlbbatch_luf_reuse(page_to_pfn(page), 1U << order);
}

static struct point {
	const char *name;
	const char *caller;
	const char *proto;
	void *probe;
	struct tracepoint *tracepoint;
} points[] = {
	{ "mm_page_alloc", "__traceiter_mm_page_alloc",
	  "int(void *, struct page *, unsigned int, gfp_t, int)",
	  probe_mm_page_alloc },
	{ "tlb_flush", "__traceiter_tlb_flush", "int(void *, int, unsigned long)",
	  tlbbatch_luf_probe_tlb_flush },
};

static void find_point(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(tracepoint->name, points[i].name))
			points[i].tracepoint = tracepoint;
}

static const char *resolve_points(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(find_point, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!points[i].tracepoint ||
		    !tlbbatch_symbol_matches(points[i].caller, points[i].proto))
			return points[i].name;
	return NULL;
}

static void detach_points(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(points[nr].tracepoint,
					    points[nr].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int attach_points(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		err = tracepoint_probe_register(points[i].tracepoint,
						points[i].probe, NULL);
		if (err) {
			detach_points(i);
			return err;
		}
	}
	return 0;
}

/**
 * tlbbatch_luf_resolve() - find all that must be watched
 *
 * Context: process context, at load; symbols found and BTF open.
 * Return: what is missing, or NULL.
 */
const char *tlbbatch_luf_resolve(void)
{
	if (tlbbatch_symbols_missing())
		return tlbbatch_symbols_missing();
	return tlbbatch_luf_events_resolve() ?: resolve_entries() ?:
	       resolve_returns() ?: resolve_points();
}

/**
 * tlbbatch_luf_attach() - begin to watch
 *
 * Passes begin to be seen last, when all that can end a generation is watched.
 *
 * Context: process context, may sleep; tables made.
 * Return: 0, or what registering returned; nothing is attached then.
 */
int tlbbatch_luf_attach(void)
{
	int cpu, err;

	err = attach_points();
	if (err)
		return err;
	err = attach_returns();
	if (err)
		goto points;
	err = attach_entries();
	if (!err) {
		/* Both sides count from now on; a few on their way don't matter. */
		for_each_possible_cpu(cpu)
			per_cpu(bulk_calls, cpu) = (struct bulk_calls){ 0 };
		WRITE_ONCE(blind, false);
		return 0;
	}
	detach_returns();
points:
	detach_points(ARRAY_SIZE(points));
	return err;
}

/**
 * tlbbatch_luf_detach() - stop
 *
 * Nobody is in a probe or a callback when it returns: ftrace waits for RCU-tasks
 * where tasks can be preempted, the others for RCU.
 *
 * Context: process context, may sleep, for seconds under load.
 * Return: 0, or an error of ftrace, and all goes on.
 */
int tlbbatch_luf_detach(void)
{
	int err = detach_entries();

	if (err)
		return err;
	detach_returns();
	detach_points(ARRAY_SIZE(points));
	return 0;
}
