// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load that fails leaves nothing behind (rule H2), and what the log says while an unload waits
 * (rule H13). A module is loaded once: each load that fails has a process of its own.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hook_rules.h"

struct outcome {
	int err;
	unsigned int allocated, breaches;
	bool told;	/* in the log: what luf lacks */
	char unavailable[TLBBATCH_REASON_LEN];
	char beta_lacks[TLBBATCH_REASON_LEN], luf_lacks[TLBBATCH_REASON_LEN];
};

static const struct outcome *load_in_child(void)
{
	static struct outcome *outcome;

	if (!outcome)
		outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*outcome = (struct outcome){ .err = -EPIPE };
	fflush(stdout);
	if (!fork()) {
		outcome->err = sim_load();
		outcome->told = sim_logged("luf lacks: two");
		outcome->allocated = sim_allocated();
		outcome->breaches = sim_breaches() + sim_nr_registered();
		/* Which begins with the name of a hook. */
		strscpy(outcome->unavailable, alpha.unavailable, sizeof(outcome->unavailable));
		strscpy(outcome->beta_lacks, beta.unavailable, sizeof(outcome->beta_lacks));
		strscpy(outcome->luf_lacks, luf.unavailable, sizeof(outcome->luf_lacks));
		_exit(0);
	}
	wait(NULL);
	return outcome;
}

static void fails(const char *what)
{
	const struct outcome *outcome = load_in_child();

	ok(outcome->err == -ENOMEM, "H2: no memory for %s: the load fails", what);
	ok(!outcome->allocated && !outcome->breaches, "H2: no memory for %s: nothing is left", what);
}

static void lacks(const char *what, const char *reason)
{
	const struct outcome *outcome = load_in_child();

	ok(!outcome->err, "H2: %s: it loads all the same", what);
	ok(strstr(outcome->unavailable, reason), "H2: %s: a feature is unavailable, and says why", what);
	ok(strstr(outcome->luf_lacks, reason), "H2: %s: so is what is registered whole", what);
}

/* What the address of the kprobe may be the address of. */
static const char *const elsewhere[] = {
	"kallsyms_lookup_size+0x4/0x40", "kallsyms_lookup+0x4/0x40",
	"kallsyms_lookup_names+0x4/0x40",
	"0xffffffff81000000",
};

static void test_load(void)
{
	unsigned int i;

	sim_fail_alloc(1);
	fails("the slots of passes");
	sim_fail_alloc(2);
	fails("their owners");
	sim_fail_alloc(0);
	world.kprobe_fails = -ENOMEM;
	fails("a kprobe");
	world.kprobe_fails = -EINVAL;
	lacks("no kprobe can be had", "kallsyms_lookup_name not found (-22)");
	world.kprobe_fails = 0;
	for (i = 0; i < ARRAY_SIZE(elsewhere); i++) {
		const char *symbol = sim_symbol;

		sim_symbol = elsewhere[i];
		lacks("the kprobe is somewhere else", "kallsyms_lookup_name not found (-2)");
		sim_symbol = symbol;
	}
	world.btf_fails = -ENOMEM;
	fails("the index of BTF");
	world.btf_fails = -EINVAL;
	lacks("BTF can't be read", "no BTF to check the kernel's functions against (-22)");
	world.btf_fails = 0;
	world.no_btf = true;
	lacks("there is no BTF", "no BTF to check the kernel's functions against (-2)");
	world.no_btf = false;
	hook_world_proto("ftrace_find_rec_direct", "int(int)");
	lacks("what the engine calls is another function", "ftrace_find_rec_direct has another prototype");
	hook_world_proto("ftrace_find_rec_direct", "unsigned long(unsigned long)");
	hook_world_proto("ftrace_find_rec_direct", NULL);
	lacks("BTF doesn't tell of what the engine calls", "ftrace_find_rec_direct: not told by BTF (-22)");
	hook_world_proto("ftrace_find_rec_direct", "unsigned long(unsigned long)");
	ok_int(load_in_child()->err, 0, "else it loads");
}

static const char *cannot_find(void)
{
	return "something";
}

/* Alpha and beta share the hook of passes. */
static void test_one_lacks(void)
{
	const char *(*find)(void) = alpha.find;
	struct tlbbatch_point *point = &luf.watches->points[1];
	const char *proto = point->proto;
	const struct outcome *outcome;

	alpha.find = cannot_find;
	outcome = load_in_child();
	ok_str(outcome->unavailable, "something", "H2: a feature that lacks something can't be had");
	ok(!outcome->beta_lacks[0] && !outcome->luf_lacks[0],
	   "H2: what one feature lacks affects no other, not even one that shares a hook with it");
	alpha.find = find;
	point->proto = "int(void)";
	luf.find = cannot_find;
	ok_str(load_in_child()->luf_lacks, "something", "H2: what it looks for itself is told first");
	luf.find = NULL;
	outcome = load_in_child();
	ok_str(outcome->luf_lacks, "two",
	       "H2: a feature that lacks what it watches can't be had, though all can be hooked");
	ok(outcome->told, "H2: and the log says so at load");
	ok(!outcome->unavailable[0] && !outcome->beta_lacks[0], "H2: the others can");
	point->proto = proto;
}

static void leave(void)
{
}

/* The worker begins after the first message. */
static void test_messages(bool holdout)
{
	admin.rcu_tasks_holdout = holdout;
	ok_int(on(&alpha), 0, "alpha is on");
	ok_int(off(&alpha), 0, "and off");
	sim_forget();
	tlbbatch_hooks_retire(leave);
	ok(sim_logged("RCU-tasks waits for admin/10") == holdout,
	   "H13: the log %s", holdout ? "names a task that RCU-tasks waits for" : "names no other");
	admin.rcu_tasks_holdout = false;
}

static bool left;

static void leave_at_once(void)
{
	left = true;
}

static void begins_at_once(struct work_struct *work)
{
	work->func(work);
	sim_work = NULL;
}

/* An idle CPU runs the worker while unload has just queued it. */
static void test_fast_worker(void)
{
	ok_int(on(&alpha), 0, "alpha is on");
	ok_int(off(&alpha), 0, "and off");
	sim_at_queue = begins_at_once;
	tlbbatch_hooks_retire(leave_at_once);
	ok(left, "H13: a worker that begins at once knows how to wait for tasks in replacements");
}

/* A thread that isn't the first one of its process. */
static void test_holdout_thread(void)
{
	struct task_struct thread = { .comm = "thread", .pid = 77, .rcu_tasks_holdout = true };

	admin.thread = &thread;
	ok_int(on(&alpha), 0, "alpha is on");
	ok_int(off(&alpha), 0, "and off");
	sim_forget();
	tlbbatch_hooks_retire(leave);
	right(sim_logged("RCU-tasks waits for thread/77") && sim_times_logged("RCU-tasks waits for") == 1,
	      "H13: the log names the thread that RCU-tasks waits for, and not its process");
	admin.thread = NULL;
}

static void test_many_holdouts(void)
{
	static struct task_struct tasks[9];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = (struct task_struct){ .comm = "holdout", .rcu_tasks_holdout = true };
	sim_processes = tasks;
	sim_nr_processes = ARRAY_SIZE(tasks);
	ok_int(on(&alpha), 0, "alpha is on");
	ok_int(off(&alpha), 0, "and off");
	sim_forget();
	tlbbatch_hooks_retire(leave);
	ok_int(sim_times_logged("RCU-tasks waits for"), 4, "H13: the log names four of many tasks");
	ok_int(sim_rcu_depth, 0, "H13: and RCU's read lock is given back");
	sim_nr_processes = 0;
	sim_processes = NULL;
}

int main(void)
{
	hook_world_init();
	test_load();
	test_one_lacks();
	ok_int(sim_load(), 0, "it loads");
	test_messages(true);
	right(sim_logged("unload waits for its worker, 5 s"),
	      "H13: the log says that the worker hasn't begun");
	test_messages(false);
	test_many_holdouts();
	test_holdout_thread();
	test_fast_worker();
	ok_int(sim_nr_registered() + sim_breaches(), 0, "nothing is left");
	return tap_done();
}
