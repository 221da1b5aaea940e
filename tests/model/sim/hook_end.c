// SPDX-License-Identifier: GPL-2.0-only
/* What must be over before hooks, what they use, and the module may go: rules H9, H13 and H14. */
#include "hook_rules.h"

/* --- a feature that is registered whole ------------------------------------------------- */

static void whole_on(void)
{
	ok_int(on(&luf), 0, "luf is on");
	right(sim_in_order("tp+two", "register:fn_whole") &&
	      sim_in_order("register:fn_whole", "register:fn_entry"),
	      "L18: entries are watched last");
	right(sim_in_order("start", "tp+one"), "it is made before it is attached");
	right(sim_in_order("register:fn_whole", "rcu_tasks"),
	      "a task that is in a function unseen is waited for");
	ok_int(fn_whole(1), 1 + ADDS, "its replacement runs");
	fn_entry(3);
	ok_int(world.saw[ENTRY], 3, "it sees an entry, and the argument");
	world.saw[ENTRY] = 0;
}

static void whole_off(const char *when)
{
	sim_trouble.no_memory = 1000000;
	world.inside = 1;
	right(!off(&luf), "H14: %s: off needs no memory", when);
	right(sim_trouble.no_memory == 1000000, "H14: %s: no filter is changed", when);
	sim_trouble.no_memory = 0;
	right(nothing_attached() && !sim_did("-fn_whole"), "%s: nothing is attached", when);
	right(sim_in_order("close", "unregister:fn_whole"), "L18: %s: it closes first", when);
	right(sim_in_order("unregister:fn_whole", "drain") && sim_in_order("rcu_tasks", "stop"),
	      "H13: %s: tasks in its replacements are waited for when none can enter", when);
	right(strstr(strstr(sim_noted(), " unregister:fn_whole ") ?: "", " rcu_tasks ") <
	      strstr(sim_noted(), " drain "),
	      "H13: %s: those on their way are waited for before those inside", when);
	right(sim_in_order("drain", "unregister:fn_entry") &&
	      sim_in_order("unregister:fn_entry", "rcu") && sim_in_order("rcu", "tp-one") &&
	      sim_in_order("drain", "rcu"), "H13: %s: RCU, and RCU-tasks, when all is detached", when);
	right(strstr(sim_noted(), " rcu ") && strstr(strstr(sim_noted(), " rcu "), " rcu_tasks "),
	      "H13: %s: RCU-tasks comes behind RCU", when);
	right(sim_times("tp-one") == 1 && sim_times("tp-two") == 1 && sim_in_order("tp-two", "tp_sync") &&
	      sim_in_order("tp-one", "tp_sync") && sim_in_order("tp_sync", "stop"),
	      "H13: %s: who is in a probe is waited for before anything is freed", when);
	ok_int(sim_breaches(), 0, "H13: nothing was used behind its end");
}

static void test_whole(void)
{
	whole_on();
	whole_off("preemptible");
	sim_preemption = false;
	whole_on();
	whole_off("not preemptible");
	sim_preemption = true;

	sim_trouble.held = "fn_whole";
	ok_int(on(&luf), -EBUSY, "H4: somebody else has its function");
	right(sim_logged("luf fails") && nothing_attached() && sim_did("tp-one") && sim_did("stop") &&
	      !sim_did("register:fn_entry"), "H2: what was attached is detached");
	sim_trouble.held = NULL;
	sim_trouble.no_point = "two";
	ok_int(on(&luf), -ENOMEM, "no memory for a probe");
	right(sim_times("tp-one") == 1 && !sim_did("tp-two") && sim_in_order("tp_sync", "stop"),
	      "H2: only what was attached is detached");
	sim_trouble.no_point = NULL;
	sim_trouble.no_memory = 1;
	ok_int(on(&luf), -ENOMEM, "no memory for a filter");
	right(nothing_attached() && sim_did("stop"), "H2: nothing is attached");
	world.fails_to_start = -ENOMEM;
	ok_int(on(&luf), -ENOMEM, "it can't be made");
	right(!sim_did("tp+one") && !sim_did("stop"), "then nothing is attached");
	world.fails_to_start = 0;
	world.unfit = "too warm";
	ok_int(on(&luf), -EOPNOTSUPP, "L19: the machine isn't fit");
	right(sim_logged("luf refused: too warm") && !sim_did("start"), "L19: the log says why");
	world.unfit = NULL;
	ok_int(sim_breaches(), 0, "no breach");
}

static struct ftrace_ops an_ops;

/* hook_ops.c by itself. */
static void test_ops(void)
{
	bool attached = true;

	an_ops.func = see_other;
	an_ops.flags = FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_IPMODIFY;
	an_ops.private = &attached;
	ftrace_set_filter_ip(&an_ops, sim_site((unsigned long)fn_other), 0, 0);
	sim_forget();
	sim_trouble.switched_off = true;
	ok_int(tlbbatch_ops_register(&an_ops, 0, &attached), -EBUSY, "an ops is refused");
	right(!attached && !an_ops.nr && sim_did("rcu") && sim_did("rcu_tasks"),
	      "H7: who may look at its filter is waited for before that is freed");
	sim_trouble.switched_off = false;
	ok(an_ops.func == see_other && an_ops.private == &attached &&
	   an_ops.flags == (FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_IPMODIFY),
	   "H6: it keeps its flags, its callback and its data");
	ftrace_set_filter_ip(&an_ops, sim_site((unsigned long)fn_other), 0, 0);
	sim_trouble.dies = -ENODEV;
	ok_int(tlbbatch_ops_register(&an_ops, 0, &attached), -ENODEV, "ftrace dies half-way");
	sim_trouble.dies = 0;
	ok(attached && an_ops.nr == 1, "H13: it may still call the ops");
	fn_other(1);
	ok_int(world.saw[OTHER], 1, "and does");
	sim_trouble.refuses = -ENODEV;
	ok_int(tlbbatch_ops_unregister(&an_ops, &attached), -ENODEV, "it doesn't let go");
	ok(attached && an_ops.nr == 1, "H13: then nothing is freed");
	sim_trouble.refuses = 0;
	ok_int(tlbbatch_ops_unregister(&an_ops, &attached), 0, "it lets go");
	ok(!attached && !an_ops.nr, "then all is free");
	ok_int(tlbbatch_ops_unregister(&an_ops, &attached), 0, "nothing is left to do");
	ok_int(sim_breaches(), 0, "H7: unregistered before its filter is freed");
}

static struct tlbbatch_hook not_needed[] = { { .name = "none", .unneeded = true } };
static struct tlbbatch_redirects empty = { .hooks = not_needed, .nr = 1, .whole = true };
static struct tlbbatch_sites no_sites;
static struct tlbbatch_watches no_watches = { .sites = &no_sites };
static struct tlbbatch_redirects both = { .hooks = luf_hooks, .nr = 1, .whole = true,
	.shared = { &tlbbatch_pass_hook }, .nr_shared = 1 };

static void test_corners(void)
{
	unsigned int before = sim_nr_registered();

	ok_int(tlbbatch_redirects_attach(&empty), 0, "no hook is needed");
	ok_int(tlbbatch_entries_attach(&no_watches), 0, "no entry is found");
	ok_int(sim_nr_registered(), before, "H7: what has no function isn't registered");
	ok_int(tlbbatch_redirects_detach(&empty), 0, "nothing to detach");
	ok_int(sim_breaches(), 0, "H7: no filter was empty");
	sim_trouble.held = "fn_pass";
	ok_int(tlbbatch_redirects_attach(alpha.redirects), -EBUSY, "the last hook can't be attached");
	right(nothing_attached() && !alpha_hooks[0].users, "H2: the engine undoes the others itself");
	sim_trouble.held = NULL;
	ok_int(tlbbatch_redirects_attach(&both), 0, "some hooks are registered whole, one isn't");
	sim_trouble.no_memory = 1000;
	ok_int(tlbbatch_redirects_detach(&both), -ENOMEM, "one stays for want of memory");
	right(!both.registered && !sim_is_patched((unsigned long)fn_whole),
	      "H14: what is registered whole goes all the same");
	sim_trouble.no_memory = 0;
	ok_int(tlbbatch_redirects_detach(&both), 0, "and then the other one");
	right(nothing_attached(), "nothing is attached");
	ok(luf.watches->ops.flags & FTRACE_OPS_FL_PERMANENT, "H6: what only watches is permanent, too");
}

/* --- ftrace that doesn't let go ------------------------------------------- */

static void test_stuck(void)
{
	ok_int(on(&luf), 0, "luf is on");
	sim_trouble.refuses = -ENODEV;
	ok_int(off(&luf), -ENODEV, "ftrace doesn't let go");
	right(luf.on && luf.stuck == -ENODEV && !sim_did("stop") && !sim_did("tp-one"),
	      "H13: nothing that ftrace may reach is freed");
	ok_int(sim_module_refs, 1, "H13: the module stays");
	ok_int(off(&luf), -ENODEV, "again");
	ok_int(sim_module_refs, 1, "it is held once");
	ok_int(on(&luf), -ENODEV, "it can't be on");
	fn_entry(1);
	sim_trouble.refuses = 0;
	ok_int(off(&luf), 0, "ftrace is well again");
	right(sim_did("stop") && nothing_attached() && !luf.on, "all is detached");
	ok_int(sim_module_refs, 0, "the module may go");
	ok_int(on(&luf), 0, "luf is on");
	sim_trouble.keeps = "fn_entry";
	ok_int(off(&luf), -ENODEV, "ftrace doesn't let go of its entries alone");
	right(luf.on && luf.stuck == -ENODEV && !sim_did("stop") && !sim_did("tp-one") &&
	      sim_module_refs == 1, "H13: then nothing is freed, either");
	fn_entry(1);
	sim_trouble.keeps = NULL;
	right(!off(&luf) && !sim_module_refs, "then the module may go");
	ok_int(sim_breaches(), 0, "nothing was used behind its end");
}

/* --- passes: rules H9 and H13 ---------------------------------------------------------------- */

static unsigned int slept;
static bool gone_early, admitted;

/* What others do while somebody waits for the pass of @reclaimer. */
static void others(void)
{
	slept++;
	gone_early |= !sim_is_patched((unsigned long)fn_a) || !sim_is_patched((unsigned long)fn_pass);
	if (!admitted)
		admitted = open_pass(&other_reclaimer);
	else if (slept == 4)
		close_pass(&other_reclaimer);
	if (slept == 3)
		close_pass(&reclaimer);
}

/* The pass ends, and the same task begins another one in the same slot. */
static void others_turn_over(void)
{
	slept++;
	close_pass(&reclaimer);
	if (slept == 1 && !open_pass(&reclaimer))
		sim_breach("a pass wasn't admitted");
}

static struct task_struct *in_turn[2];

/* Two passes end, that in the first slot first. */
static void others_end_both(void)
{
	if (++slept == 2 || slept == 4) {
		close_pass(in_turn[slept / 2 - 1]);
		in_turn[slept / 2 - 1] = NULL;
	}
}

static void others_kill(void)
{
	if (++slept == 2)
		admin.killed = true;
}

static void test_passes(void)
{
	struct tlbbatch_pass *pass;

	ok(!open_pass(&reclaimer), "H3: while nothing acts no pass begins, whoever calls");
	sim_trouble.held = "fn_a";
	ok_int(on(&alpha), -EBUSY, "it can't be on");
	sim_trouble.held = NULL;
	ok(!open_pass(&reclaimer), "H9: no pass begins before all is attached");

	ok_int(on(&alpha), 0, "alpha is on");
	pass = open_pass(&reclaimer);
	ok(pass && pass->depth == 1 && pass->parts, "a pass is open");
	sim_others = others;
	slept = 0;
	ok_int(off(&alpha), 0, "off waits for it");
	ok_int(slept, 3, "H9: until it has ended");
	ok(!gone_early, "H9: no hook goes before");
	ok(!admitted, "H9: no pass begins meanwhile");

	ok_int(on(&alpha), 0, "on");
	in_turn[1] = &other_reclaimer;
	in_turn[0] = open_pass(&reclaimer)->slot < open_pass(&other_reclaimer)->slot ? &reclaimer :
									     in_turn[1];
	if (in_turn[0] == in_turn[1])
		in_turn[1] = &reclaimer;
	sim_others = others_end_both;
	slept = 0;
	ok_int(off(&alpha), 0, "off waits for two");
	ok(slept == 4 && !in_turn[1], "H9: until each has ended");
	ok_int(on(&alpha), 0, "on");
	ok_int(on(&beta), 0, "and so is beta");
	open_pass(&reclaimer);
	sim_others = others_turn_over;
	slept = 0;
	ok_int(off(&alpha), 0, "H9: a later pass of the same task isn't waited for");
	ok_int(slept, 1, "one turn");
	ok_int(on(&alpha), 0, "on");
	admin.killed = false;
	sim_others = others_kill;
	slept = 0;
	ok_int(tlbbatch_feature_off(&alpha, true), -EINTR, "who is killed waits no longer");
	admin.killed = false;
	right(alpha.on && sim_is_patched((unsigned long)fn_a) && sim_is_patched((unsigned long)fn_pass),
	      "H9: then all hooks stay");
	sim_others = others_turn_over;
	slept = 5;
	ok_int(off(&alpha), 0, "off");
	ok_int(off(&beta), 0, "off");
	sim_others = NULL;

	/* A task_struct that is used again. */
	ok_int(on(&alpha), 0, "on");
	pass = open_pass(&reclaimer);
	reclaimer.start_boottime++;
	ok(pass && open_pass(&reclaimer) != pass, "H13: a dead task's pass isn't another one's");
	close_pass(&reclaimer);
	reclaimer.start_boottime--;
	open_pass(&reclaimer);
	ok_int(pass->depth, 2, "a pass nested in another is counted");
	close_pass(&reclaimer);
	ok(tlbbatch_passes.owners[pass->slot] == &reclaimer, "its end isn't that of the outer one");
	close_pass(&reclaimer);
	ok(!tlbbatch_passes.owners[pass->slot], "H13: the end of that one frees the slot");
	ok_int(sim_breaches(), 0, "no breach");
}

/* --- unload -------------------------------------------------------------------------------------- */

static struct task_struct *late;

static void others_end_late(void)
{
	slept++;
	if (late && slept == 4) {
		sim_note("late_pass_ends");
		close_pass(late);
		late = NULL;
	}
}

static void recover(void)
{
	if (++slept == 2)
		sim_trouble.refuses = 0;
}

/* The features are off, and a task sleeps in a replacement all the same. */
static void leave(void)
{
	sim_note("leave");
	right(!sim_nr_registered(), "H13: nobody can enter a replacement then");
	tlbbatch_passes_wait_turnover("unload", false);
}

static void test_retire(void)
{
	struct tlbbatch_pass *pass;

	pass = open_pass(&reclaimer);
	late = &reclaimer;
	ok(!!pass, "a pass is open");
	tlbbatch_pass_leave(alpha.pass);
	sim_others = others_end_late;
	slept = 0;
	sim_forget();
	sim_preemption = false;
	tlbbatch_hooks_retire(leave);
	right(sim_in_order("unregister:dummy", "leave") && sim_in_order("late_pass_ends", "complete"),
	      "H13: ops are unregistered first, and then passes are waited for");
	right(strstr(strstr(sim_noted(), " unregister:") ?: "", " rcu_tasks ") &&
	      strstr(strstr(sim_noted(), " unregister:"), " rcu_tasks ") < strstr(sim_noted(), " leave "),
	      "H13: not preemptible: RCU-tasks before it looks who is inside");
	right(strstr(strstr(sim_noted(), " late_pass_ends ") ?: "", " rcu_tasks "),
	      "H13: RCU-tasks once more when the last one has left");
	right(sim_in_order("complete", "flush_work"), "H13: the worker has left, too");
	right(sim_logged("unload waits for reclaim passes, 10 s"), "H13: and why");
	sim_preemption = true;
	sim_others = NULL;
	right(nothing_attached() && !alpha_hooks[0].attached && !tlbbatch_pass_hook.attached,
	      "a hook isn't thought to be attached any more");
	ok_int(off(&alpha), 0, "off");
	ok_int(sim_breaches(), 0, "no breach");
}

static void test_unload(void)
{
	ok_int(on(&alpha), 0, "alpha is on");
	ok_int(on(&beta), 0, "beta is on");
	ok_int(on(&luf), 0, "luf is on");
	open_pass(&reclaimer);
	late = &reclaimer;
	slept = 0;
	sim_others = others_end_late;
	sim_forget();
	sim_unload();
	right(sim_in_order("sysfs_exit", "unload:alpha") && sim_in_order("unload:alpha", "unload:luf"),
	      "sysfs goes first, and luf last");
	right(sim_in_order("late_pass_ends", "-fn_a") && sim_in_order("late_pass_ends", "-fn_pass"),
	      "H9: hooks go when passes have ended");
	right(nothing_attached() && !sim_nr_registered(), "nothing is left");
	right(sim_in_order("complete", "free"), "H13: what passes use is freed last");
	ok(!sim_ftrace_refuses_off(), "H6: ftrace can be switched off again");
	ok_int(sim_allocated(), 0, "nothing stays allocated");
	ok_int(sim_breaches(), 0, "no breach");
}

static void test_entries(void)
{
	unsigned int i;

	for (i = 0; i < 100 && tlbbatch_entry_to((unsigned long)fn_a); i++)
		;
	ok(i < 100, "H10: there are no more entries than there are");
}

/* At unload ftrace doesn't let go at first. */
static void test_retire_stuck(void)
{
	ok_int(on(&luf), 0, "luf is on");
	sim_trouble.refuses = -ENODEV;
	sim_others = recover;
	slept = 0;
	sim_forget();
	tlbbatch_feature_retire(&luf);
	right(slept >= 2 && sim_did("stop") && nothing_attached(),
	      "H13: unload never forces, and never gives up");
	sim_trouble.refuses = 0;
	sim_others = NULL;
	ok_int(sim_breaches(), 0, "no breach");
}

/* At unload ftrace doesn't let go of a set at first. No hook that looks is registered. */
static void test_retire_refused(void)
{
	ok_int(on(&beta), 0, "beta is on");
	ok_int(off(&beta), 0, "and off");
	ok_int(sim_nr_registered(), 1, "its set stays registered, and no other one is");
	sim_trouble.refuses = -ENODEV;
	ok_int(tlbbatch_hooks_unregister(), -ENODEV,
	       "H13: that ftrace keeps one set is told, whatever becomes of the next one");
	sim_others = recover;
	slept = 0;
	sim_forget();
	/* leave() looks whether nothing is registered then. */
	tlbbatch_hooks_retire(leave);
	ok_int(slept, 2, "H13: a set that ftrace keeps is tried again until it lets go");
	sim_trouble.refuses = 0;
	sim_others = NULL;
	ok_int(sim_nr_registered(), 0, "then none is registered");
	ok_int(sim_breaches(), 0, "no breach");
}

int main(void)
{
	hook_world_init();
	ok_int(sim_load(), 0, "it loads");
	test_whole();
	test_ops();
	test_corners();
	test_stuck();
	test_retire_stuck();
	test_passes();
	test_retire();
	test_retire_refused();
	test_unload();
	test_entries();
	return tap_done();
}
