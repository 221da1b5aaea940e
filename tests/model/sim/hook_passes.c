// SPDX-License-Identifier: GPL-2.0-only
/* The table of passes, where two CPUs meet: rule H9. And what the log says of a long pass. */
#include "hook_rules.h"
#include "pass/pass_calls.h"

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
	struct tlbbatch_pass *pass;

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
	close_pass(&reclaimer);
	sim_at_cmpxchg = another_claims;
	pass = open_pass(&reclaimer);
	ok(pass && pass->slot != slot && tlbbatch_passes.owners[slot] == &other_reclaimer,
	   "B19: a task that finds a slot taken at the last moment has another one");
	close_pass(&reclaimer);
	tlbbatch_passes.owners[slot] = NULL;
	if (open_pass(&reclaimer)->slot != slot)
		abort();

	sim_at_release = another_claims;
	close_pass(&reclaimer);
	ok(!sim_at_release && tlbbatch_pass_at(slot)->ended == ended,
	   "H9: a pass is counted as over before another one can have its slot");
	tlbbatch_passes.owners[slot] = NULL;
	ok_int(off(&alpha), 0, "off");
	ok_int(off(&beta), 0, "off");
	ok_int(sim_breaches(), 0, "no breach");
}

static void beta_joins(void)
{
	tlbbatch_pass_join(beta.pass);
}

/* The features that act in a pass that begins now. */
static unsigned long acting_now(void)
{
	struct tlbbatch_pass *pass = open_pass(&reclaimer);
	unsigned long parts = pass ? pass->parts : 0;

	if (pass)
		close_pass(&reclaimer);
	return parts;
}

/* Alpha goes by its own mutex, the tripwire by none: two CPUs change who acts at once. */
static void test_join_and_leave(void)
{
	tlbbatch_pass_join(alpha.pass);
	sim_at_bit = alpha_leaves;
	tlbbatch_pass_join(beta.pass);
	ok_int(acting_now(), BIT(beta.pass->bit), "H9: alpha leaves while beta joins: it stays away");
	tlbbatch_pass_leave(beta.pass);
	tlbbatch_pass_join(alpha.pass);
	sim_at_bit = beta_joins;
	tlbbatch_pass_leave(alpha.pass);
	ok_int(acting_now(), BIT(beta.pass->bit), "H9: beta joins while alpha leaves: it acts");
	tlbbatch_pass_leave(beta.pass);
	sim_at_bit = NULL;
}

#define CROWD	4096

static struct task_struct crowd[CROWD];
static unsigned int slept;

/* All passes end but the one in the last slot, which ends later. */
static void others_end_but_one(void)
{
	unsigned int last = tlbbatch_nr_passes() - 1, i;

	slept++;
	for (i = 0; i < last; i++)
		if (tlbbatch_passes.owners[i])
			close_pass(tlbbatch_passes.owners[i]);
	if (slept == 3)
		close_pass(tlbbatch_passes.owners[last]);
}

static void test_last_slot(void)
{
	unsigned int i;

	ok_int(on(&alpha), 0, "alpha is on");
	for (i = 0; i < CROWD; i++) {
		crowd[i] = (struct task_struct){ .pid = 100 + i, .start_boottime = 100 };
		open_pass(&crowd[i]);
	}
	ok(!!tlbbatch_passes.owners[tlbbatch_nr_passes() - 1], "the last slot has a pass");
	sim_others = others_end_but_one;
	slept = 0;
	ok_int(off(&alpha), 0, "off waits for all of them");
	sim_others = NULL;
	ok_int(slept, 3, "H9: the pass in the last slot is waited for, too");
	ok(no_owner(), "no pass is open");
	ok_int(sim_breaches(), 0, "no breach");
}

#define LONG_MS		16000

#define HORDE		16384

/* Tasks whose first slot is the last one. As many find one as each looks at. */
static void test_probes(void)
{
	static struct task_struct horde[HORDE];
	unsigned int last = tlbbatch_nr_passes() - 1, found = 0, wrong = 0, i;

	ok_int(on(&alpha), 0, "alpha is on");
	for (i = 0; i < HORDE && found <= 8; i++) {
		struct tlbbatch_pass *pass;

		if (hash_ptr(&horde[i], ilog2(last + 1)) != last)
			continue;
		horde[i] = (struct task_struct){ .pid = 100 + i, .start_boottime = 100 };
		pass = open_pass(&horde[i]);
		/* The last one, and from the first one on. */
		wrong += found < 8 ? !pass || pass->slot != (found + last) % (last + 1) : !!pass;
		found++;
	}
	ok(found == 9 && !wrong, "B19: a task looks at eight slots, and behind the last one at the first");
	for (i = 0; i <= last; i++)
		if (tlbbatch_passes.owners[i])
			close_pass(tlbbatch_passes.owners[i]);
	ok_int(off(&alpha), 0, "off");
}

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
	ok_int(on(&alpha), 0, "alpha is on");
	ok(!!open_pass(&reclaimer), "a pass is open");
	until = jiffies + msecs_to_jiffies(5000);
	sim_others = others_end_later;
	ok_int(off(&alpha), 0, "off waits for it");
	sim_others = NULL;
	ok(!sim_logged("waits for"), "H9: nobody is named whose pass has just ended");
}

static struct task_struct *first, *second;
static unsigned int slots[2];

/* The later slot's pass lasts for six seconds more. */
static void two_end_later(void)
{
	if (jiffies >= until && tlbbatch_passes.owners[slots[0]])
		close_pass(first);
	if (jiffies >= until + msecs_to_jiffies(6000))
		close_pass(second);
}

static void test_two_long(void)
{
	ok_int(on(&alpha), 0, "alpha is on");
	slots[0] = open_pass(&reclaimer)->slot;
	slots[1] = open_pass(&other_reclaimer)->slot;
	first = slots[0] < slots[1] ? &reclaimer : &other_reclaimer;
	second = slots[0] < slots[1] ? &other_reclaimer : &reclaimer;
	slots[0] = min(slots[0], slots[1]);
	until = jiffies + msecs_to_jiffies(LONG_MS);
	sim_others = two_end_later;
	ok_int(off(&alpha), 0, "off waits for both");
	sim_others = NULL;
	ok(sim_logged(first->comm) && sim_logged(second->comm),
	   "H9: the log names the one that is waited for next after five seconds, too");
}

/* Another task's pass begins in the slot as soon as it is free. */
static void another_frees(void)
{
	tlbbatch_pass_at(slot)->nr_reclaimed = 77;
}

static const struct {
	unsigned int cpus, slots;
} sizes[] = { { 1, 32 }, { 4, 32 }, { 5, 64 }, { 64, 512 }, { 4096, 1024 } };

/* While no feature acts. */
static void test_sizes(void)
{
	unsigned int cpus = sim_possible_cpus, i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		tlbbatch_passes_exit();
		sim_possible_cpus = sizes[i].cpus;
		if (tlbbatch_passes_init())
			abort();
		right(tlbbatch_nr_passes() == sizes[i].slots, "B19: %u passes at once on %u CPUs",
		      sizes[i].slots, sizes[i].cpus);
	}
	tlbbatch_passes_exit();
	sim_possible_cpus = cpus;
	if (tlbbatch_passes_init())
		abort();
}

static void test_result(void)
{
	struct tlbbatch_pass *pass;

	ok_int(on(&alpha), 0, "alpha is on");
	pass = open_pass(&reclaimer);
	slot = pass->slot;
	current = &reclaimer;
	/* As the pass before it in this slot. */
	pass->puts_off = true;
	tlbbatch_pass_begin(NULL, NULL, NULL);
	ok(!pass->puts_off, "A4: a pass says anew whether flushes are put off in it");
	pass->nr_reclaimed = 3;
	sim_at_release = another_frees;
	ok_int(tlbbatch_pass_end(pass, 10), 20, "B13: a pass's result is its own");
	current = &admin;
	ok_int(off(&alpha), 0, "off");
}

static struct tlbbatch_pass_part third = { .size = 12 }, fourth = { .size = 8 };
static bool is_whole;

static void third_begins(struct tlbbatch_pass *pass)
{
	memset(tlbbatch_pass_memory(pass, &third), 3, third.size);
	sim_note("third_begins");
}

static void fourth_begins(struct tlbbatch_pass *pass)
{
	memset(tlbbatch_pass_memory(pass, &fourth), 4, fourth.size);
	sim_note("fourth_begins");
}

static bool has_all(struct tlbbatch_pass *pass, const struct tlbbatch_pass_part *part, char value)
{
	const char *memory = tlbbatch_pass_memory(pass, part);
	size_t i;

	for (i = 0; i < part->size; i++)
		if (memory[i] != value)
			return false;
	return !((uintptr_t)memory % sizeof(u64));
}

static void third_ends(struct tlbbatch_pass *pass)
{
	is_whole &= has_all(pass, &third, 3);
	sim_note("third_ends");
}

static void fourth_ends(struct tlbbatch_pass *pass)
{
	is_whole = has_all(pass, &fourth, 4);
	sim_note("fourth_ends");
}

/* As many features as can act in passes. */
static void test_four(void)
{
	tlbbatch_passes_exit();
	tlbbatch_passes_add(&third);
	tlbbatch_passes_add(&fourth);
	if (tlbbatch_passes_init())
		abort();
	tlbbatch_pass_calls(&third, third_begins, third_ends);
	tlbbatch_pass_calls(&fourth, fourth_begins, fourth_ends);
	sim_forget();
	ok_int(on(&alpha), 0, "alpha is on");
	ok_int(on(&beta), 0, "so is beta");
	tlbbatch_pass_join(&third);
	tlbbatch_pass_join(&fourth);
	fn_pass(1);
	ok(sim_in_order("third_begins", "fourth_begins") && sim_in_order("fourth_begins", "fourth_ends") &&
	   sim_in_order("fourth_ends", "third_ends"),
	   "B13: a pass begins and ends for each of four features, and ends in reverse");
	ok(is_whole, "B13: each has memory of its own");
	tlbbatch_pass_leave(&third);
	tlbbatch_pass_leave(&fourth);
	ok_int(off(&alpha), 0, "off");
	ok_int(off(&beta), 0, "off");
}

int main(void)
{
	hook_world_init();
	ok_int(sim_load(), 0, "it loads");
	test_races();
	test_last_slot();
	test_long_pass();
	test_two_long();
	test_result();
	test_sizes();
	test_join_and_leave();
	test_probes();
	test_four();
	sim_unload();
	return hook_world_done();
}
