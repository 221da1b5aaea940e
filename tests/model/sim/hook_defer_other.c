// SPDX-License-Identifier: GPL-2.0-only
/*
 * Putting flushes off while another CPU is in the middle of something, and goes on later: who waits for
 * it, and for how long. Rules D3, D4, D7 and H13.
 */
#include <ucontext.h>
#include "defer_world.h"
#include "defer_happens.h"

/* The other CPU has a stack, a task and a number of its own. */
#define OTHER_CPU	3

static ucontext_t mine, others;
static struct cpu {
	struct task_struct *task;
	unsigned int cpu, preempt_off, no_preempt;
} here, there;
static bool paused;
static unsigned int waits, pauses;

static struct cpu cpu_now(void)
{
	return (struct cpu){ current, sim_cpu, sim_preempt_off, sim_no_preempt };
}

static void cpu_is(const struct cpu *cpu)
{
	current = cpu->task;
	sim_cpu = cpu->cpu;
	sim_preempt_off = cpu->preempt_off;
	sim_no_preempt = cpu->no_preempt;
}

/* The other CPU is in the middle of something, until somebody waits for it @pauses times. */
static void pauses_here(void)
{
	unsigned int i;

	for (i = 0; i < pauses; i++) {
		there = cpu_now();
		paused = true;
		if (swapcontext(&others, &mine))
			abort();
		cpu_is(&there);
	}
	paused = false;
}

static void goes_on(void)
{
	here = cpu_now();
	if (swapcontext(&mine, &others))
		abort();
	cpu_is(&here);
}

static void (*acts)(void);

static void other_acts(void)
{
	there = (struct cpu){ &admin, OTHER_CPU };
	cpu_is(&there);
	acts();
}

/* The other CPU does that, as far as it comes. */
static void begins(void (*does)(void))
{
	static char stack[1 << 18];

	acts = does;
	getcontext(&others);
	others.uc_stack.ss_sp = stack;
	others.uc_stack.ss_size = sizeof(stack);
	others.uc_link = &mine;
	makecontext(&others, other_acts, 0);
	goes_on();
}

static void (*at_wait)(void);

void sim_relax(void)
{
	waits++;
	if (paused)
		goes_on();
	else
		sim_breach("somebody waits for nobody");
	if (!paused)
		happens(&at_wait);
}

static void works(void)
{
	ms_pass(200);
}

static void runs_out(void)
{
	unsigned long freed = 0;

	sim_oom->notifier_call(sim_oom, 0, &freed);
}

/* A flush of the other CPU's is under way. */
static void flush_begins(void)
{
	pass();
	at_flush = pauses_here;
	begins(works);
	waits = 0;
}

/* The other CPU begins another flush as soon as the first is complete. */
static void again(void)
{
	at_flush = pauses_here;
	begins(runs_out);
}

static void again_at_lock(void)
{
	sim_at_lock = again;
}

static void test_flushes(void)
{
	static void (*const happen[])(void) = { opens, cuts, copies, guards, runs_out, isolates };
	unsigned int i, several;

	for (several = 1; several <= 5; several += 4)
		for (i = 0; i < ARRAY_SIZE(happen); i++) {
			anew();
			pauses = several;
			flush_begins();
			pass();
			happen[i]();
			ok(waits == several && none_stale() && owed_flushes == 2,
			   "D3: event %u waits for a flush in %u steps, and flushes what came since", i, several);
			ok(settles(), "D4: all are freed, once");
		}
	anew();
	pauses = 1;
	flush_begins();
	pass();
	at_wait = again_at_lock;
	opens();
	ok(waits == 2 && none_stale() && owed_flushes == 2,
	   "D3: an event waits for a second flush, too, which took along what came since");
	ok(settles(), "D4: all are freed, once");
	anew();
	flush_begins();
	sim_at_refs = opens;
	ok(pass() == 0 && none_stale() && owed_flushes == 2,
	   "D3: a pass that is met at the last moment waits for a flush, and flushes what it owes");
	ok(settles(), "D4: all are freed, once");
}

/* The other CPU is inside MADV_GUARD_INSTALL, asleep. */
static void task_wakes(void)
{
	if (paused)
		goes_on();
}

static void test_guard(void)
{
	anew();
	pauses = 3;
	at_guard = pauses_here;
	begins(guards);
	ok(paused, "a task is asleep while it makes guards");
	sim_others = task_wakes;
	ok_int(off(&tlbbatch_defer), 0, "off");
	sim_others = NULL;
	ok(!paused, "H13: off has waited for that task");
	ok_int(on(&tlbbatch_defer), 0, "on");
}

int main(void)
{
	defer_world_init();
	anew();
	ok_int(sim_load(), 0, "it loads");
	ok_int(on(&tlbbatch_defer), 0, "on");
	test_flushes();
	test_guard();
	ok_int(off(&tlbbatch_defer), 0, "off");
	sim_unload();
	return hook_world_done();
}
