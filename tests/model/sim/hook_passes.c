// SPDX-License-Identifier: GPL-2.0-only
/* The table of passes, where two CPUs meet: rule H9. And what the log says of a long pass. */
#include "hook_rules.h"

static unsigned int slot, ended;

static void alpha_leaves(void)
{
	tlbbatch_pass_leave(alpha.pass);
}

/* The slot is free: another task claims it, and somebody waits for that one's pass. */
static void another_claims(void)
{
	if (tlbbatch_passes.owners[slot])
		sim_breach("another CPU finds the slot taken");
	tlbbatch_passes.owners[slot] = &other_reclaimer;
	ended = tlbbatch_pass_at(slot)->ended;
}

static bool no_owner(void)
{
	unsigned int i;

	for (i = 0; i < tlbbatch_nr_passes(); i++)
		if (tlbbatch_passes.owners[i])
			return false;
	return true;
}

static void test_races(void)
{
	ok_int(on(&alpha), 0, "alpha is on");
	sim_at_cmpxchg = alpha_leaves;
	ok(!open_pass(&reclaimer) && !sim_at_cmpxchg,
	   "H9: the pass of a task that claims a slot while alpha leaves isn't alpha's");
	ok(no_owner(), "its slot is free again");
	ok_int(on(&alpha), 0, "alpha acts again");
	ok_int(on(&beta), 0, "so does beta");
	sim_at_cmpxchg = alpha_leaves;
	ok_int(open_pass(&reclaimer)->parts, BIT(beta.pass->bit), "H9: such a pass is beta's alone");
	slot = open_pass(&reclaimer)->slot;
	close_pass(&reclaimer);

	sim_at_release = another_claims;
	close_pass(&reclaimer);
	ok(!sim_at_release && tlbbatch_pass_at(slot)->ended == ended,
	   "H9: a pass is counted as over before another one can have its slot");
	tlbbatch_passes.owners[slot] = NULL;
	ok_int(off(&alpha), 0, "off");
	ok_int(off(&beta), 0, "off");
	ok_int(sim_breaches(), 0, "no breach");
}

#define LONG_MS		16000

static unsigned long until;

static void others_end_later(void)
{
	if (jiffies >= until)
		close_pass(&reclaimer);
}

static void test_long_pass(void)
{
	ok_int(on(&alpha), 0, "alpha is on");
	ok(!!open_pass(&reclaimer), "a pass is open");
	until = jiffies + msecs_to_jiffies(LONG_MS);
	sim_others = others_end_later;
	ok_int(off(&alpha), 0, "off waits for it");
	sim_others = NULL;
	ok(sim_logged("alpha waits for reclaimer/11, in reclaim, for 5000 ms"),
	   "H9: the log names who is waited for");
	ok_int(sim_times_logged("waits for"), LONG_MS / 5000, "H9: every five seconds, no more often");
	ok_int(sim_breaches(), 0, "no breach");
}

int main(void)
{
	hook_world_init();
	ok_int(sim_load(), 0, "it loads");
	test_races();
	test_long_pass();
	sim_unload();
	ok_int(sim_nr_registered() + sim_allocated() + sim_breaches(), 0, "nothing is left");
	return tap_done();
}
