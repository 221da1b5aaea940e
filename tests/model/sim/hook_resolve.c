// SPDX-License-Identifier: GPL-2.0-only
/* What is found at load, of what is hooked, watched and called: rules H1, H2 and H15. */
#include "hook_rules.h"

static int not_called(int x)
{
	sim_breach("a replacement of another function is called");
	return x;
}

DEFINE_STATIC_CALL_NULL(orig_not_called, not_called);

#define LOST_CASE(name_, need_, ...)						\
	{ { .name = name_, .lost = "all", need_					\
	    .targets = (const struct tlbbatch_target[]) { __VA_ARGS__ { .function = { NULL, NULL } } } } }
#define TRIED(symbol, proto)							\
	{ .function = { symbol, proto }, .replacement = not_called,		\
	  .original = TLBBATCH_CALL(orig_not_called) },

static struct {
	struct tlbbatch_hook hook;
	struct tlbbatch_redirects redirects;
	const char *reason;
} cases[] = {
	{ .hook = { .name = "proto", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("fn_other", "long(int)") { } } }, .reason = "fn_other has another prototype" },
	{ .hook = { .name = "gone", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("fn_gone", "int(int)") { } } }, .reason = "fn_gone not found (inlined?)" },
	{ .hook = { .name = "module", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("in_module", "int(int)") { } } }, .reason = "in_module not found (inlined?)" },
	{ .hook = { .name = "site", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("untraceable", "int(int)") { } } }, .reason = "untraceable cannot be traced" },
	{ .hook = { .name = "twice", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("fn_a", "int(int)") { } } }, .reason = "fn_a has another hook of this module" },
	{ .hook = { .name = "near", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("fn_gone", "int(int)") TRIED("fn_other", "char(int)") { } } },
	  .reason = "fn_other has another prototype" },
	{ .hook = { .name = "nears", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("fn_other", "char(int)") TRIED("fn_b", "char(int)") { } } },
	  .reason = "fn_other has another prototype" },
	/* All of its rows ask for what this kernel's headers don't have. */
	{ .hook = { .name = "no row", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		{ } } }, .reason = "no target for this kernel" },
	{ .hook = { .name = "absent", .lost = "all", .need = { .tag = "absent" },
		.targets = (const struct tlbbatch_target[]) { TRIED("fn_gone", "int(int)") { } } } },
	{ .hook = { .name = "odd", .lost = "all", .need = { .tag = "odd" },
		.targets = (const struct tlbbatch_target[]) { TRIED("fn_gone", "int(int)") { } } },
	  .reason = "fn_gone not found (inlined?)" },
	{ .hook = { .name = "odd member", .lost = "all", .need = { .tag = "odd", .member = "m" },
		.targets = (const struct tlbbatch_target[]) { TRIED("fn_gone", "int(int)") { } } },
	  .reason = "fn_gone not found (inlined?)" },
	{ .hook = { .name = "harmless", .lost = "all",
		.need = { .harmless = { "fn_other", "int(int)" } },
		.targets = (const struct tlbbatch_target[]) { TRIED("fn_gone", "int(int)") { } } } },
	{ .hook = { .name = "harmful", .lost = "all",
		.need = { .harmless = { "fn_other", "long(int)" } },
		.targets = (const struct tlbbatch_target[]) { TRIED("fn_gone", "int(int)") { } } },
	  .reason = "fn_gone not found (inlined?)" },
};

static struct tlbbatch_hook looks_whole = { .name = "looks", .lost = "all", .look = &look_set,
	.targets = (const struct tlbbatch_target[]) {
		{ .function = { "fn_other", "int(int)" } }, { } } };
static struct tlbbatch_redirects whole_looks = { .hooks = &looks_whole, .nr = 1, .whole = true };

static struct tlbbatch_hook two_bad[] = {
	{ .name = "first", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("fn_gone", "int(int)") { } } },
	{ .name = "second", .lost = "all", .targets = (const struct tlbbatch_target[]) {
		TRIED("fn_other", "long(int)") { } } },
};
static struct tlbbatch_redirects both_bad = { .hooks = two_bad, .nr = 2 };

/* Its name and its reason are too long together. */
static struct {
	struct tlbbatch_hook hook;
	struct tlbbatch_redirects redirects;
	char guard[64];
} long_one = { .hook = { .name = "a_hook_whose_name_is_rather_long", .lost = "all",
	.targets = (const struct tlbbatch_target[]) {
		TRIED("a_function_whose_name_is_also_longer_than_that_of_most_of_the_others", "int(int)")
		{ } } } };

static struct tlbbatch_entry bad_entry[] = {
	{ .name = "an entry", .alternatives = (const struct tlbbatch_watched[]) {
		{ { "fn_entry", "long(int)" }, NULL }, { } } } };
static struct tlbbatch_point bad_point[] = {
	{ .name = "one", .caller = "__traceiter_one", .proto = "int(void *)" } };
static struct tlbbatch_point no_point[] = {
	{ .name = "none", .caller = "__traceiter_none", .proto = "int(void *, int)" } };
static struct tlbbatch_entry no_site[] = {
	{ .name = "a site", .alternatives = (const struct tlbbatch_watched[]) {
		{ { "untraceable", "int(int)" }, NULL }, { } } } };
/* A kernel without these functions needs no watch of them; one that has them does. */
static struct tlbbatch_entry odd_entry[] = {
	{ .name = "an odd one", .optional = true,
	  .alternatives = (const struct tlbbatch_watched[]) {
		{ { "fn_entry", "long(int)" }, NULL }, { } } } };
static struct tlbbatch_entry odd_site[] = {
	{ .name = "an odd site", .optional = true,
	  .alternatives = (const struct tlbbatch_watched[]) {
		{ { "untraceable", "int(int)" }, NULL }, { } } } };
static struct tlbbatch_entry same_site[] = {
	{ .name = "one of two", .alternatives = (const struct tlbbatch_watched[]) {
		{ { "fn_entry2", "int(int)" }, NULL }, { } } },
	{ .name = "the other", .alternatives = (const struct tlbbatch_watched[]) {
		{ { "fn_entry2", "int(int)" }, NULL }, { } } } };
static struct tlbbatch_sites bad_sites;
static struct tlbbatch_watches bad_watches[] = {
	{ .entries = bad_entry, .nr_entries = 1, .sites = &bad_sites },
	{ .entries = no_site, .nr_entries = 1, .sites = &bad_sites },
	{ .entries = odd_entry, .nr_entries = 1, .sites = &bad_sites },
	{ .entries = odd_site, .nr_entries = 1, .sites = &bad_sites },
	{ .entries = same_site, .nr_entries = 2, .sites = &bad_sites },
	{ .points = bad_point, .nr_points = 1 },
	{ .points = no_point, .nr_points = 1 },
	/* With a name of their own, like the tripwire's. */
	{ .name = "a watch", .lost = "all", .points = bad_point, .nr_points = 1 },
	{ .name = "a watch", .lost = "all", .points = no_point, .nr_points = 1 },
};

static struct tlbbatch_watches many_watches = {
	.entries = bad_entry, .nr_entries = TLBBATCH_WATCH_MAX + 1, .sites = &bad_sites };

static const struct tlbbatch_function bad_function[] = { { "fn_other", "long(int)" }, { NULL, NULL } };
static const struct tlbbatch_function good_function[] = { { "fn_other", "int(int)" }, { NULL, NULL } };
static const struct tlbbatch_helper helpers[] = {
	{ .alternatives = good_function, .call = TLBBATCH_CALL(orig_not_called) },
	{ .alternatives = bad_function, .call = TLBBATCH_CALL(orig_not_called) },
	{ .alternatives = good_function, .call = TLBBATCH_CALL(orig_not_called) },
};
static const struct tlbbatch_function absent_function[] = {
	{ "fn_gone", "int(int)" }, { "fn_gone_too", "int(int)" }, { NULL, NULL } };
static const struct tlbbatch_helper absent_helper = {
	.alternatives = absent_function, .call = TLBBATCH_CALL(orig_not_called) };

/* Called while BTF is open, when the hooks of alpha aren't resolved yet. */
static void test_resolve(void)
{
	char reason[TLBBATCH_REASON_LEN];
	unsigned int i, told;
	u32 offset;

	for (i = 0; i < ARRAY_SIZE(bad_watches); i++) {
		told = sim_times_logged("; lost: all");
		right(!tlbbatch_watches_resolve(&bad_watches[i], reason, sizeof(reason)) && reason[0],
		      "H2: what is watched with another prototype is missing: %s", reason);
		right(sim_times_logged("; lost: all") - told == !!bad_watches[i].lost &&
		      (!bad_watches[i].lost || sim_logged(reason)), "H2: the log says what is lost by it");
	}
	ok(!tlbbatch_watches_resolve(&many_watches, reason, sizeof(reason)), "too many are watched");
	ok_str(reason, "room for so many functions", "H2: more functions than there is room for");
	right(tlbbatch_helpers_resolve(helpers, 1, reason, sizeof(reason)) &&
	      !tlbbatch_helpers_resolve(helpers, 3, reason, sizeof(reason)) &&
	      !strcmp(reason, "fn_other has another prototype"),
	      "H2: a function that is only called must have its prototype, too");
	reason[0] = '\0';
	ok(!tlbbatch_helpers_resolve(&absent_helper, 1, reason, sizeof(reason)),
	   "H2: a function that is only called must be there");
	ok_str(reason, "fn_gone_too not found", "H2: if it isn't, its name is the reason");
	right(tlbbatch_member_offset("present", "member", "type", &offset) &&
	      !tlbbatch_member_offset("present", "member", "another", &offset) &&
	      !tlbbatch_member_offset("absent", "member", "type", &offset),
	      "H2: a member must have its type");
	world.found = NULL;
}

/* Behind alpha's, so that one function is hooked twice. */
static void test_refused(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tlbbatch_hook *hook = &cases[i].hook;
		struct tlbbatch_redirects *redirects = &cases[i].redirects;

		redirects->hooks = hook;
		redirects->nr = 1;
		tlbbatch_redirects_resolve(redirects, NULL, NULL);
		if (!cases[i].reason) {
			right(hook->unneeded && !redirects->unavailable[0],
			      "H1: %s: this kernel doesn't need it", hook->name);
			continue;
		}
		ok_str(hook->reason, cases[i].reason, "H2: a hook that can't be had says why");
		right(!hook->target && strstr(redirects->unavailable, cases[i].reason) &&
		      sim_logged(cases[i].reason), "H2: %s: so does its feature, and the log", hook->name);
	}
	ok(sim_logged("fn_other is int(int) here, not long(int)"), "H2: the log has both prototypes");
	tlbbatch_redirects_resolve(&whole_looks, NULL, NULL);
	ok_str(looks_whole.reason, "what looks cannot be registered whole",
	       "H14: a hook that only looks isn't registered whole");
	tlbbatch_redirects_resolve(&both_bad, NULL, NULL);
	long_one.redirects.hooks = &long_one.hook;
	long_one.redirects.nr = 1;
	tlbbatch_redirects_resolve(&long_one.redirects, NULL, NULL);
	for (i = 0; i < sizeof(long_one.guard) && !long_one.guard[i]; i++)
		;
	right(i == sizeof(long_one.guard) &&
	      strlen(long_one.redirects.unavailable) == TLBBATCH_REASON_LEN - 1,
	      "H2: a reason that is too long for the feature's is cut off");
	ok_str(both_bad.unavailable, "first: fn_gone not found (inlined?)",
	       "H2: of two hooks that can't be had the first one's reason is the feature's");
}

/* A hook of a function doesn't see those that call a clone of it. */
static void test_cloned(void)
{
	static const struct { const char *name; const void *at; bool refused; } clones[] = {
		{ "fn_other.part.0", fn_b, true },
		{ "fn_other.constprop.0", fn_b, true },
		{ "fn_other.isra.0", fn_b, true },
		{ "fn_other.part.0.isra.0", fn_b, true },
		{ "fn_other.part.0.constprop.0", fn_b, true },
		{ "fn_other.constprop.0.isra.0", fn_b, true },
		{ "fn_other.part.0", clones, false },	/* not the kernel's */
		{ "fn_other.part.0", (void *)4096, false },
		{ "fn_b.part.0", fn_b, false },
	};
	char reason[TLBBATCH_REASON_LEN], message[100];
	unsigned int i, told;

	for (i = 0; i < ARRAY_SIZE(clones); i++) {
		struct tlbbatch_hook hook = { .name = "cloned", .lost = "all", .look = &look_set,
			.targets = (const struct tlbbatch_target[]) {
				{ .function = { "fn_other", "int(int)" } }, { } } };
		struct tlbbatch_redirects redirects = { .hooks = &hook, .nr = 1 };
		struct tlbbatch_entry entry = { .name = "an entry", .alternatives =
			(const struct tlbbatch_watched[]) { { { "fn_other", "int(int)" }, NULL }, { } } };
		struct tlbbatch_sites sites = { };
		struct tlbbatch_watches watches = { .entries = &entry, .nr_entries = 1, .sites = &sites };

		world.clone = clones[i].name;
		world.clone_at = clones[i].at;
		snprintf(message, sizeof(message), "%s is here, and may be called instead of fn_other",
			 clones[i].name);
		told = sim_times_logged(message);
		right(tlbbatch_watches_resolve(&watches, reason, sizeof(reason)) != clones[i].refused,
		       "H2: fn_other is watched only without clones: %s", clones[i].name);
		right(sim_times_logged(message) - told == clones[i].refused,
		       "H2: the log names the clone: %s", clones[i].name);
		if (!clones[i].refused)
			continue;
		tlbbatch_redirects_resolve(&redirects, NULL, NULL);
		right(!hook.target && !strcmp(hook.reason, "fn_other is not all that callers call"),
		      "H2: fn_other isn't hooked if there is %s", clones[i].name);
	}
	world.clone = NULL;
}

static const char *refused_find(void)
{
	test_refused();
	test_cloned();
	return NULL;
}

static void test_load(void)
{
	world.found = test_resolve;
	luf.find = refused_find;
	sim_forget();
	ok_int(sim_load(), 0, "it loads");
	right(nothing_attached() && !sim_nr_registered() && !sim_breaches(),
	      "H15: after load nothing is registered, and no text is patched");
	right(sim_in_order("kprobe+kallsyms_lookup_name", "kprobe-kallsyms_lookup_name"),
	      "H15: a kprobe finds kallsyms, and is gone");
	right(sim_in_order("btf_open", "btf_close"), "BTF is closed again");
	right(!alpha.unavailable[0] && !beta.unavailable[0] && !luf.unavailable[0],
	      "H2: what only others need doesn't affect a feature");
	ok_int(tlbbatch_pass_hook.users, 0, "nobody uses the hook of passes");
}

#define HASH_BITS	5

/* How a hook and an entry are found by their ftrace sites. */
static void test_hash(void)
{
	static struct tlbbatch_ip_slot slots[1 << HASH_BITS];
	unsigned long ips[3], ip;
	unsigned int nr = 0, found = 0, i;

	for (ip = 1; nr < ARRAY_SIZE(ips); ip++)
		if (hash_long(ip, HASH_BITS) == ARRAY_SIZE(slots) - 1)
			ips[nr++] = ip;
	for (i = 0; i < nr; i++)
		tlbbatch_ip_add(slots, HASH_BITS, ips[i], &ips[i]);
	for (i = 0; i < nr; i++)
		found += tlbbatch_ip_find(slots, HASH_BITS, ips[i]) == &ips[i];
	ok_int(found, nr, "H2: functions whose place is the last one are found, all of them");
	ok(!tlbbatch_ip_find(slots, HASH_BITS, ip), "H2: and no other one is");
}

int main(void)
{
	hook_world_init();
	test_hash();
	test_load();
	return tap_done();
}
