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
	char unavailable[TLBBATCH_REASON_LEN];
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
		outcome->allocated = sim_allocated();
		outcome->breaches = sim_breaches() + sim_nr_registered();
		/* Which begins with the name of a hook. */
		strscpy(outcome->unavailable, alpha.unavailable, sizeof(outcome->unavailable));
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
}

static void test_load(void)
{
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
	world.btf_fails = -ENOMEM;
	fails("the index of BTF");
	world.btf_fails = -EINVAL;
	lacks("BTF can't be read", "no BTF to check the kernel's functions against (-22)");
	world.btf_fails = 0;
	world.no_btf = true;
	lacks("there is no BTF", "no BTF to check the kernel's functions against (-2)");
	world.no_btf = false;
	ok_int(load_in_child()->err, 0, "else it loads");
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

int main(void)
{
	hook_world_init();
	test_load();
	ok_int(sim_load(), 0, "it loads");
	test_messages(true);
	right(sim_logged("unload waits for its worker, 5 s"),
	      "H13: the log says that the worker hasn't begun");
	test_messages(false);
	ok_int(sim_nr_registered() + sim_breaches(), 0, "nothing is left");
	return tap_done();
}
