// SPDX-License-Identifier: GPL-2.0-only
/* The knobs of batching (knobs.c), and its end: rules H9 and H13. Alpha's hooks are its own. */
#include "hook_rules.h"
#include "batch/batch_policy.h"
#include "batch/knobs.h"

static unsigned int begun_with, rearmed;
static bool trips, tripped;

struct tlbbatch_pass_part tlbbatch_batch_part = { .size = 8 };
struct tlbbatch_redirects tlbbatch_batch_redirects = { .hooks = alpha_hooks, .nr = 2 };
static struct tlbbatch_sites no_sites;
struct tlbbatch_watches tlbbatch_batch_watches = { .sites = &no_sites };

const char *tlbbatch_batch_find(void)
{
	return NULL;
}

void tlbbatch_batch_begin(struct tlbbatch_pass *pass, unsigned int batch_size)
{
	begun_with = batch_size;
}

bool tlbbatch_batch_end(struct tlbbatch_pass *pass)
{
	tripped |= trips;
	return !trips;
}

void tlbbatch_batch_flush(struct tlbbatch_pass *pass)
{
}

bool tlbbatch_batch_tripped(void)
{
	return tripped;
}

void tlbbatch_batch_rearm(void)
{
	tripped = false;
	rearmed++;
}

static unsigned int slept;
static bool gone_early, unserialised;

static void others(void)
{
	gone_early |= !sim_is_patched((unsigned long)fn_a);
	unserialised |= slept < 3 && !sim_mutexes_held();
	if (++slept == 3) {
		sim_note("pass_ends");
		close_pass(&reclaimer);
	}
}

static void others_for_long(void)
{
	jiffies += msecs_to_jiffies(3000);
	others();
}

static void others_and_kill(void)
{
	admin.killed = true;
	others();
}

static void open_for_others(void)
{
	if (!open_pass(&reclaimer))
		sim_breach("a pass wasn't admitted");
	sim_others = others;
	slept = 0;
	sim_forget();
}

static void test_knobs(void)
{
	ok_int(tlbbatch_knob_set_enabled(1), 0, "batching is on");
	ok_int(tlbbatch_knob_set_batch_size(TLBBATCH_BATCH_MAX + 1), -ERANGE, "too large a batch");
	fn_pass(1);
	ok_int(begun_with, TLBBATCH_BATCH_DEFAULT, "a pass has the batch that it had");
	open_for_others();
	ok_int(tlbbatch_knob_set_batch_size(8), 0, "a smaller batch");
	ok_int(slept, 3, "when it is set no pass has another size");
	fn_pass(1);
	ok_int(begun_with, 8, "a pass begins with it");
	open_for_others();
	sim_others = others_for_long;
	ok(!tlbbatch_knob_set_batch_size(8) && sim_logged("batch_size waits for reclaimer/11"),
	   "H9: the log names who is waited for, and what waits");
	open_for_others();
	ok(!tlbbatch_knob_set_batch_size(8) && slept == 3,
	   "B18: who writes the same size again waits as well");

	open_for_others();
	sim_others = others_and_kill;
	ok_int(tlbbatch_knob_set_batch_size(16), 0, "a writer is killed while he waits");
	ok_int(slept, 1, "H9: then he waits no longer");
	admin.killed = false;
	close_pass(&reclaimer);
	admin.killed = true;
	ok_int(tlbbatch_knob_set_batch_size(32), -EINTR, "H9: who is killed before that is told so");
	admin.killed = false;
	fn_pass(1);
	ok_int(begun_with, 16, "then the size is what it was");

	open_for_others();
	admin.killed = true;
	ok_int(tlbbatch_knob_set_enabled(0), -EINTR, "a writer who is killed doesn't wait");
	ok(!slept && tlbbatch_knob_enabled(), "then batching is on");
	admin.killed = false;
	ok_int(tlbbatch_knob_set_enabled(0), 0, "a later write of 0 waits");
	ok(slept == 3 && !gone_early && nothing_attached(), "H9: and then hooks go");
}

static int set_enabled(const char *text)
{
	return sim_ops_enabled->set(text, &sim_param_enabled);
}

static int set_batch_size(const char *text)
{
	return sim_ops_batch_size->set(text, &sim_param_batch_size);
}

/* Batching is off, and nothing was said of it when the module was loaded. */
static void test_parameters(void)
{
	unsigned int size = tlbbatch_knob_batch_size();
	char text[80];

	ok(!tlbbatch_knobs_init() && !tlbbatch_knob_enabled(), "H2: without parameters it stays off");
	ok(set_enabled("2") == -ERANGE && set_enabled("") == -EINVAL, "enabled is 0 or 1");
	ok(set_batch_size("0") == -ERANGE && set_batch_size("513") == -ERANGE &&
	   tlbbatch_knob_batch_size() == size, "batch_size is refused as it is in sysfs");
	ok(!set_batch_size("512") && tlbbatch_knob_batch_size() == 512, "it is the same value");
	snprintf(text, sizeof(text), "%u to %u (default %u): ", TLBBATCH_BATCH_MIN, TLBBATCH_BATCH_MAX,
		 TLBBATCH_BATCH_DEFAULT);
	ok(strstr(sim_says_of_batch_size, text), "modinfo says what it may be: %s", text);
	ok(strstr(sim_says_of_enabled, "0 or 1 (default 0): "), "so it does of enabled");
	ok(!set_enabled("1"), "enabled=1");
	sim_forget();
	sim_trouble.no_memory = 1000;
	ok(!tlbbatch_knobs_init() && sim_logged("enabled=1 could not be applied"),
	   "H2: it can't be had: the module is loaded all the same, and says so");
	sim_trouble.no_memory = 0;
	ok(!tlbbatch_knob_enabled() && nothing_attached(), "H2: it reads 0 then");
	ok(!tlbbatch_knobs_init() && tlbbatch_knob_enabled(), "else it is on");
	ok_int(tlbbatch_knob_set_enabled(0), 0, "off");
}

/* As a feature is switched that has no mutex of its own. */
static void test_switch(void)
{
	admin.killed = true;
	ok_int(tlbbatch_feature_switch(&alpha, true), -EINTR, "H9: who is killed before that is told so");
	ok(!tlbbatch_knob_enabled() && nothing_attached(), "H9: then it is off");
	admin.killed = false;
	ok_int(tlbbatch_feature_switch(&alpha, true), 0, "on");
	open_for_others();
	sim_others = others_and_kill;
	ok_int(tlbbatch_feature_switch(&alpha, false), -EINTR,
	       "H9: a writer is killed while he waits for passes: he is told so");
	ok(slept == 1 && tlbbatch_knob_enabled(), "H9: he waits no longer, and it is on");
	admin.killed = false;
	sim_others = NULL;
	close_pass(&reclaimer);
	begun_with = 0;
	fn_pass(1);
	ok(!begun_with, "H9: no pass that begins is batched any more");
	ok_int(tlbbatch_feature_switch(&alpha, true), 0, "H9: it is switched on again");
	fn_pass(1);
	ok(begun_with, "H9: then passes are batched");
	ok_int(tlbbatch_feature_switch(&alpha, false), 0, "later it is switched off");
}

static unsigned int rearmed_at_unlock;

static void look_at_unlock(void)
{
	rearmed_at_unlock = rearmed;
}

/* Rule B4. */
static void test_tripped(void)
{
	ok_int(tlbbatch_knob_set_enabled(1), 0, "on");
	trips = true;
	sim_work = NULL;
	fn_pass(1);
	trips = false;
	ok(sim_work && !open_pass(&reclaimer), "B4: no pass is batched when one went wrong");
	sim_at_unlock = look_at_unlock;
	sim_work->func(sim_work);
	ok(!tlbbatch_knob_enabled() && rearmed == 1 && nothing_attached(), "B4: the worker detaches");
	ok_int(rearmed_at_unlock, 1, "B4: it rearms before somebody else can switch batching on");
	sim_work = NULL;
}

/* Somebody is killed who would have switched it off, and on again. */
static void test_tripped_killed(void)
{
	unsigned int before = rearmed;

	ok_int(tlbbatch_knob_set_enabled(1), 0, "on");
	open_for_others();
	trips = true;
	fn_pass(1);
	trips = false;
	admin.killed = false;
	sim_others = others_and_kill;
	ok_int(tlbbatch_knob_set_enabled(1), -EINTR, "B4: who is killed while he waits for passes is told so");
	ok(rearmed == before && slept == 1, "B4: the tripwire isn't armed while such a pass is open");
	admin.killed = false;
	sim_others = others;
	slept = 1;
	sim_work->func(sim_work);
	ok(rearmed == before + 1 && slept == 3 && !tlbbatch_knob_enabled(), "B4: the worker waits for it");
	sim_others = NULL;
	sim_work = NULL;
}

/* There is no memory to change a filter. */
static void test_tripped_no_memory(void)
{
	ok_int(tlbbatch_knob_set_enabled(1), 0, "on");
	trips = true;
	fn_pass(1);
	trips = false;
	sim_trouble.no_memory = 1000;
	ok_int(tlbbatch_knob_set_enabled(0), -ENOMEM, "B4: no memory: who switches off is told so");
	sim_trouble.no_memory = 0;
	ok(!tlbbatch_batch_tripped(), "B4: no pass is batched any more: the tripwire is armed");
	ok(!tlbbatch_knob_set_enabled(0) && nothing_attached(), "B4: later the rest is detached");
	sim_work = NULL;
}

/* A fatal signal waits for rmmod: the unload goes on all the same. */
static void test_unload(void)
{
	ok_int(tlbbatch_knob_set_enabled(1), 0, "on");
	open_for_others();
	gone_early = false;
	admin.killed = true;
	sim_unload();
	right(!unserialised, "H13: who waits for passes has the mutex of the knobs");
	right(slept == 3 && !gone_early, "H9: who unloads waits for passes, even if he is killed");
	right(sim_in_order("pass_ends", "-fn_pass") && sim_in_order("-fn_pass", "unregister:dummy"),
	      "H13: batching is off before its hooks are retired");
	ok(!tlbbatch_knob_enabled() && !open_pass(&reclaimer), "H13: and no pass begins");
	right(nothing_attached() && !sim_nr_registered() && !sim_allocated(), "nothing is left");
	admin.killed = false;
	sim_others = NULL;
}

int main(void)
{
	hook_world_init();
	ok_int(sim_load(), 0, "it loads");
	test_knobs();
	test_parameters();
	test_switch();
	test_tripped();
	test_tripped_killed();
	test_tripped_no_memory();
	test_unload();
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
