// SPDX-License-Identifier: GPL-2.0-only
/*
 * What discarding needs of the running kernel besides its hooks. Each is a row of
 * lazyfree.tbl.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "compat/rss_compat.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "lazyfree/lazyfree_fit.h"
#include "lazyfree/lazyfree_symbols.h"
#include "targets.h"

#define DEFINE_CALL(name, optional)					\
	DEFINE_STATIC_CALL_NULL(tlbbatch_lf_##name, tlbbatch_type_lf_##name);
TLBBATCH_TBL_lazyfree_call_names(DEFINE_CALL)

#define CALL(name, optional)						\
	TLBBATCH_HELPER(TLBBATCH_TBL_call_##name, tlbbatch_lf_##name)

static const struct tlbbatch_helper helpers[] = {
	TLBBATCH_TBL_lazyfree_call_names(CALL)
};

static char missing[TLBBATCH_REASON_LEN];

/* The text of try_to_unmap_one(). */
static unsigned long unmap_one, unmap_one_size;

/* The symbol in a row that has no alternatives. */
#define NAME_OF(row)	TLBBATCH_TBL_##row(TLBBATCH_TBL_SYMBOL)
#define MATCHES(code, symbol, proto)	tlbbatch_symbol_matches(symbol, proto)

/* kallsyms tells where a function ends only as text: "try_to_unmap_one+0x0/0xb40". */
static bool find_unmap_one(void)
{
	static const char name[] = NAME_OF(sign_try_to_unmap_one);
	char text[sizeof(name) + 32];
	unsigned long addr = tlbbatch_symbol_address(name);
	unsigned long offset, size;

	if (!tlbbatch_is_kernel_text(addr) || !TLBBATCH_TBL_sign_try_to_unmap_one(MATCHES))
		return false;
	snprintf(text, sizeof(text), "%pS", (void *)addr);
	if (strncmp(text, name, sizeof(name) - 1) ||
	    sscanf(text + sizeof(name) - 1, "+0x%lx/0x%lx", &offset, &size) != 2 || offset)
		return false;
	unmap_one = addr;
	unmap_one_size = size;
	return true;
}

/**
 * tlbbatch_in_unmap_one() - does try_to_unmap_one() go on there?
 * @ip: an address that a function returns to
 *
 * Who traces try_to_unmap_one()'s calls with function_graph may hide it. Then nothing is
 * discarded.
 *
 * Context: any, an ftrace callback included.
 */
bool notrace tlbbatch_in_unmap_one(unsigned long ip)
{
	return ip - unmap_one < unmap_one_size;
}

/**
 * tlbbatch_lazyfree_find() - find what discarding needs besides its hooks
 *
 * Context: process context, at load; BTF open.
 * Return: what this kernel lacks, or NULL.
 */
const char *tlbbatch_lazyfree_find(void)
{
	const char *why = tlbbatch_lazyfree_unsafe();

	if (why)
		return why;
	if (!tlbbatch_helpers_resolve(helpers, ARRAY_SIZE(helpers), missing, sizeof(missing)))
		return missing;
	if (!find_unmap_one())
		return NAME_OF(sign_try_to_unmap_one) " not found";
	return NULL;
}
