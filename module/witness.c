// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tripwire's witness (rule B4): pages that reclaim itself says it wrote in a pass.
 * Where its statistics don't tell (stat_compat.h), its trace event does.
 */
#include <linux/mm.h>
#include <linux/tracepoint.h>
#include <compat/stat_compat.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/reclaim_hooks.h>
#include <tlbbatch/symbols.h>
#include "targets.h"

#define EVENT		TLBBATCH_TBL_trace_mm_vmscan_write_folio(TLBBATCH_TBL_SYMBOL)
#define TRACEITER(name, symbol, proto)	"__traceiter_" symbol, proto
#define CALLER_AND_PROTO	TLBBATCH_TBL_trace_mm_vmscan_write_folio(TRACEITER)

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
	if (!strcmp(tp->name, EVENT))
		event = tp;
}

/**
 * tlbbatch_witness_resolve() - find the event, and check what it hands over
 *
 * Context: process context, at load; symbols found and BTF open.
 * Return: NULL, or why the witness can't watch.
 */
const char *tlbbatch_witness_resolve(void)
{
	static char reason[TLBBATCH_REASON_LEN];

	if (!COMPAT_WITNESS_IS_TRACED)
		return NULL;
	for_each_kernel_tracepoint(find_event, NULL);
	if (!event)
		return "the trace event " EVENT " is not found";
	if (tlbbatch_symbol_check(CALLER_AND_PROTO, reason, sizeof(reason)))
		return reason;
	return NULL;
}

/**
 * tlbbatch_witness_attach() - let the witness watch
 *
 * Context: process context, may sleep; no pass admitted.
 * Return: 0 or -ENOMEM.
 */
int tlbbatch_witness_attach(void)
{
	int err;

	if (!COMPAT_WITNESS_IS_TRACED || attached)
		return 0;
	err = tracepoint_probe_register(event, saw_write, NULL);
	attached = !err;
	return err;
}

/**
 * tlbbatch_witness_detach() - let it go
 *
 * It can't fail: short of memory, tracepoint_probe_unregister() puts a stub in the
 * place of the probe.
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
