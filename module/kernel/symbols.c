// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding what the running kernel doesn't export, and checking that it is what
 * this module was written for: each row of targets.tbl, its prototype compared
 * with the kernel's own BTF. Without BTF nothing can be checked, and nothing is armed (rule H2).
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include "debug/debug.h"
#include "kernel/btf.h"
#include "kernel/kernel_calls.h"
#include "kernel/symbols.h"
#include "targets.h"

#define DEFINE_CALL(name, optional)					\
	DEFINE_STATIC_CALL_NULL(tlbbatch_##name, tlbbatch_type_##name);
TLBBATCH_TBL_core_call_names(DEFINE_CALL)

#define FUNCTION(code, symbol, proto)	{ symbol, proto },
#define CALL(name, optional)						\
	{								\
		(const struct tlbbatch_function[]) {			\
			TLBBATCH_TBL_call_##name(FUNCTION)		\
			{ }						\
		},							\
		TLBBATCH_CALL(tlbbatch_##name)				\
	},

/* Functions that are called and never hooked. */
static const struct helper {
	const struct tlbbatch_function *alternatives;
	struct tlbbatch_call call;
} helpers[] = {
	TLBBATCH_TBL_core_call_names(CALL)
};

static struct tlbbatch_btf btf;
static bool btf_is_open;
static char missing[TLBBATCH_REASON_LEN];

static u32 target_memcg_offset;
#ifdef TLBBATCH_DEBUG
static u32 nr_to_reclaim_offset, priority_offset;
#endif
static s64 pageout_success;
static const bool *demotion_enabled;

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

static int resolve_helper(const struct helper *helper)
{
	const struct tlbbatch_function *last = helper->alternatives, *near, *function;

	function = tlbbatch_find_fit(last, sizeof(*last), NULL, &near);
	if (function) {
		tlbbatch_call_set(&helper->call,
				  tlbbatch_symbol_address(function->symbol));
		return 0;
	}
	if (near)
		return tlbbatch_symbol_check(near->symbol, near->proto, missing,
					     sizeof(missing));
	while (last[1].symbol)
		last++;
	snprintf(missing, sizeof(missing), "%s not found", last->symbol);
	return -ENOENT;
}

#define MEMBER(name, tag, member, type)	{ tag, member, type, &name##_offset },
#define FIELD(name, optional)		TLBBATCH_TBL_member_##name(MEMBER)

/* What is read of struct scan_control, which is private to mm/vmscan.c. */
static const struct {
	const char *tag;
	const char *member;
	const char *type;
	u32 *offset;
} fields[] = {
	TLBBATCH_TBL_core_member_names(FIELD)
#ifdef TLBBATCH_DEBUG
	TLBBATCH_TBL_debug_member_names(FIELD)
#endif
};

static int resolve_private(void)
{
	unsigned int i;

	demotion_enabled = (const bool *)
		tlbbatch_symbol_address(NAME_OF(data_numa_demotion_enabled));
	if (!demotion_enabled) {
		strscpy(missing, NAME_OF(data_numa_demotion_enabled) " not found",
			sizeof(missing));
		return -ENOENT;
	}
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (tlbbatch_member_offset(fields[i].tag, fields[i].member,
					   fields[i].type, fields[i].offset))
			continue;
		snprintf(missing, sizeof(missing), "%s.%s not found",
			 fields[i].tag, fields[i].member);
		return -ENOENT;
	}
	if (tlbbatch_btf_enumerator(&btf, NAME_OF(enum_pageout_success),
				    &pageout_success)) {
		strscpy(missing, NAME_OF(enum_pageout_success) " not found",
			sizeof(missing));
		return -ENOENT;
	}
	return 0;
}

/**
 * tlbbatch_symbols_init() - find all that isn't hooked
 *
 * What is missing makes the feature unavailable, with its reason; it doesn't
 * keep the module from loading.
 *
 * Context: process context, may sleep; once, at load.
 * Return: 0, or -ENOMEM.
 */
int tlbbatch_symbols_init(void)
{
	unsigned int i;
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
	for (i = 0; i < ARRAY_SIZE(helpers); i++)
		if (resolve_helper(&helpers[i]))
			return 0;
	resolve_private();
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

/**
 * tlbbatch_demotes() - may a pass on this node demote folios?
 * @nid: the node
 *
 * Context: reclaim.
 */
bool tlbbatch_demotes(int nid)
{
	nodemask_t lower;

	if (!READ_ONCE(*demotion_enabled) ||
	    tlbbatch_dirty_break(TLBBATCH_DIRTY_BREAK_DEMOTION))
		return false;
	static_call(tlbbatch_node_get_allowed_targets)(NODE_DATA(nid), &lower);
	return !nodes_empty(lower);
}

/**
 * tlbbatch_target_memcg() - the memory cgroup that a pass reclaims for
 * @sc: the pass's scan_control
 *
 * Context: the pass.
 */
struct mem_cgroup *tlbbatch_target_memcg(const struct scan_control *sc)
{
	return *(struct mem_cgroup **)((const char *)sc + target_memcg_offset);
}

#ifdef TLBBATCH_DEBUG
/**
 * tlbbatch_nr_to_reclaim() - how many pages reclaim is asked for
 * @sc: the pass's scan_control
 *
 * Context: the pass.
 * Return: pages; 0 if a list was handed over to be reclaimed.
 */
unsigned long tlbbatch_nr_to_reclaim(const struct scan_control *sc)
{
	return *(const unsigned long *)((const char *)sc + nr_to_reclaim_offset);
}

/**
 * tlbbatch_priority() - how hard reclaim tries
 * @sc: the pass's scan_control
 *
 * Context: the pass.
 * Return: from 12, at first, down to 0; each step scans twice as much.
 */
int tlbbatch_priority(const struct scan_control *sc)
{
	return *(const s8 *)((const char *)sc + priority_offset);
}
#endif

/**
 * tlbbatch_pageout_success() - what pageout() returns for "written"
 *
 * Context: any.
 */
int tlbbatch_pageout_success(void)
{
	return pageout_success;
}
