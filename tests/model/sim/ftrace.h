/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small ftrace, which patches the text of this program: a function that is `noinline` begins
 * with five nops, its ftrace site, perhaps behind an ENDBR. And what else hooks are made of.
 */
#ifndef SIM_FTRACE_H
#define SIM_FTRACE_H

#include "sim.h"

#define CONFIG_DYNAMIC_FTRACE_WITH_ARGS	1
#define FTRACE_OPS_FL_ENABLED	(1 << 0)
#define FTRACE_OPS_FL_SAVE_REGS	(1 << 2)
#define FTRACE_OPS_FL_IPMODIFY	(1 << 13)
#define FTRACE_OPS_FL_PERMANENT	(1 << 16)

struct pt_regs {
	unsigned long ax, args[6], ip, parent;
};

struct ftrace_regs {
	struct pt_regs regs;
};

#define ftrace_instruction_pointer_set(fregs, to)	((fregs)->regs.ip = (to))
#define regs_get_kernel_argument(regs_, n)		((regs_)->args[n])

struct ftrace_ops;
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs);

#define SIM_FILTER_MAX	80

/**
 * struct ftrace_ops - as in the kernel, and
 * @ips: its filter
 * @nr: how many are in it
 * @next: the next one that is registered
 */
struct ftrace_ops {
	ftrace_func_t func;
	unsigned long flags;
	void *private;
	unsigned long trampoline;
	unsigned long ips[SIM_FILTER_MAX];
	unsigned int nr;
	struct ftrace_ops *next;
};

int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset);
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int nr,
			  int remove, int reset);
void ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset);
void ftrace_free_filter(struct ftrace_ops *ops);
int register_ftrace_function(struct ftrace_ops *ops);
int unregister_ftrace_function(struct ftrace_ops *ops);

/* No function that is hooked may be called while a callback runs. */
extern unsigned int sim_preempt_off;
#define ftrace_test_recursion_trylock(ip, parent)	((void)(parent), (int)sim_preempt_off++)
#define ftrace_test_recursion_unlock(bit)		((void)(bit), sim_preempt_off--)

/* Functions of the kernel, with a name. Whatever isn't named can't be traced. */
struct sim_function {
	const char *name;
	void *addr;
	const char *proto;
	bool is_module;		/* of another module */
	bool untraceable;
};

void sim_functions(const struct sim_function *functions, unsigned int nr);
const char *sim_name(unsigned long addr_or_ip);
unsigned long sim_site(unsigned long addr);
/* For sim_others: who patches makes some progress. */
void sim_int3_passes(void);

/* What can be made to go wrong. */
struct sim_trouble {
	unsigned int no_memory;		/* so many changes of a filter fail, ENOMEM */
	const char *no_memory_for;	/* so does each change that adds this function */
	const char *untraceable;	/* this function has no ftrace site */
	const char *held;		/* by somebody else who redirects this function */
	const char *direct;		/* a BPF trampoline is on this function */
	const char *direct_comes;	/* one comes at the last moment */
	unsigned int no_memory_then;	/* @no_memory as soon as one is found */
	const char *unpatched;		/* its text isn't patched */
	unsigned int int3;		/* so many looks find an int3, at any site */
	bool always, never;		/* callbacks are heeded for any caller, or for none */
	bool clobbers;			/* arguments are lost on the way */
	bool exchanges;			/* ... or exchanged: the first two */
	bool switched_off;		/* kernel.ftrace_enabled=0 */
	int refuses;			/* unregistering fails so */
	unsigned int contended;		/* so often a trampoline is being changed */
	const char *keeps;		/* unregistering what begins with this function fails */
	int dies;			/* registering fails so, half-way */
	const char *no_point;		/* there is no memory for this tracepoint's probe */
};

extern struct sim_trouble sim_trouble;
/* kernel.ftrace_enabled=0: is it refused? */
bool sim_ftrace_refuses_off(void);
unsigned int sim_nr_registered(void);
/* How many ops have a filter, registered or not: each takes memory. */
unsigned int sim_nr_filters(void);
bool sim_is_patched(unsigned long addr);
/* Its text is patched, or isn't any more, whatever ftrace holds of it. */
void sim_patch(unsigned long addr, bool call);
unsigned long sim_ftrace_location(unsigned long addr);
unsigned long sim_find_rec_direct(unsigned long ip);

/* --- tracepoints, kprobes, modules, work ----------------------------------------------- */

struct tracepoint {
	const char *name;
};

void for_each_kernel_tracepoint(void (*visit)(struct tracepoint *tp, void *data), void *data);
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
#define tracepoint_synchronize_unregister()	sim_note("tp_sync")
void sim_has_tracepoints(const char *const *names);
/* The kernel has these, and no others. */
#define sim_tracepoints(...)	sim_has_tracepoints((const char *const[]){ __VA_ARGS__, NULL })

#define KPROBE_FLAG_DISABLED	2

struct kprobe {
	const char *symbol_name;
	unsigned int flags;
	void *addr;
};

int register_kprobe(struct kprobe *probe);
void unregister_kprobe(struct kprobe *probe);

extern int sim_module_refs;
#define module_init(init)	int sim_load(void); int sim_load(void) { return init(); }
#define module_exit(exit)	void sim_unload(void); void sim_unload(void) { exit(); }
#define MODULE_DESCRIPTION(x)	struct sim_module
#define MODULE_AUTHOR(x)	struct sim_module
#define MODULE_VERSION(x)	struct sim_module
#define MODULE_LICENSE(x)	struct sim_module
#define THIS_MODULE		NULL
/* Nobody gets a module that is being unloaded. */
extern bool sim_module_goes;
#define try_module_get(module)	(sim_module_refs += !sim_module_goes, !sim_module_goes)
#define module_put(module)	((void)sim_module_refs--)

struct work_struct {
	void (*func)(struct work_struct *work);
};

struct completion {
	bool done;
};

#define DECLARE_WORK(name, func_)	struct work_struct name = { .func = func_ }
#define DECLARE_COMPLETION(name)	struct completion name
#define system_long_wq			0
#define queue_work(queue, work)		((void)(queue), sim_work = (work), sim_queued(work))
#define complete(completion)		((completion)->done = true, sim_note("complete"))
#define flush_work(work)		sim_note("flush_work")
extern struct work_struct *sim_work;
unsigned long wait_for_completion_timeout(struct completion *completion, unsigned long timeout);
/* Processes, and the threads of each: two loops, as in the kernel, under RCU's read lock. */
extern struct task_struct *sim_processes;
extern unsigned int sim_nr_processes;
struct task_struct *sim_thread(struct task_struct *task);
#define for_each_process_thread(leader, task)					\
	for (leader = sim_nr_processes ? sim_processes : current;		\
	     leader == current || leader < sim_processes + sim_nr_processes;	\
	     leader = sim_nr_processes ? leader + 1 : sim_processes)		\
		for (task = sim_thread(leader); task; task = sim_thread(task->thread))

#define sysfs_emit(buf, ...)	sprintf(buf, __VA_ARGS__)

#endif /* SIM_FTRACE_H */
