// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tripwire's witness: pages that reclaim itself says it wrote in a pass.
 * Where its statistics don't tell (stat_compat.h), its trace event does.
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/tracepoint.h>
#include <compat/stat_compat.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/reclaim_hooks.h>

static struct tracepoint *event;
static bool attached;

static void saw_write(void *data, struct folio *folio)
{
	struct tlbbatch_context *ctx = tlbbatch_context_current();

	if (ctx && ctx->depth == 1 && !ctx->unbatched)
		ctx->pages_traced += folio_nr_pages(folio);
}

static void find_event(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "mm_vmscan_write_folio"))
		event = tp;
}

/**
 * tlbbatch_witness_attach() - let the witness watch
 *
 * Context: process context, may sleep; no pass admitted.
 * Return: 0, -EOPNOTSUPP if the kernel has no such event, or -ENOMEM.
 */
int tlbbatch_witness_attach(void)
{
	int err;

	if (!COMPAT_WITNESS_IS_TRACED || attached)
		return 0;
	if (!event)
		for_each_kernel_tracepoint(find_event, NULL);
	if (!event) {
		pr_err("the trace event mm_vmscan_write_folio is not found\n");
		return -EOPNOTSUPP;
	}
	err = tracepoint_probe_register(event, saw_write, NULL);
	attached = !err;
	return err;
}

/**
 * tlbbatch_witness_detach() - let it go
 *
 * Context: process context, may sleep; no pass open. Nobody is in it afterwards.
 */
void tlbbatch_witness_detach(void)
{
	if (!attached)
		return;
	tracepoint_probe_unregister(event, saw_write, NULL);
	tracepoint_synchronize_unregister();
	attached = false;
}
