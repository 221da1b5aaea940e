// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is registered whole beside hooks in a set, what is waited for though nothing is freed, and
 * unload in trouble: rules H9 and H13. See hook_end.c.
 */
#include "hook_rules.h"

/* --- some hooks are registered whole, and one isn't ----------------------------------------- */

static struct tlbbatch_redirects both = { .hooks = luf_hooks, .nr = 1, .whole = true,
	.shared = { &tlbbatch_pass_hook }, .nr_shared = 1 };

static int attach(void)
{
	sim_forget();
	return tlbbatch_redirects_attach(&both);
}

static int detach(void)
{
	sim_forget();
	return tlbbatch_redirects_detach(&both);
}

static void test_both(void)
{
	ok_int(attach(), 0, "both are attached");
	right(sim_in_order("register:fn_whole", "+fn_pass"), "H9: passes are hooked last");
	ok_int(detach(), 0, "and detached");
	right(sim_in_order("-fn_pass", "unregister:fn_whole"), "H9: the hook of passes goes first");
	ok_int(attach(), 0, "both are attached");
	sim_trouble.no_memory = 1000;
	sim_trouble.refuses = -ENODEV;
	ok_int(detach(), -ENODEV, "H13: that ftrace is dead is told, whatever else goes wrong");
	sim_trouble.no_memory = 0;
	sim_trouble.refuses = 0;
	ok_int(detach(), 0, "later both are detached");
	right(nothing_attached(), "nothing is attached");
	ok_int(sim_breaches(), 0, "no breach");
}

static void test_unpatched(void)
{
	sim_trouble.unpatched = "fn_whole";
	ok_int(on(&luf), -EIO, "H2: a function that ftrace didn't patch, though it took it");
	sim_trouble.unpatched = NULL;
	ok(sim_logged("fn_whole was not patched"), "H2: it is named");
	right(!luf.on && nothing_attached(), "H2: and nothing stays attached");
	ok_int(on(&luf), 0, "later it is patched");
	ok_int(off(&luf), 0, "luf is off");
	ok_int(sim_breaches(), 0, "no breach");
}

/* --- somebody changes a BPF trampoline on one of its functions: rule H5 ---------------------- */

static void test_contended(void)
{
	const unsigned int often = 1U << 20;

	sim_trouble.contended = 20;
	ok_int(on(&luf), 0, "H5: a trampoline that is being changed for a moment is waited for");
	ok_int(sim_trouble.contended, 0, "H5: it was asked again and again");
	ok_int(off(&luf), 0, "luf is off");
	sim_trouble.contended = often;
	ok_int(on(&luf), -EBUSY, "H5: one that never comes to rest");
	right(sim_logged("fn_whole may be held by another user"), "H5: the log names it");
	ok(sim_trouble.contended > often - 10000, "H5: there is an end to asking");
	sim_trouble.contended = often;
	current->killed = true;
	ok(on(&luf) < 0, "H5: who is killed meanwhile has an error");
	current->killed = false;
	ok(sim_trouble.contended >= often - 1, "H5: and doesn't wait");
	sim_trouble.contended = 0;
	right(!luf.on && nothing_attached(), "H5: nothing stays attached");
	ok_int(on(&luf), 0, "later luf is on");
	ok_int(off(&luf), 0, "and off");
	ok_int(sim_breaches(), 0, "no breach");
}

/* --- whoever is in its text is waited for, whether a feature frees anything or not ----------- */

static void frees_nothing(const char *what)
{
	ok_int(on(&luf), 0, "luf is on");
	ok_int(off(&luf), 0, "luf is off");
	right(sim_in_order("unregister:fn_entry", "rcu") &&
	      strstr(strstr(sim_noted(), " rcu ") ?: "", " rcu_tasks "),
	      "H13: %s, and frees nothing: RCU and RCU-tasks all the same", what);
}

static void test_frees_nothing(void)
{
	struct tlbbatch_redirects *redirects = luf.redirects;
	unsigned int nr = luf.watches->nr_entries;
	void (*stop)(void) = luf.stop;

	luf.stop = NULL;
	luf.redirects = NULL;
	frees_nothing("a feature that only watches entries");
	luf.redirects = redirects;
	luf.watches->nr_entries = 0;
	frees_nothing("one that is registered whole");
	luf.watches->nr_entries = nr;
	luf.stop = stop;
	ok_int(sim_breaches(), 0, "no breach");
}

/* --- unload ------------------------------------------------------------------------------------ */

static unsigned int slept;
static bool unlocked;

static void others_end_late(void)
{
	unlocked |= !sim_mutexes_held();
	if (++slept == 4)
		close_pass(&reclaimer);
}

static void test_retire_killed(void)
{
	ok_int(on(&beta), 0, "beta is on");
	ok(!!open_pass(&reclaimer), "a pass is open");
	sim_others = others_end_late;
	admin.killed = true;
	tlbbatch_feature_retire(&beta);
	admin.killed = false;
	sim_others = NULL;
	right(slept == 4 && !beta.on && nothing_attached(),
	      "H9: unload waits for passes, even if its task is killed");
	ok(!unlocked, "H13: and nobody can switch the feature meanwhile");
	ok_int(sim_breaches(), 0, "no breach");
}

static void recover(void)
{
	sim_trouble.refuses = 0;
}

static void test_retire_stuck(void)
{
	ok_int(on(&luf), 0, "luf is on");
	sim_trouble.refuses = -ENODEV;
	sim_others = recover;
	sim_module_goes = true;
	tlbbatch_feature_retire(&luf);
	sim_module_goes = false;
	sim_others = NULL;
	right(!luf.on && nothing_attached(), "ftrace lets go later");
	ok_int(sim_module_refs, 0, "H13: a module that goes isn't held, so nothing is given back");
	ok_int(sim_breaches(), 0, "no breach");
}

int main(void)
{
	hook_world_init();
	ok_int(sim_load(), 0, "it loads");
	test_both();
	test_unpatched();
	test_contended();
	test_frees_nothing();
	test_retire_killed();
	test_retire_stuck();
	sim_unload();
	return hook_world_done();
}
