// SPDX-License-Identifier: GPL-2.0-only
/*
 * Look-ups in a real kernel's BTF: that of the file that TLBBATCH_BTF names, or else the
 * running kernel's. Each function has the texts of all known kernels. A function that the
 * kernel doesn't have is skipped. A difference is a failure for a chosen file, and a skip
 * for the running kernel, which may be any.
 */
#include <time.h>
#include "btf_blob.h"
#include "kernel/btf_reader.h"
#include "tap.h"
#include "targets.h"

#define RUNNING_KERNEL	"/sys/kernel/btf/vmlinux"
#define MAX_SIZE	(64UL << 20)
#define TLB_CONTEXTS	6

static struct tlbbatch_btf btf;
static bool chosen;	/* the file was named by TLBBATCH_BTF */

static void expect(bool good, const char *name)
{
	if (good || chosen)
		ok(good, "%s", name);
	else
		skip(name, "the running kernel differs from those known here");
}

#define SHRINK_FOLIO_LIST_ARGS	\
	"struct list_head *, struct pglist_data *, struct scan_control *, struct reclaim_stat *, bool"
#define PAGEOUT_ARGS		"struct folio *, struct address_space *, struct swap_iocb **"

/* The functions that tlbbatch hooks or calls, and others that hardly change. */
static const struct {
	const char *func;
	const char *texts[3];
} known[] = {
	{ "shrink_folio_list", {
		"unsigned int(" SHRINK_FOLIO_LIST_ARGS ")",
		"unsigned int(" SHRINK_FOLIO_LIST_ARGS ", struct mem_cgroup *)" } },
	{ "pageout", {
		"pageout_t(" PAGEOUT_ARGS ")",
		"pageout_t(" PAGEOUT_ARGS ", struct list_head *)" } },
	{ "try_to_unmap_flush", { "void(void)" } },
	{ "try_to_unmap_one", {
		"bool(struct folio *, struct vm_area_struct *, unsigned long, void *)" } },
	{ "try_to_unmap_flush_dirty", { "void(void)" } },
	{ "swap_writepage", { "int(struct page *, struct writeback_control *)" } },
	{ "shmem_writepage", { "int(struct page *, struct writeback_control *)" } },
	{ "__remove_mapping", {
		"int(struct address_space *, struct folio *, bool, struct mem_cgroup *)" } },
	{ "next_demotion_node", { "int(int)", "int(int, const nodemask_t *)" } },
	{ "mem_cgroup_swap_full", { "bool(struct folio *)" } },
	{ "folio_free_swap", { "bool(struct folio *)" } },
	{ "__count_memcg_events", {
		"void(struct mem_cgroup *, enum vm_event_item, unsigned long)" } },
	{ "kallsyms_lookup_size_offset", {
		"int(unsigned long, unsigned long *, unsigned long *)" } },
	{ "ftrace_location", { "unsigned long(unsigned long)" } },
	{ "ftrace_set_filter_ip", {
		"int(struct ftrace_ops *, unsigned long, int, int)" } },
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

static void test_known(void)
{
	char text[256], name[320];
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		int ret = tlbbatch_btf_func_proto(&btf, known[i].func, text, sizeof(text));
		bool match = false;

		if (ret == -ENOENT) {
			skip(known[i].func, "this kernel has no such function");
			continue;
		}
		for (j = 0; !ret && j < ARRAY_SIZE(known[i].texts) && known[i].texts[j]; j++)
			match |= !tlbbatch_btf_check_proto(&btf, known[i].func,
							   known[i].texts[j], NULL, 0);
		snprintf(name, sizeof(name), "%s is %s", known[i].func, text);
		ok_int(ret, 0, name);
		expect(match, "  as it is known here");
	}
}

#define FUNCTION(code, symbol, proto)	{ symbol, proto },
#define TARGET(kind, name, optional)	\
	{ #kind " " #name, (const struct function[]){ TLBBATCH_TBL_##kind##_##name(FUNCTION) { } } },

/* All functions of the table of targets. */
static const struct target {
	const char *name;
	const struct function {
		const char *symbol;
		const char *proto;
	} *alternatives;
} targets[] = {
#define HOOK(name, optional)	TARGET(hook, name, optional)
	TLBBATCH_TBL_batch_hook_names(HOOK)
	TLBBATCH_TBL_lazyfree_hook_names(HOOK)
#define CALL(name, optional)	TARGET(call, name, optional)
	TLBBATCH_TBL_core_call_names(CALL)
	TLBBATCH_TBL_lazyfree_call_names(CALL)
	TLBBATCH_TBL_shootdown_call_names(CALL)
#define SIGN(name, optional)	TARGET(sign, name, optional)
	TLBBATCH_TBL_lazyfree_sign_names(SIGN)
	TLBBATCH_TBL_shootdown_sign_names(SIGN)
#define ENTRY(name, optional)	TARGET(entry, name, optional)
	TLBBATCH_TBL_advise_entry_names(ENTRY)
	TLBBATCH_TBL_luf_entry_names(ENTRY)
#define RETURN(name, optional)	TARGET(return, name, optional)
	TLBBATCH_TBL_luf_return_names(RETURN)
};

/* A function that the kernel has must be as one of the alternatives says. */
static void test_targets(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		const struct function *function, *fit = NULL;
		bool known = false;

		for (function = targets[i].alternatives; function->symbol && !fit; function++) {
			int ret = tlbbatch_btf_check_proto(&btf, function->symbol, function->proto,
							   NULL, 0);

			known |= ret != -ENOENT;
			if (!ret)
				fit = function;
		}
		if (known)
			ok(!!fit, "%s is %s, %s", targets[i].name, fit ? fit->symbol : "none of its rows",
			   fit ? fit->proto : "which has to be seen to");
		else
			skip(targets[i].name, "this kernel has no such function");
	}
}

static void test_scan_control(void)
{
	u32 offset, size;
	char found[64];
	s64 value;
	int ret;

	ret = tlbbatch_btf_struct_size(&btf, "scan_control", &size);
	if (ret == -ENOENT) {
		skip("struct scan_control", "this kernel has none");
		return;
	}
	expect(!ret && size >= 64 && size <= 512, "struct scan_control has a plausible size");
	ret = tlbbatch_btf_check_member(&btf, "scan_control", "target_mem_cgroup",
					"struct mem_cgroup *", &offset, found, sizeof(found));
	if (ret == -ENOENT)
		skip("scan_control.target_mem_cgroup", "this kernel has none (no CONFIG_MEMCG?)");
	else
		expect(!ret && offset + sizeof(void *) <= size && offset % sizeof(void *) == 0,
		       "scan_control.target_mem_cgroup has its type, and a plausible offset");
	ret = tlbbatch_btf_member_offset(&btf, "scan_control", "may_swap", &offset);
	expect(ret == -EINVAL, "scan_control.may_swap is refused: a bitfield");
	ret = tlbbatch_btf_member_offset(&btf, "page", "lru", &offset);
	expect(!ret && offset == sizeof(long), "page.lru, inside anonymous types, is behind flags");
	ret = tlbbatch_btf_enumerator(&btf, "PAGE_SUCCESS", &value);
	expect(!ret && value == 2, "PAGE_SUCCESS is 2");
}

/* What a CPU has loaded, and what it has flushed. */
static void test_tlb_state(void)
{
#define MEMBER(name, tag, member, type)	{ tag, member, type },
#define FIELD(name, optional)		TLBBATCH_TBL_member_##name(MEMBER)
	static const char *const members[][3] = {
		TLBBATCH_TBL_receivers_member_names(FIELD)
		TLBBATCH_TBL_shootdown_member_names(FIELD)
	};
	u32 i, size, offset;
	char found[64];

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		int ret = tlbbatch_btf_check_member(&btf, members[i][0], members[i][1],
						    members[i][2], &offset, found, sizeof(found));

		ok(!ret, "%s.%s", members[i][0], members[i][1]);
		if (ret)
			printf("# %s.%s is %s, not %s\n", members[i][0], members[i][1], found,
			       members[i][2]);
	}
	ok(!tlbbatch_btf_struct_size(&btf, "tlb_context", &size) && size == 16,
	       "struct tlb_context has room for two numbers");
	ok(!tlbbatch_btf_struct_size(&btf, "tlb_state", &offset) &&
	       offset > TLB_CONTEXTS * size, "struct tlb_state has room for these");
}

/* Tries every 97th function: each has a text, or one of the two good reasons for having none. */
static void test_sample(void)
{
	u32 id = 0, nr = 0, texts = 0, refused = 0;

	while ((id = tlbbatch_btf_next(&btf, BIT(BTF_KIND_FUNC), NULL, id))) {
		const char *name = tlbbatch_btf_string(&btf, tlbbatch_btf_type(&btf, id)->name_off);
		char text[1024];
		int ret;

		if (nr++ % 97)
			continue;
		ret = tlbbatch_btf_func_proto(&btf, name, text, sizeof(text));
		if (!ret)
			texts++;
		else if (ret == -EPROTOTYPE || ret == -EOPNOTSUPP)
			refused++;
		else
			printf("# %s: %d\n", name, ret);
	}
	ok(nr > 1000, "there are functions: %u", nr);
	ok(texts + refused == (nr + 96) / 97, "each of a sample has a prototype, or is ambiguous");
	ok(texts > refused * 20, "nearly all have a prototype: %u of %u", texts, texts + refused);
}

int main(void)
{
	const char *path = getenv("TLBBATCH_BTF");
	double start;
	size_t size;
	void *data;
	FILE *file;

	chosen = path && *path;
	if (!chosen)
		path = RUNNING_KERNEL;
	file = fopen(path, "r");
	if (!file && !chosen)
		return skip_all("no readable " RUNNING_KERNEL ", and TLBBATCH_BTF names no file");
	if (!ok(!!file, "%s can be read", path))
		return tap_done();
	data = malloc(MAX_SIZE);
	size = fread(data, 1, MAX_SIZE, file);
	fclose(file);

	start = now_ms();
	if (!tlbbatch_btf_open(&btf, data, size)) {
		ok(btf.nr_types > 10000, "the BTF opens, and has %u types", btf.nr_types);
		test_known();
		/* For another kernel this would say nothing. */
		if (chosen) {
			test_targets();
			test_tlb_state();
		}
		test_scan_control();
		printf("# opened and looked up in %.0f ms, with sanitizers\n", now_ms() - start);
		test_sample();
	} else {
		ok(false, "it opens");
	}
	tlbbatch_btf_close(&btf);
	free(data);
	return tap_done();
}
