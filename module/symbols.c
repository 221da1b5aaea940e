// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding what the running kernel doesn't export, and checking that it is what
 * this module was written for: a row per symbol, its prototype compared with
 * the kernel's own BTF. Without BTF nothing can be checked, and nothing is armed (rule H2).
 */
#define pr_fmt(fmt) "tlbbatch: " fmt
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/memcontrol.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <compat/swap_io_compat.h>
#include <tlbbatch/btf.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/kernel_calls.h>
#include <tlbbatch/symbols.h>

DEFINE_STATIC_CALL_NULL(tlbbatch_kallsyms_lookup_name,
			tlbbatch_type_kallsyms_lookup_name);
DEFINE_STATIC_CALL_NULL(tlbbatch_ftrace_location, tlbbatch_type_ftrace_location);
DEFINE_STATIC_CALL_NULL(tlbbatch_ftrace_find_rec_direct,
			tlbbatch_type_ftrace_find_rec_direct);
DEFINE_STATIC_CALL_NULL(tlbbatch_remove_mapping, tlbbatch_type_remove_mapping);
DEFINE_STATIC_CALL_NULL(tlbbatch_node_get_allowed_targets,
			tlbbatch_type_node_get_allowed_targets);
DEFINE_STATIC_CALL_NULL(tlbbatch_mem_cgroup_swap_full,
			tlbbatch_type_mem_cgroup_swap_full);
DEFINE_STATIC_CALL_NULL(tlbbatch_folio_free_swap, tlbbatch_type_folio_free_swap);
DEFINE_STATIC_CALL_NULL(tlbbatch_count_memcg_events,
			tlbbatch_type_count_memcg_events);
DEFINE_STATIC_CALL_NULL(tlbbatch_flush_tlb_batched_pending,
			tlbbatch_type_flush_tlb_batched_pending);
COMPAT_SWAP_IO_DEFINE;
DEFINE_STATIC_CALL_NULL(tlbbatch_flush_tlb_all, tlbbatch_type_flush_tlb_all);

/* Functions that are called and never hooked; the first of two names counts. */
static const struct helper {
	const char *names[2];
	const char *proto;
	struct tlbbatch_call call;
} helpers[] = {
	{ { "kallsyms_lookup_name" }, "unsigned long(const char *)",
	  TLBBATCH_CALL(tlbbatch_kallsyms_lookup_name) },
	{ { "ftrace_location" }, "unsigned long(unsigned long)",
	  TLBBATCH_CALL(tlbbatch_ftrace_location) },
	{ { "ftrace_find_rec_direct" }, "unsigned long(unsigned long)",
	  TLBBATCH_CALL(tlbbatch_ftrace_find_rec_direct) },
	{ { "__remove_mapping" },
	  "int(struct address_space *, struct folio *, bool, struct mem_cgroup *)",
	  TLBBATCH_CALL(tlbbatch_remove_mapping) },
	{ { "node_get_allowed_targets" }, "void(pg_data_t *, nodemask_t *)",
	  TLBBATCH_CALL(tlbbatch_node_get_allowed_targets) },
	{ { "flush_tlb_batched_pending" }, "void(struct mm_struct *)",
	  TLBBATCH_CALL(tlbbatch_flush_tlb_batched_pending) },
	{ { "flush_tlb_all" }, "void(void)", TLBBATCH_CALL(tlbbatch_flush_tlb_all) },
	{ { "mem_cgroup_swap_full" }, "bool(struct folio *)",
	  TLBBATCH_CALL(tlbbatch_mem_cgroup_swap_full) },
	{ { "folio_free_swap" }, "bool(struct folio *)",
	  TLBBATCH_CALL(tlbbatch_folio_free_swap) },
	/* Without the underscores since 6.16 or so. */
	{ { "__count_memcg_events", "count_memcg_events" },
	  "void(struct mem_cgroup *, enum vm_event_item, unsigned long)",
	  TLBBATCH_CALL(tlbbatch_count_memcg_events) },
	COMPAT_SWAP_SUBMIT_HELPERS
	COMPAT_SWAP_UNPLUG_HELPERS
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
	return addr && addr >= tlbbatch_symbol_address("_stext") &&
	       addr < tlbbatch_symbol_address("_etext");
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

static int resolve_helper(const struct helper *helper)
{
	const char *name = helper->names[0];
	unsigned long addr = tlbbatch_symbol_address(name);

	if (!tlbbatch_is_kernel_text(addr) && helper->names[1]) {
		name = helper->names[1];
		addr = tlbbatch_symbol_address(name);
	}
	if (!tlbbatch_is_kernel_text(addr)) {
		snprintf(missing, sizeof(missing), "%s not found", name);
		return -ENOENT;
	}
	if (tlbbatch_symbol_check(name, helper->proto, missing, sizeof(missing)))
		return -EPROTOTYPE;
	tlbbatch_call_set(&helper->call, addr);
	return 0;
}

/* What is read of struct scan_control, which is private to mm/vmscan.c. */
static const struct {
	const char *member;
	const char *type;
	u32 *offset;
} fields[] = {
	{ "target_mem_cgroup", "struct mem_cgroup *", &target_memcg_offset },
#ifdef TLBBATCH_DEBUG
	{ "nr_to_reclaim", "unsigned long", &nr_to_reclaim_offset },
	{ "priority", "s8", &priority_offset },
#endif
};

static int resolve_private(void)
{
	unsigned int i;

	demotion_enabled =
		(const bool *)tlbbatch_symbol_address("numa_demotion_enabled");
	if (!demotion_enabled) {
		strscpy(missing, "numa_demotion_enabled not found",
			sizeof(missing));
		return -ENOENT;
	}
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (tlbbatch_member_offset("scan_control", fields[i].member,
					   fields[i].type, fields[i].offset))
			continue;
		snprintf(missing, sizeof(missing), "scan_control.%s not found",
			 fields[i].member);
		return -ENOENT;
	}
	if (tlbbatch_btf_enumerator(&btf, "PAGE_SUCCESS", &pageout_success)) {
		strscpy(missing, "PAGE_SUCCESS not found", sizeof(missing));
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
 * tlbbatch_writer_is_gated() - is this a_ops->writepage hooked as a write-out?
 * @writer: its address
 *
 * Context: any.
 */
bool tlbbatch_writer_is_gated(unsigned long writer)
{
	const struct tlbbatch_hook *hook;

	for_each_tlbbatch_hook(hook)
		if (hook->addr == writer)
			return true;
	return false;
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

	if (!READ_ONCE(*demotion_enabled))
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
