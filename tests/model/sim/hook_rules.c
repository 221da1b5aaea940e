// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do hooks keep their rules? The module's own files attach and detach them to functions of this
 * program, whose text a small ftrace patches: see ftrace.c and hook_world.c. Trouble that a
 * guest hardly ever has can be made here: no memory, a trampoline, text that isn't patched.
 */
#include "hook_rules.h"

/* --- what is found: rules H1, H2 and H15 ------------------------------------------------- */

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
	{ .hook = { .name = "absent", .lost = "all", .need = { .tag = "absent" },
		.targets = (const struct tlbbatch_target[]) { TRIED("fn_gone", "int(int)") { } } } },
	{ .hook = { .name = "odd", .lost = "all", .need = { .tag = "odd" },
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
	unsigned int i;
	u32 offset;

	for (i = 0; i < ARRAY_SIZE(bad_watches); i++)
		right(!tlbbatch_watches_resolve(&bad_watches[i], reason, sizeof(reason)) && reason[0],
		      "H2: what is watched with another prototype is missing: %s", reason);
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
	tlbbatch_redirects_resolve(&whole_looks, NULL, NULL);
	ok_str(looks_whole.reason, "what looks cannot be registered whole",
	       "H14: a hook that only looks isn't registered whole");
	tlbbatch_redirects_resolve(&both_bad, NULL, NULL);
	ok_str(both_bad.unavailable, "first: fn_gone not found (inlined?)",
	       "H2: of two hooks that can't be had the first one's reason is the feature's");
}

static const char *refused_find(void)
{
	test_refused();
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

/* --- on and off ---------------------------------------------------------------------------- */

static void test_on_off(void)
{
	unsigned int before = world.ran[A];

	ok_int(on(&alpha), 0, "alpha is on");
	right(sim_in_order("register:dummy", "+fn_a") && sim_times("register:dummy") == 2,
	      "H8: the dummies are registered before a function of the kernel is hooked");
	right(sim_in_order("+fn_a", "+fn_b") && sim_in_order("+fn_b", "+fn_looked") &&
	      sim_in_order("+fn_looked", "+fn_pass"), "H9: passes are hooked last");
	world.acts = false;
	ok_int(fn_a(1), 1, "where a hook doesn't act the original runs");
	world.acts = true;
	ok_int(fn_a(1), 1 + ADDS, "where it acts its replacement does");
	ok_int(fn_b(2), 2 + ADDS, "so does another one's");
	ok_int(world.ran[A] - before, 2, "H10: an original is entered once for each call");
	ok(!world.acts_raced, "H13: acts() is asked with preemption off");
	fn_looked(1);
	ok_int(world.saw[LOOKED], 1, "a hook that looks sees a call");
	ok_int(fn_pass(1), 1 + 7, "a pass begins and ends, and adds what it freed");
	ok(world.begun == 1 && world.ended == 1, "alpha acted in it");
	ok(sim_ftrace_refuses_off(), "H6: ftrace can't be switched off");
	ok_int(off(&alpha), 0, "alpha is off");
	right(sim_in_order("-fn_pass", "-fn_looked") && sim_in_order("-fn_b", "-fn_a"),
	      "H9: hooks go in reverse order, that of passes first");
	right(nothing_attached(), "H6: all sites are nops again");
	right(sim_nr_registered() == 2 && !sim_did("rcu_tasks"),
	      "H6: the ops stay registered, and nobody waits for RCU-tasks");
	ok(sim_ftrace_refuses_off(), "H6: ftrace still can't be switched off");
	ok_int(fn_pass(1), 1, "no pass begins");
	ok_int(sim_breaches(), 0, "H7: no filter was empty");
}

/* Each goes wrong in its own way, and leaves nothing behind. */
static void test_attach_fails(void)
{
	static const char *const names[] = { "fn_a", "fn_b", "fn_pass" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		sim_trouble.held = names[i];
		ok_int(on(&alpha), -EBUSY, "H4: somebody else redirects a function: EBUSY");
		right(sim_logged(names[i]) && nothing_attached() && !alpha.on,
		      "H4: %s: the log names it, and nothing is attached", names[i]);
		sim_trouble.held = NULL;
		sim_trouble.direct = names[i];
		ok_int(on(&alpha), -EBUSY, "H5: a BPF trampoline is on a function: EBUSY");
		right(sim_logged(names[i]) && nothing_attached() && !alpha.on,
		      "H5: %s: the log names it, and nothing is attached", names[i]);
		sim_trouble.direct = NULL;
		sim_trouble.direct_comes = names[i];
		ok_int(on(&alpha), -EBUSY, "H5: one that comes right before the hook: EBUSY");
		sim_trouble.direct = sim_trouble.direct_comes = NULL;
		sim_trouble.unpatched = names[i];
		ok_int(on(&alpha), -EIO, "H2: text isn't patched: EIO");
		sim_trouble.unpatched = NULL;
		right(nothing_attached() && !alpha.on, "H2: %s: nothing is attached", names[i]);
	}
	ok_int(tlbbatch_pass_hook.users + alpha_hooks[0].users, 0, "H2: no use is counted");
	sim_trouble.direct = "fn_looked";
	ok_int(on(&alpha), 0, "H5: a trampoline shares what is only looked at");
	ok_int(off(&alpha), 0, "off");
	sim_trouble.direct = NULL;
	sim_trouble.no_memory = 1;
	ok_int(on(&beta), -ENOMEM, "no memory to attach: ENOMEM");
	right(nothing_attached() && !beta.on && sim_did("stop_beta"), "nothing is attached");

	sim_others = sim_int3_passes;
	sim_trouble.int3 = 3;
	ok_int(on(&alpha), 0, "text that is being changed is waited for");
	ok_int(off(&alpha), 0, "off");
	sim_others = NULL;
	sim_trouble.int3 = 1;
	ok_int(on(&alpha), -EIO, "H2: an int3 that stays isn't a hook");
	sim_trouble.int3 = 0;
	ok_int(off(&alpha), 0, "off");
	ok_int(sim_breaches(), 0, "H7: no filter was empty");
	ok_int(on(&alpha), 0, "on after all that");
}

/* Two features act in passes. @alpha is on. */
static void test_shared(void)
{
	sim_trouble.direct = "fn_pass";
	ok_int(on(&beta), 0, "H5: a trampoline that came later shares the function");
	sim_trouble.direct = NULL;
	ok_int(tlbbatch_pass_hook.users, 2, "two features use the hook of passes");
	ok_int(off(&alpha), 0, "one is off");
	right(sim_is_patched((unsigned long)fn_pass) && !sim_is_patched((unsigned long)fn_a),
	      "H3: a hook stays for as long as a feature acts in it");
	sim_trouble.held = "fn_a";
	ok_int(on(&alpha), -EBUSY, "it can't be on again");
	sim_trouble.held = NULL;
	right(sim_is_patched((unsigned long)fn_pass), "H2: what others use isn't undone");
	ok_int(off(&beta), 0, "the other one is off, too");
	right(sim_in_order("-fn_pass", "rcu") && sim_in_order("rcu_tasks", "stop_beta") &&
	      sim_in_order("rcu", "stop_beta"), "H13: who frees something waits before");
	right(nothing_attached(), "H3: a hook goes with the last feature");
	ok_int(off(&beta), 0, "off once more");
	right(!sim_did("stop_beta"), "H3: what is off isn't ended again");
}

/* Rule H3. */
static void test_no_memory_to_detach(void)
{
	unsigned int ran;

	ok_int(on(&alpha), 0, "on");
	sim_trouble.no_memory = 4;
	ok_int(off(&alpha), 0, "H3: it is tried five times");
	ok_int(on(&alpha), 0, "on");
	sim_trouble.no_memory = 5;
	ok_int(off(&alpha), -ENOMEM, "H3: there is no memory to detach one");
	right(sim_logged("pass stays attached"), "H3: the log names it");
	ok(!alpha.on, "H3: the feature is off");
	right(sim_is_patched((unsigned long)fn_pass) && !sim_is_patched((unsigned long)fn_a) &&
	      !sim_is_patched((unsigned long)fn_b), "H3: one hook stays, the others go");
	ran = world.begun;
	fn_pass(1);
	ok_int(world.begun - ran, 0, "H3: it does nothing");
	ok_int(off(&alpha), 0, "H3: a later write removes it");
	right(nothing_attached(), "H3: nothing is attached then");
	ok_int(tlbbatch_pass_hook.users, 0, "H3: no use was counted off twice");
	sim_trouble.no_memory = 0;
}

/* Rules H3 and H5: a hook stays attached, and a trampoline comes, or was there first. */
static void test_stuck_and_direct(void)
{
	ok_int(on(&alpha), 0, "on");
	sim_trouble.no_memory = 5;
	ok_int(off(&alpha), -ENOMEM, "one hook stays");
	sim_trouble.direct = "fn_pass";
	ok_int(on(&alpha), 0, "H5: a trampoline that came later shares its function");
	ok_int(off(&alpha), 0, "off");
	/* All four hooks are tried, and then that of passes again, five times each. */
	sim_trouble.no_memory_then = 25;
	ok_int(on(&alpha), -EBUSY, "H5: one that is there first is a reason to refuse");
	right(sim_is_patched((unsigned long)fn_pass) && !sim_is_patched((unsigned long)fn_a),
	      "H3: the hook stays for want of memory");
	ok_int(on(&alpha), -EBUSY, "H5: it is a reason the next time, too");
	sim_trouble.direct = NULL;
	ok_int(on(&alpha), 0, "H5: until it has gone");
	ok_int(off(&alpha), 0, "off");
	right(nothing_attached(), "nothing is attached");
}

/* Rule H8. */
static void test_selftest(void)
{
	tlbbatch_hooks_unregister();
	ok_int(sim_nr_registered(), 0, "no ops is registered");
	/* As on a kernel without what it looks at. */
	alpha_hooks[2].unneeded = true;
	ok_int(on(&alpha), 0, "on");
	ok_int(sim_nr_registered(), 1, "H8: a set of which this kernel needs no hook isn't registered");
	ok_int(off(&alpha), 0, "off");
	tlbbatch_hooks_unregister();
	alpha_hooks[2].unneeded = false;
	sim_trouble.never = true;
	ok_int(on(&alpha), -EIO, "H8: hooks that redirect nothing are noticed");
	right(sim_logged("self-test failed") && !sim_did("+fn_a") && !sim_nr_registered(),
	      "H8: before a function of the kernel is hooked");
	sim_trouble.never = false;
	sim_trouble.always = true;
	/* Nothing of beta's only looks, so that no other self-test fails. */
	ok_int(on(&beta), -EIO, "H8: hooks that act for any caller are noticed");
	right(!sim_did("+fn_pass") && !sim_nr_registered(), "H8: nothing stays registered");
	sim_trouble.always = false;
	sim_trouble.switched_off = true;
	ok_int(on(&alpha), -EBUSY, "H6: ftrace is switched off: EBUSY");
	right(sim_logged("ftrace refuses"), "H6: the log says so");
	ok_int(on(&luf), -EBUSY, "H6: luf: the same");
	right(world.stopped && sim_did("tp-one"), "H2: what was made before is undone");
	ok_int(on(&beta), -EBUSY, "H6: beta, of which nothing only looks: the same");
	sim_trouble.switched_off = false;
	ok_int(on(&beta), 0, "on");
	ok(sim_ftrace_refuses_off(), "H6: ftrace can't be switched off, either");
	sim_trouble.unpatched = "dummy";
	ok_int(on(&alpha), -EIO, "H8: hooks that look and see nothing are noticed");
	right(sim_nr_registered() == 1 && sim_is_patched((unsigned long)fn_pass) &&
	      tlbbatch_pass_hook.attached && !look_set.registered,
	      "H2: what one other feature has in use stays registered");
	sim_trouble.unpatched = NULL;
	ok_int(off(&beta), 0, "off");
	ok_int(on(&alpha), 0, "on");
	ok_int(off(&alpha), 0, "off");
	ok_int(sim_breaches(), 0, "H7: no filter was empty");
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
	test_on_off();
	test_attach_fails();
	test_shared();
	test_no_memory_to_detach();
	test_stuck_and_direct();
	test_selftest();
	return tap_done();
}
