// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding what the running kernel doesn't export, and checking that it is what
 * this module was written for: each row of targets.tbl, its prototype compared
 * with the kernel's own BTF. Without BTF nothing can be checked, and nothing is armed (rule H2).
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include "debug/debug.h"
#include "kernel/btf.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "targets.h"

#define DEFINE_CALL(name, optional)					\
	DEFINE_STATIC_CALL_NULL(tlbbatch_##name, tlbbatch_type_##name);
TLBBATCH_TBL_core_call_names(DEFINE_CALL)

#define CALL(name, optional)						\
	TLBBATCH_HELPER(TLBBATCH_TBL_call_##name, tlbbatch_##name)

/* What looking up and hooking need themselves. */
static const struct tlbbatch_helper helpers[] = {
	TLBBATCH_TBL_core_call_names(CALL)
};

static struct tlbbatch_btf btf;
static bool btf_is_open;
static char missing[TLBBATCH_REASON_LEN];

/* A kprobe's address lies behind an ENDBR, where the kernel has them. */
static unsigned long function_start(const char *name, unsigned long addr)
{
	unsigned long offset;
	char text[64];
	const char *plus;

	snprintf(text, sizeof(text), "%pS", (void *)addr);
	plus = strchr(text, '+');
	if (!plus || strncmp(text, name, plus - text) ||
	    sscanf(plus, "+0x%lx/", &offset) != 1)
		return 0;
	return addr - offset;
}

/*
 * A kprobe tells one address, kallsyms_lookup_name()'s own, and is gone again
 * before anything else happens. Never arm one on a hot function to find it.
 */
static int find_kallsyms(void)
{
	static const struct tlbbatch_call call =
		TLBBATCH_CALL(tlbbatch_kallsyms_lookup_name);
	/* Disabled: it finds the address and patches no text (rule H15). */
	struct kprobe probe = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long addr;
	int err;

	err = register_kprobe(&probe);
	if (err)
		return err;
	addr = function_start(probe.symbol_name, (unsigned long)probe.addr);
	unregister_kprobe(&probe);
	if (!addr)
		return -ENOENT;
	tlbbatch_call_set(&call, addr);
	return 0;
}

/**
 * tlbbatch_symbol_address() - where a symbol of the kernel lies
 * @name: its name
 *
 * Context: process context, at load; after tlbbatch_symbols_init().
 * Return: its address, 0 if the kernel has none or symbols can't be read.
 */
unsigned long tlbbatch_symbol_address(const char *name)
{
	if (!btf_is_open)
		return 0;
	return static_call(tlbbatch_kallsyms_lookup_name)(name);
}

/* What the kernel calls it, of a row of targets.tbl without alternatives. */
#define NAME_OF(row)	TLBBATCH_TBL_##row(TLBBATCH_TBL_SYMBOL)

/**
 * tlbbatch_is_kernel_text() - is this a function of the kernel itself?
 * @addr: an address, or 0
 *
 * A module's function of the same name could be unloaded under us.
 *
 * Context: process context, at load.
 */
bool tlbbatch_is_kernel_text(unsigned long addr)
{
	return addr && addr >= tlbbatch_symbol_address(NAME_OF(data_text_start)) &&
	       addr < tlbbatch_symbol_address(NAME_OF(data_text_end));
}

static int open_btf(void)
{
	unsigned long start, stop;
	int err;

	start = static_call(tlbbatch_kallsyms_lookup_name)("__start_BTF");
	stop = static_call(tlbbatch_kallsyms_lookup_name)("__stop_BTF");
	if (!start || stop <= start)
		return -ENOENT;
	err = tlbbatch_btf_open(&btf, (const void *)start, stop - start);
	btf_is_open = !err;
	return err;
}

/**
 * tlbbatch_symbol_check() - is a function what we take it for?
 * @name: the kernel's function
 * @proto: the prototype that the caller was written for
 * @reason: buffer for why not, unchanged on success
 * @reason_len: its size in bytes
 *
 * Context: process context, at load.
 * Return: 0, -ENOENT if BTF doesn't know it, -EPROTOTYPE if it differs, or what
 *	tlbbatch_btf_check_proto() returns on BTF that can't be read.
 */
int tlbbatch_symbol_check(const char *name, const char *proto, char *reason,
			  size_t reason_len)
{
	char found[160] = "";
	int err;

	err = tlbbatch_btf_check_proto(&btf, name, proto, found, sizeof(found));
	if (err == -EPROTOTYPE) {
		snprintf(reason, reason_len, "%s has another prototype", name);
		pr_err("%s is %s here, not %s\n", name, found, proto);
	} else if (err) {
		snprintf(reason, reason_len, "%s: not told by BTF (%d)", name,
			 err);
	}
	return err;
}

/**
 * tlbbatch_symbol_matches() - does BTF know a function, with this prototype?
 * @name: the kernel's function
 * @proto: the prototype
 *
 * Context: process context, at load.
 */
bool tlbbatch_symbol_matches(const char *name, const char *proto)
{
	return !tlbbatch_btf_check_proto(&btf, name, proto, NULL, 0);
}

/**
 * tlbbatch_kernel_has() - does BTF know a struct, and a member of it?
 * @tag: the struct's tag
 * @member: the member, or NULL for the struct alone
 *
 * Context: process context, at load; BTF open. What can't be told is there.
 */
bool tlbbatch_kernel_has(const char *tag, const char *member)
{
	u32 value;
	int err;

	if (member)
		err = tlbbatch_btf_member_offset(&btf, tag, member, &value);
	else
		err = tlbbatch_btf_struct_size(&btf, tag, &value);
	return err != -ENOENT;
}

/**
 * tlbbatch_member_offset() - where a member of a struct lies
 * @tag: the struct's tag
 * @member: the member
 * @type: what it must be
 * @offset: receives its offset in bytes
 *
 * Context: process context, at load; BTF open.
 * Return: false if there is no such member, or it is of another type.
 */
bool tlbbatch_member_offset(const char *tag, const char *member,
			    const char *type, u32 *offset)
{
	return !tlbbatch_btf_check_member(&btf, tag, member, type, offset, NULL, 0);
}

static bool fits(const struct tlbbatch_function *function, const char *hook)
{
	if (!hook)
		return tlbbatch_symbol_matches(function->symbol, function->proto);
	return tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_PROTO) ||
	       tlbbatch_symbol_matches(function->symbol,
				       tlbbatch_debug_proto(hook, function->proto));
}

/**
 * tlbbatch_find_fit() - the first of several functions that this kernel has
 * @first: the alternatives, ended by one without a symbol
 * @size: from one to the next, in bytes
 * @hook: the hook that they are for, which a debug build may spoil; or NULL
 * @near: receives the first that it has by name alone, or NULL; used where none fits
 *
 * Rule H1.
 *
 * Context: process context, at load; symbols found and BTF open.
 * Return: one whose symbol the kernel has with that prototype, or NULL.
 */
const struct tlbbatch_function *
tlbbatch_find_fit(const struct tlbbatch_function *first, size_t size,
		  const char *hook, const struct tlbbatch_function **near)
{
	const struct tlbbatch_function *function;

	*near = NULL;
	for (function = first; function->symbol;
	     function = (const void *)function + size) {
		if (!tlbbatch_is_kernel_text(tlbbatch_symbol_address(function->symbol)))
			continue;
		if (fits(function, hook))
			return function;
		if (!*near)
			*near = function;
	}
	return NULL;
}

static bool resolve_helper(const struct tlbbatch_helper *helper, char *reason,
			   size_t reason_len)
{
	const struct tlbbatch_function *last = helper->alternatives, *near, *function;

	function = tlbbatch_find_fit(last, sizeof(*last), NULL, &near);
	if (function) {
		tlbbatch_call_set(&helper->call,
				  tlbbatch_symbol_address(function->symbol));
		return true;
	}
	if (near) {
		tlbbatch_symbol_check(near->symbol, near->proto, reason, reason_len);
		return false;
	}
	while (last[1].symbol)
		last++;
	snprintf(reason, reason_len, "%s not found", last->symbol);
	return false;
}

/**
 * tlbbatch_helpers_resolve() - find functions that are called, never hooked
 * @helper: them; the static call of each that is found is set
 * @nr: how many
 * @reason: receives which one is missing, or why
 * @reason_len: its size in bytes
 *
 * Context: process context, at load; BTF open.
 * Return: false if one is missing.
 */
bool tlbbatch_helpers_resolve(const struct tlbbatch_helper *helper, unsigned int nr,
			      char *reason, size_t reason_len)
{
	for (; nr; nr--, helper++)
		if (!resolve_helper(helper, reason, reason_len))
			return false;
	return true;
}

/**
 * tlbbatch_enumerator() - the value of a constant of the kernel
 * @name: it
 * @value: receives it
 *
 * Context: process context, at load; BTF open.
 * Return: false if BTF doesn't know it.
 */
bool tlbbatch_enumerator(const char *name, s64 *value)
{
	return !tlbbatch_btf_enumerator(&btf, name, value);
}

/**
 * tlbbatch_symbols_init() - find what all look-ups and hooks need
 *
 * What is missing makes every feature unavailable, with its reason; it doesn't
 * keep the module from loading. What a feature needs besides is found by itself.
 *
 * Context: process context, may sleep; once, at load.
 * Return: 0, or -ENOMEM.
 */
int tlbbatch_symbols_init(void)
{
	int err;

	err = find_kallsyms();
	if (err) {
		snprintf(missing, sizeof(missing),
			 "kallsyms_lookup_name not found (%d)", err);
		return 0;
	}
	err = open_btf();
	if (err == -ENOMEM)
		return err;
	if (err) {
		snprintf(missing, sizeof(missing),
			 "no BTF to check the kernel's functions against (%d)",
			 err);
		return 0;
	}
	tlbbatch_helpers_resolve(helpers, ARRAY_SIZE(helpers), missing,
				 sizeof(missing));
	return 0;
}

/**
 * tlbbatch_symbols_exit() - let go of the BTF index
 *
 * Only needed while hooks are resolved. Addresses stay valid.
 *
 * Context: process context.
 */
void tlbbatch_symbols_exit(void)
{
	if (btf_is_open)
		tlbbatch_btf_close(&btf);
	btf_is_open = false;
}

/**
 * tlbbatch_symbols_missing() - the first thing that wasn't found
 *
 * Return: why nothing can be hooked, or NULL.
 */
const char *tlbbatch_symbols_missing(void)
{
	return missing[0] ? missing : NULL;
}
