// SPDX-License-Identifier: GPL-2.0-only
/*
 * What others do right before a lock is taken, and while somebody waits for it (rule L15), and
 * tables on a machine whose CPUs' numbers have gaps (rules L4, L5 and L14).
 */
#include "luf_world.h"
#include "luf/luf_coverage.h"
#include "luf/luf_pass.h"
#include "luf/luf_pending.h"
#include "luf/luf_size.h"

/* --- rule L15: a slot that two want ------------------------------------------------------- */

#define TASKS	3000
static struct task_struct tasks[TASKS];
static struct pass *held;

static void lets_go(void)
{
	held->lock.held = false;
	sim_spinlocks_held--;
}

/* Somebody looks whether the reclaimer's slot can be had: until the next one waits for it. */
static void hold_slot(void)
{
	current = &reclaimer;
	held = tlbbatch_luf_get_pass();
	if (!held)
		abort();
	sim_at_wait = lets_go;
}

static void begin_a(void)
{
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
}

static void exits(struct task_struct *task)
{
	struct task_struct *me = current;

	current = task;
	task->flags |= PF_EXITING;
	CALL("exit_files", task, 0, 0);
	task->flags &= ~(unsigned int)PF_EXITING;
	current = me;
}

static void test_waits(void)
{
	anew();
	begin_a();
	hold_slot();
	unmap(NULL, 110, 1, ON(0) | ON(1));
	flush_a();
	want("L15: an unmap is seen though somebody holds the slot: L3: its flush isn't read-only",
	     "flushes_mixed=1");
	ok(!sim_at_wait, "he was waited for");
	anew();
	begin_a();
	hold_slot();
	exits(&reclaimer);
	ok(!sim_at_wait && !held->task, "L15: who exits waits for his slot, and gives it back");
	current = &admin;
}

/* Each slot is a task's that reclaims, or did. */
static void fill(unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++) {
		tasks[i] = (struct task_struct){ .start_boottime = 100 + i, .flags = PF_MEMALLOC };
		current = &tasks[i];
		pass_begin();
	}
	for (i = 0; i < TASKS; i++)
		tasks[i].flags = flags;
	current = &admin;
}

static void all_reclaim_again(void)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++)
		tasks[i].flags = PF_MEMALLOC;
}

static void test_asked_locked(void)
{
	s64 before;

	anew();
	fill(0);
	before = stat_of("passes_unseen");
	current = &reclaimer;
	sim_at_lock = all_reclaim_again;
	pass_begin();
	current = &admin;
	ok_int(stat_of("passes_unseen") - before, 1,
	       "L15: whether a slot can be had is asked under its lock");
}

static struct task_struct *newcomer;

/* The newcomer takes over the slot of a task that is about to lock it. */
static void takes_over(void)
{
	struct task_struct *me = current;

	current = newcomer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(1));
	current = me;
}

/* A task whose slot the newcomer can have; the others' can't be had. */
static struct task_struct *find_neighbour(void)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++) {
		bool could;

		if (!has_slot(&tasks[i]))
			continue;
		tasks[i].flags = 0;
		current = newcomer;
		pass_begin();
		could = has_slot(newcomer);
		exits(newcomer);
		current = &tasks[i];
		tasks[i].flags = PF_MEMALLOC;
		pass_begin();
		current = &admin;
		if (could && has_slot(&tasks[i]))
			return &tasks[i];
	}
	abort();
}

static void test_taken_over(void)
{
	struct task_struct *old;

	anew();
	fill(PF_MEMALLOC);
	newcomer = &reclaimer;
	old = find_neighbour();
	forget();
	old->flags = 0;
	sim_at_lock = takes_over;
	exits(old);
	ok(!sim_at_lock && has_slot(newcomer), "L15: who exits leaves a slot alone that another task has");
	flush_a();
	want("L15: whose pass goes on", OPENED "flushes=1");
}

/* --- tables, if there are fewer CPUs than numbers --------------------------------------------- */

static void test_gaps(void)
{
	bool good = true;

	track(false);
	sim_possible_cpus = 64;
	anew();
	current = &reclaimer;
	pass_begin();
	unmap(&file_a, 100, 4, ON(0) | ON(70));
	unmap(NULL, 110, 1, ON(0) | ON(70));
	flush_a();
	forget();
	generation(&file_a, 100, 4, ON(70));
	mm_flush(&mm_a, 70, 70);
	want("L5: a CPU whose number is above that of all CPUs", "generation=1 saved=1 ipis_avoided=1 "
	     "open_as_posted=1");
	generation(&file_a, 200, 4, ON(0) | ON(70));
	current = &reclaimer;
	pass_begin();
	unmap(NULL, 210, 1, ON(0) | ON(70));
	flush_a();
	want("L4: a mixed flush completes there as well", "generation=1 saved=1 ipis_avoided=1 "
	     "saved_as_posted=2 ipis_avoided_as_posted=2 open_as_posted=-1");
	for (sim_cpu = 0; sim_cpu < SIM_CPUS; sim_cpu++)
		good &= tlbbatch_luf_my_shard() < tlbbatch_luf_nr_shards() &&
			tlbbatch_luf_my_table() < TLBBATCH_LUF_TABLES_MAX;
	sim_cpu = 0;
	ok(good, "L14: each CPU has a part and a table that there are");
	track(false);
	sim_possible_cpus = SIM_CPUS;
	ok_int(sim_breaches(), 0, "nothing was written beside a table");
}

static void test_size(void)
{
	track(true);
	ok_int(sim_allocated_bytes(), (long)tlbbatch_luf_bytes(SIM_FRAMES, SIM_CPUS),
	       "L14: tracking takes as much memory as its document says");
	track(false);
}

/* --- what two CPUs do at once ------------------------------------------------------------ */

static u64 raced;

static void cover_1(void)
{
	tlbbatch_luf_cover(1, TLBBATCH_LUF_IDEAL, raced);
}

/* A CPU's coverage is noted by two at once: the greater one stays, whoever comes first. */
static void test_raced_coverage(void)
{
	u64 number;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		anew();
		number = tlbbatch_luf_youngest();
		generation(&file_a, 100, 1, ON(1));
		generation(&file_b, 200, 1, ON(1));
		raced = number + 2 - i;
		sim_at_cmpxchg = cover_1;
		tlbbatch_luf_cover(1, TLBBATCH_LUF_IDEAL, number + 1 + i);
		ok(!sim_at_cmpxchg, "L5: another CPU notes its coverage right before");
		want("L5: of two who note coverage at once the younger number stays",
		     "generation=2 saved=2 ipis_avoided=2 open_as_posted=2");
	}
	anew();
}

/* Reclaim works on the same list. */
static void test_settles_contended(void)
{
	anew();
	generation(&file_b, 300, 1, ON(2));
	generation(&file_a, 100, 1, ON(1));
	alloc(100, 0);
	sim_locks_taken = 100;
	tlbbatch_luf_settle();
	ok(!sim_locks_taken && !tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL),
	   "L9: a reader who finds a list's lock taken tries again");
	sim_locks_taken = 0;
	anew();
}

static unsigned int preemption_at_look;

static void note_preemption(void)
{
	preemption_at_look = sim_no_preempt;
}

static void test_preemption(void)
{
	anew();
	generation(&file_a, 100, 1, ON(1));
	mm_flush(&mm_a, 1, 1);
	sim_at_look = note_preemption;
	tlbbatch_luf_settle();
	ok(preemption_at_look == 1 && !sim_no_preempt,
	   "L16: who looks at a generation isn't preempted, and can be afterwards");
	anew();
}

int main(void)
{
	world_init();
	if (!ok(!track(true), "tracking begins"))
		return tap_done();
	test_waits();
	test_asked_locked();
	test_taken_over();
	test_gaps();
	test_size();
	track(true);
	test_raced_coverage();
	test_settles_contended();
	test_preemption();
	track(false);
	ok_int(sim_breaches(), 0, "no breach");
	return tap_done();
}
