// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do hooks keep their rules? The module's own files attach and detach them to functions of this
 * program, whose text a small ftrace patches: see ftrace.c and hook_world.c. Trouble that a
 * guest hardly ever has can be made here: no memory, a trampoline, text that isn't patched.
 */
#include "hook_rules.h"

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
	ok_int(fn_b(5), 5, "so does another one's");
	ok_int(world.passed, 5, "B15: what a hook lets go by it has seen, with its argument");
	world.acts = true;
	ok_int(fn_a(1), 1 + ADDS, "where it acts its replacement does");
	ok_int(fn_b(2), 2 + ADDS, "so does another one's");
	ok_int(world.ran[A] - before, 2, "H10: an original is entered once for each call");
	ok_int(world.passed, 5, "B15: it sees none of those that it redirects");
	ok(!world.acts_raced, "H13: acts() is asked with preemption off, and so is passes()");
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
		sim_trouble.no_memory_for = names[i];
		ok_int(on(&alpha), -ENOMEM, "H2: no memory for a function in the filter: ENOMEM");
		sim_trouble.no_memory_for = NULL;
		right(sim_logged(names[i]) && nothing_attached() && !alpha.on,
		      "H2: %s: the log names it, and nothing is attached", names[i]);
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
	sim_trouble.int3 = 150;
	ok_int(on(&alpha), 0, "H2: text that is being changed is waited for, for most of a second");
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
static void test_filter_fails(void)
{
	struct tlbbatch_hook two[] = { luf_hooks[0], alpha_hooks[0] };
	struct tlbbatch_redirects redirects = { .hooks = two, .nr = 2, .whole = true };

	sim_trouble.no_memory = 1;
	ok_int(tlbbatch_redirects_attach(&redirects), -ENOMEM, "H2: no memory for the first of two");
	right(nothing_attached() && !redirects.registered, "H2: then neither is attached");
	if (redirects.registered)
		tlbbatch_redirects_detach(&redirects);
}

static void test_shared(void)
{
	sim_patch((unsigned long)fn_pass, false);
	ok_int(on(&beta), -EIO, "H2: the text of a hook that another feature has isn't patched any more");
	sim_patch((unsigned long)fn_pass, true);
	ok(tlbbatch_pass_hook.users == 1 && tlbbatch_pass_hook.attached,
	   "H2: it isn't one feature more that uses it, and it stays attached");
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

static bool hooked_early;

static int look_fails(void)
{
	hooked_early |= sim_is_patched((unsigned long)fn_pass);
	/* There is no memory to clear the first filter that is to be cleared. */
	sim_trouble.no_memory = 1;
	return -EIO;
}

/* Two sets are needed, and the second one fails its test. */
static void test_second_set(void)
{
	int (*selftest)(void) = look_set.selftest;

	tlbbatch_hooks_unregister();
	look_set.selftest = look_fails;
	ok_int(on(&alpha), -EIO, "H8: the second set fails its test");
	ok_int(sim_nr_registered(), 0, "H8: then the first one doesn't stay registered, either");
	/* A hook stays in the first one's filter. */
	alpha_hooks[2].unneeded = true;
	ok_int(on(&alpha), 0, "on, without the second set");
	sim_trouble.no_memory = 5;
	ok_int(off(&alpha), -ENOMEM, "a hook stays");
	alpha_hooks[2].unneeded = false;
	ok_int(on(&alpha), -EIO, "both sets go, and a filter couldn't be cleared");
	hooked_early = false;
	ok_int(on(&alpha), -EIO, "once more");
	ok(!hooked_early, "H8: what was left in a filter isn't hooked before the tests");
	sim_trouble.no_memory = 0;
	look_set.selftest = selftest;
	ok_int(sim_breaches(), 0, "no breach");
}

/* ftrace dies while it begins to use the ops, and keeps it: so must this module. */
static void test_dies(void)
{
	tlbbatch_hooks_unregister();
	sim_trouble.dies = sim_trouble.refuses = -ENODEV;
	ok_int(on(&alpha), -ENODEV, "ftrace dies while a set is registered");
	ok(tlbbatch_sets_registered(), "H13: then the set counts as registered");
	ok_int(sim_breaches(), 0, "and its filter isn't cleared");
	sim_trouble.dies = sim_trouble.refuses = 0;
	ok_int(tlbbatch_hooks_unregister(), 0, "H13: whoever tries again may succeed");
	ok(!tlbbatch_sets_registered(), "the set goes");
}

/* ftrace dies when it takes what is registered whole, and doesn't let go of it then. */
static void test_dies_whole(void)
{
	sim_trouble.dies = sim_trouble.refuses = -ENODEV;
	ok_int(on(&luf), -ENODEV, "ftrace dies half-way");
	right(luf.on && luf.stuck == -ENODEV && !sim_did("stop") && sim_module_refs == 1,
	      "H13: what it may still call isn't freed");
	sim_trouble.dies = sim_trouble.refuses = 0;
	right(!off(&luf) && sim_did("stop") && !sim_module_refs, "it is well again: all goes");
	ok_int(on(&luf), 0, "luf is on");
	sim_trouble.keeps = "fn_whole";
	ok_int(off(&luf), -ENODEV, "ftrace doesn't let go of its redirects alone");
	right(luf.stuck == -ENODEV && !sim_did("stop") && !sim_did("tp-one") &&
	      sim_is_patched((unsigned long)fn_entry), "H13: then nothing is detached that they work with");
	sim_trouble.keeps = NULL;
	ok_int(off(&luf), 0, "off");
	ok_int(sim_nr_filters(), 0, "H14: no filter stays");
	ok_int(sim_breaches(), 0, "nothing was used behind its end");
}

/* Rule H3: unload needs no memory, since it unregisters what it couldn't detach. */
static void test_retire_no_memory(void)
{
	unsigned long before;

	ok_int(on(&beta), 0, "beta is on");
	sim_trouble.no_memory = 1000;
	before = jiffies;
	tlbbatch_feature_retire(&beta);
	ok(jiffies - before < 5 * HZ, "H3: unload doesn't wait for memory");
	sim_trouble.no_memory = 0;
	ok_int(off(&beta), 0, "the hook goes");
}

/* Rule H3: each attempt to detach may meet memory that somebody has freed meanwhile. */
static void test_pauses(void)
{
	unsigned long before;

	ok_int(on(&alpha), 0, "on");
	sim_trouble.no_memory = 4;
	before = jiffies;
	ok_int(off(&alpha), 0, "off, at the fifth try");
	ok(jiffies - before >= 4 * msecs_to_jiffies(20), "H3: there is a pause between two tries");
}

/* Rule H8. */
static void test_selftest(void)
{
	tlbbatch_hooks_unregister();
	ok_int(sim_nr_registered(), 0, "no ops is registered");
	ok_int(sim_nr_filters(), 0, "H7: nor has any a filter");
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

/* How batching learns which functions write folios. */
static void test_target_at(void)
{
	right(tlbbatch_target_at((unsigned long)fn_a) == alpha_hooks[0].target &&
	      tlbbatch_target_at((unsigned long)fn_b) == alpha_hooks[1].target &&
	      tlbbatch_target_at((unsigned long)fn_whole) == luf_hooks[0].target,
	      "B16: each function that is redirected is known by its address");
	right(!tlbbatch_target_at((unsigned long)fn_looked) &&
	      !tlbbatch_target_at((unsigned long)fn_other) && !tlbbatch_target_at(0),
	      "B16: one that isn't is not");
	ok(hook_world_writes(), "B1: the writer of the alternative that was taken is set, and no other");
}

int main(void)
{
	hook_world_init();
	ok_int(sim_load(), 0, "it loads");
	test_target_at();
	test_filter_fails();
	test_on_off();
	test_attach_fails();
	test_shared();
	test_no_memory_to_detach();
	test_stuck_and_direct();
	test_pauses();
	test_selftest();
	test_second_set();
	test_dies();
	test_dies_whole();
	test_retire_no_memory();
	return tap_done();
}
