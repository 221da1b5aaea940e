// SPDX-License-Identifier: GPL-2.0-only
/* What shootdown/ needs of the running kernel, and on which machines it has nothing to do. */
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include "arch/x86.h"
#include "debug/debug.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "receivers/receivers.h"
#include "shootdown/shootdown_symbols.h"
#include "targets.h"

DEFINE_STATIC_CALL_NULL(tlbbatch_mm_alloc, tlbbatch_type_mm_alloc);

static const struct tlbbatch_helper helpers[] = {
	TLBBATCH_HELPER(TLBBATCH_TBL_call_mm_alloc, tlbbatch_mm_alloc)
};

static char missing[TLBBATCH_REASON_LEN];
static unsigned long native_flush;

#define SYMBOL(code, symbol, proto)	symbol
#define PROTO(code, symbol, proto)	proto

/**
 * tlbbatch_shootdown_find() - find what shootdown/ needs
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_shootdown_find(void)
{
	const char *lacks;

	if (!tlbbatch_helpers_resolve(helpers, ARRAY_SIZE(helpers), missing,
				      sizeof(missing)))
		return missing;
	lacks = tlbbatch_receivers_find();
	if (lacks)
		return lacks;
	if (!tlbbatch_symbol_matches(TLBBATCH_TBL_sign_flush_tlb_multi(SYMBOL),
				     TLBBATCH_TBL_sign_flush_tlb_multi(PROTO)))
		return TLBBATCH_TBL_sign_flush_tlb_multi(SYMBOL) " differs";
	native_flush = tlbbatch_symbol_address(TLBBATCH_TBL_sign_flush_tlb_multi(SYMBOL));
	return native_flush ? NULL : TLBBATCH_TBL_sign_flush_tlb_multi(SYMBOL) " not found";
}

/**
 * tlbbatch_shootdown_no_receivers() - why can't it be told whom a flush interrupts?
 *
 * Rule S6.
 *
 * Context: process context; after tlbbatch_shootdown_find().
 * Return: the reason; NULL if it can be told.
 */
const char *tlbbatch_shootdown_no_receivers(void)
{
	if (!tlbbatch_arch_flush_sends_ipis() ||
	    tlbbatch_shootdown_break(TLBBATCH_SHOOTDOWN_BREAK_BROADCAST))
		return "this machine flushes by broadcast (INVLPGB): nobody is interrupted";
	if (!tlbbatch_arch_flush_is_native(native_flush) ||
	    tlbbatch_shootdown_break(TLBBATCH_SHOOTDOWN_BREAK_PARAVIRT))
		return "the hypervisor helps to flush (Xen, Hyper-V, KVM): "
		       "it leaves out CPUs that don't run";
	return NULL;
}
