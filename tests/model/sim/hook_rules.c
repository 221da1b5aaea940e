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

int main(void)
{
	hook_world_init();
	ok_int(sim_load(), 0, "it loads");
	test_filter_fails();
	test_on_off();
	test_attach_fails();
	test_shared();
	test_no_memory_to_detach();
	test_stuck_and_direct();
	test_selftest();
	return tap_done();
}
