// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks up what the running kernel doesn't export, and checks that it is what this
 * module was written for: the prototype in each row of targets.tbl is compared with the
 * kernel's own BTF. Without BTF nothing can be checked, and nothing is armed (rule H2).
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/err.h>
#include <linux/kernel.h>
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

/*
 * The start of a function. On kernels with ENDBRs a kprobe's address lies behind that.
 */
static unsigned long function_start(const char *name, unsigned long addr)
{
	size_t len = strlen(name);
	unsigned long offset;
	char text[64];

	snprintf(text, sizeof(text), "%pS", (void *)addr);
	/* "NAME+0x4/0x40". A shorter name, with which this one begins, is another one's. */
	if (strncmp(text, name, len) || sscanf(text + len, "+0x%lx/", &offset) != 1)
		return 0;
	return addr - offset;
}

/*
 * A kprobe is registered to learn the address of kallsyms_lookup_name(), and
 * unregistered at once. No other address is found in this way: an armed kprobe would
 * slow a hot function.
 */
static int find_kallsyms(void)
{
	static const struct tlbbatch_call call =
		TLBBATCH_CALL(tlbbatch_kallsyms_lookup_name);
	/* A disabled kprobe gets its address, but patches no text (rule H15). */
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
 * tlbbatch_symbol_address() - the address of a symbol of the kernel
 * @name: its name
 *
 * Context: process context, at load; after tlbbatch_symbols_init().
 * Return: its address; 0 if there is no such symbol or BTF isn't open.
 */
unsigned long tlbbatch_symbol_address(const char *name)
{
	if (!btf_is_open)
		return 0;
	return static_call(tlbbatch_kallsyms_lookup_name)(name);
}

/* The symbol in a row of targets.tbl that has no alternatives. */
#define NAME_OF(row)	TLBBATCH_TBL_##row(TLBBATCH_TBL_SYMBOL)

/**
 * tlbbatch_is_kernel_text() - is this a function of the kernel itself?
 * @addr: an address, or 0
 *
 * A module may have a function of the same name, and that may be unloaded while we use
 * it.
 *
 * Context: process context, at load.
 * Return: true if @addr lies between _stext and _etext.
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
 * tlbbatch_symbol_check() - has a function the expected prototype?
 * @name: the kernel's function
 * @proto: the prototype that the caller was written for
 * @reason: receives why not; unchanged on success
 * @reason_len: its size in bytes
 *
 * Context: process context, at load.
 * Return: 0; -ENOENT if BTF doesn't know the function; -EPROTOTYPE if its prototype
 *	differs; or what tlbbatch_btf_check_proto() returns if BTF can't be read.
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
 * tlbbatch_symbol_matches() - does BTF know a function with this prototype?
 * @name: the kernel's function
 * @proto: the prototype
 *
 * Context: process context, at load; BTF open.
 * Return: true if every function of that name has that prototype.
 */
bool tlbbatch_symbol_matches(const char *name, const char *proto)
{
	return !tlbbatch_btf_check_proto(&btf, name, proto, NULL, 0);
}

/**
 * tlbbatch_is_cloned() - has the compiler made a second function of this one?
 * @name: the kernel's function
 *
 * GCC splits off what is rarely run (.part), or makes a copy for certain arguments
 * (.constprop, .isra). Callers in the same file may call that. A hook of the function
 * doesn't see them. The log names what was found. Rule H2.
 *
 * Context: process context, at load; BTF open.
 * Return: true if so.
 */
bool tlbbatch_is_cloned(const char *name)
{
	/* GCC counts the clones of a function from 0. These are on Debian's kernels. */
	static const char *const suffixes[] = {
		".part.0", ".constprop.0", ".isra.0", ".part.0.isra.0",
		".part.0.constprop.0", ".constprop.0.isra.0",
	};
	char clone[TLBBATCH_REASON_LEN];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		snprintf(clone, sizeof(clone), "%s%s", name, suffixes[i]);
		if (tlbbatch_is_kernel_text(tlbbatch_symbol_address(clone))) {
			pr_err("%s is here, and may be called instead of %s\n", clone, name);
			return true;
		}
	}
	return false;
}

/**
 * tlbbatch_kernel_has() - does BTF know a struct, and a member of it?
 * @tag: the struct's tag
 * @member: the member, or NULL for the struct alone
 *
 * Context: process context, at load; BTF open.
 * Return: false if BTF says that it isn't there. On any other error, assume that it is
 *	present.
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
 * tlbbatch_struct_size() - the size of a struct
 * @tag: the struct's tag
 * @size: receives its size in bytes
 *
 * Context: process context, at load; BTF open.
 * Return: false if BTF doesn't know it.
 */
bool tlbbatch_struct_size(const char *tag, u32 *size)
{
	return !tlbbatch_btf_struct_size(&btf, tag, size);
}

/**
 * tlbbatch_member_offset() - the offset of a member of a struct
 * @tag: the struct's tag
 * @member: the member
 * @type: the type that it must have
 * @offset: receives its offset in bytes
 *
 * Context: process context, at load; BTF open.
 * Return: false if there is no such member or its type differs.
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
 * @size: the distance from one alternative to the next, in bytes
 * @hook: the hook that they are for, whose prototype a debug build may falsify; or NULL
 * @near: receives the first alternative that the kernel has by name but with another
 *	prototype, or NULL; of use if none fits
 *
 * Rule H1.
 *
 * Context: process context, at load; BTF open.
 * Return: the first alternative whose symbol the kernel has with that prototype, or
 *	NULL.
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
 * If anything is missing, the module still loads, but every feature is unavailable, with
 * that as its reason: see tlbbatch_symbols_missing(). Each feature finds what it needs
 * besides.
 *
 * Context: process context, may sleep; once, at load.
 * Return: 0, or -ENOMEM.
 */
int tlbbatch_symbols_init(void)
{
	int err;

	err = find_kallsyms();
	/* Memory that is short says nothing of the kernel: a later load may find all. */
	if (err == -ENOMEM)
		return err;
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
 * tlbbatch_symbols_exit() - free the BTF index
 *
 * The index is needed only while hooks are resolved. Addresses that were found stay
 * valid.
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
 * tlbbatch_symbols_missing() - the first thing that tlbbatch_symbols_init() didn't find
 *
 * Context: any.
 * Return: why nothing can be hooked, or NULL.
 */
const char *tlbbatch_symbols_missing(void)
{
	return missing[0] ? missing : NULL;
}
