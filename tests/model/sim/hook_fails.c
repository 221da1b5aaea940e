// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can fail while hooks are being registered, and what the log says of it:
 * rules H2, H4, H6, H7, H8 and H13. See hook_rules.c and hook_end.c.
 */
#include "hook_rules.h"
#include "hooks/hook_set.h"

/* --- rule H8: the self-test's own function -------------------------------------------------- */

/* Its site is looked up once, so this comes first. */
static void test_untraceable(void)
{
	sim_trouble.untraceable = "dummy";
	ok_int(on(&beta), -EOPNOTSUPP, "H8: the self-test's own function can't be traced");
	ok(sim_logged("the self-test's own function cannot be traced") && nothing_attached(),
	   "H8: the log says so, and nothing is attached");
	sim_trouble.untraceable = NULL;
	ok_int(sim_breaches(), 0, "H7: no filter for no function");
}

/* --- rule H7: a filter that can't be made ---------------------------------------------------- */

static void test_set_without_filter(void)
{
	sim_trouble.no_memory = 1;
	ok_int(on(&beta), -ENOMEM, "H7: no memory for the filter of the first set");
	right(!sim_nr_registered(), "H7: it isn't registered");
	ok_int(on(&beta), 0, "on");
	sim_trouble.no_memory_for = "dummy";
	ok_int(on(&alpha), -ENOMEM, "H7: no memory for the filter of the second one");
	right(sim_nr_registered() == 1 && !look_set.registered && !alpha.on, "H7: it isn't registered");
	sim_trouble.no_memory_for = NULL;
	ok_int(off(&beta), 0, "off");
	ok_int(sim_breaches(), 0, "H7: no filter was empty");
}

static void test_entries_without_filter(void)
{
	static const char *const names[] = { "fn_entry", "fn_entry2" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		sim_trouble.no_memory_for = names[i];
		ok_int(on(&luf), -ENOMEM, "H2: an entry can't be watched for want of memory");
		right(!luf.on && sim_did("stop") && sim_did("tp-one") && !sim_did("register:fn_entry") &&
		      !sim_is_patched((unsigned long)fn_whole),
		      "H7: %s: what can't be watched whole isn't watched, and all is undone", names[i]);
		sim_trouble.no_memory_for = NULL;
	}
	ok_int(sim_breaches(), 0, "H7: no filter was empty");
}

static void test_refused(void)
{
	tlbbatch_hooks_unregister();
	ok_int(sim_nr_filters(), 0, "no ops has a filter");
	sim_trouble.switched_off = true;
	ok_int(on(&beta), -EBUSY, "H6: ftrace is switched off");
	sim_trouble.switched_off = false;
	ok_int(sim_nr_filters(), 0, "H7: a set that ftrace refuses keeps no filter");
}

static void test_freed_last(void)
{
	static struct ftrace_ops ops = { .func = see_other, .flags = FTRACE_OPS_FL_PERMANENT };
	bool attached;

	ftrace_set_filter_ip(&ops, sim_site((unsigned long)fn_other), 0, 0);
	sim_forget();
	sim_trouble.switched_off = true;
	ok_int(tlbbatch_ops_register(&ops, 0, &attached), -EBUSY, "an ops is refused");
	sim_trouble.switched_off = false;
	right(sim_in_order("rcu", "filter_freed") && sim_in_order("rcu_tasks", "filter_freed"),
	      "H7: who may look at its filter is waited for before that is freed");
}

/* --- rule H8: what was never proven -------------------------------------------------------------- */

static void test_unproven(void)
{
	unsigned int i;

	sim_trouble.never = true;
	sim_trouble.refuses = -ENODEV;
	for (i = 0; i < 2; i++) {
		ok_int(on(&beta), -EIO, "H8: the self-test fails");
		right(!sim_did("+fn_pass"), i ? "H8: a set that ftrace kept then is tested again" :
						"H8: nothing is hooked");
		sim_trouble.refuses = 0;
	}
	sim_trouble.never = false;
	ok_int(sim_nr_registered(), 0, "H8: ftrace lets go: nothing stays registered");
}

/* --- rules H2 and H4: what others see, and what the log says ------------------------------------- */

static bool on_early;

static void look_whether_on(void)
{
	on_early |= alpha.on;
	sim_int3_passes();
}

static void test_on_late(void)
{
	/* The self-tests are over by then. */
	ok(!on(&alpha) && !off(&alpha), "on and off");
	sim_others = look_whether_on;
	sim_trouble.int3 = 3;
	ok_int(on(&alpha), 0, "on");
	sim_others = NULL;
	sim_trouble.int3 = 0;
	ok(!on_early && alpha.on, "H2: a feature reads as on when all its hooks are there");
	ok_int(off(&alpha), 0, "off");
}

static void test_held_whole(void)
{
	sim_trouble.held = "fn_whole";
	ok_int(on(&luf), -EBUSY, "H4: somebody else redirects a function");
	sim_trouble.held = NULL;
	right(sim_logged("fn_whole may be held by another user"), "H4: the log names it");
}

/* --- rule H13: what an unload waits for ----------------------------------------------------------- */

static unsigned int slept;

static void recover(void)
{
	if (++slept == 2)
		sim_trouble.refuses = 0;
}

static void leave(void)
{
}

static void test_unload(void)
{
	ok_int(on(&beta), 0, "on");
	ok_int(off(&beta), 0, "off");
	sim_trouble.refuses = -ENODEV;
	sim_rcu_tasks_ms = 6000;
	sim_others = recover;
	sim_forget();
	tlbbatch_hooks_retire(leave);
	sim_others = NULL;
	sim_rcu_tasks_ms = 0;
	ok(sim_logged("unload waits for ftrace and RCU-tasks"), "H13: the log says that ftrace is waited for");
	ok(sim_logged("unload waits for RCU-tasks"), "H13: and then RCU-tasks alone");
	ok_int(sim_nr_registered() + sim_nr_filters(), 0, "nothing is left");
}

int main(void)
{
	hook_world_init();
	ok_int(sim_load(), 0, "it loads");
	test_untraceable();
	test_set_without_filter();
	test_entries_without_filter();
	test_refused();
	test_freed_last();
	test_unproven();
	test_on_late();
	test_held_whole();
	test_unload();
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
