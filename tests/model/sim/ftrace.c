// SPDX-License-Identifier: GPL-2.0-only
/* A small ftrace: see ftrace.h. */
#include <sys/mman.h>
#include <ucontext.h>
#include "ftrace.h"
#include "kernel/btf.h"

#define ENDBR64		0xfa1e0ff3U
#define SITE_BYTES	5

struct sim_trouble sim_trouble;
unsigned int sim_preempt_off;
int sim_module_refs;
bool sim_module_goes;
struct work_struct *sim_work;
struct task_struct *sim_processes;
unsigned int sim_nr_processes;

static struct ftrace_ops *registered;
static const struct sim_function *functions;
static unsigned int nr_functions;
static struct tracepoint points[8];
static unsigned int nr_points;
static unsigned int nr_probes, nr_filters;
/* Up to 6.1 ftrace_free_filter() leaves pointers to what it freed: @next of such an ops. */
#define FREED	((struct ftrace_ops *)1)

/* --- functions, and their text ----------------------------------------------------------- */

unsigned long sim_site(unsigned long addr)
{
	return *(u32 *)addr == ENDBR64 ? addr + sizeof(u32) : addr;
}

static const struct sim_function *function_at(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < nr_functions; i++)
		if ((unsigned long)functions[i].addr == addr ||
		    sim_site((unsigned long)functions[i].addr) == addr)
			return &functions[i];
	return NULL;
}

/* The self-tests' dummies have no name. */
const char *sim_name(unsigned long addr)
{
	const struct sim_function *function = function_at(addr);

	return function ? function->name : "dummy";
}

static bool is(const char *name, unsigned long addr)
{
	return name && !strcmp(name, sim_name(addr));
}

/* The thunk at sim_thunk calls this for each call of a function that is patched. */
unsigned long sim_entered(struct ftrace_regs *fregs);
unsigned long sim_entered(struct ftrace_regs *fregs)
{
	unsigned long behind = fregs->regs.ip, ip = behind - SITE_BYTES, to;
	static unsigned long last;
	struct ftrace_ops *ops;
	unsigned int i;

	if (sim_preempt_off)
		sim_breach("a hooked function was called in a callback");
	for (ops = registered; ops; ops = ops->next)
		for (i = 0; i < ops->nr; i++)
			if (ops->ips[i] == ip)
				ops->func(ip, fregs->regs.parent, ops, fregs);
	if (sim_trouble.clobbers)
		fregs->regs.args[1]++;
	if (sim_trouble.exchanges) {
		unsigned long first = fregs->regs.args[0];

		fregs->regs.args[0] = fregs->regs.args[1];
		fregs->regs.args[1] = first;
	}
	to = fregs->regs.ip;
	if (to != behind)
		last = to;
	if (sim_trouble.never)
		return behind;
	return sim_trouble.always && last ? last : to;
}

__asm__("	.text\n"
	"sim_thunk:\n"
	"	pushq %r9\n	pushq %r8\n	pushq %rcx\n"
	"	pushq %rdx\n	pushq %rsi\n	pushq %rdi\n"
	"	pushq %rax\n"
	"	movq %rsp, %rdi\n"
	"	subq $8, %rsp\n"
	"	call sim_entered\n"
	"	addq $8, %rsp\n"
	"	movq %rax, 56(%rsp)\n"
	"	popq %rax\n	popq %rdi\n	popq %rsi\n"
	"	popq %rdx\n	popq %rcx\n	popq %r8\n	popq %r9\n"
	"	ret\n");
extern const char sim_thunk[];

static void patch(unsigned long ip, bool call)
{
	static const u8 nops[SITE_BYTES] = { 0x90, 0x90, 0x90, 0x90, 0x90 };
	s32 distance = (s32)((long)sim_thunk - (long)(ip + SITE_BYTES));
	u8 *site = (u8 *)ip;

	if (mprotect((void *)(ip & ~4095UL), 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		abort();
	memcpy(site, nops, sizeof(nops));
	if (!call || is(sim_trouble.unpatched, ip))
		return;
	site[0] = 0xe8;
	memcpy(site + 1, &distance, sizeof(distance));
}

static bool is_traced(unsigned long ip)
{
	const struct ftrace_ops *ops;
	unsigned int i;

	for (ops = registered; ops; ops = ops->next)
		for (i = 0; i < ops->nr; i++)
			if (ops->ips[i] == ip)
				return true;
	return false;
}

/* An int3 stands there for as many looks as sim_trouble says, and then the call. */
static void make_int3(unsigned long ip)
{
	if (sim_trouble.int3)
		*(u8 *)ip = 0xcc;
}

void sim_int3_passes(void)
{
	struct ftrace_ops *ops;
	unsigned int i;

	if (!sim_trouble.int3 || --sim_trouble.int3)
		return;
	for (ops = registered; ops; ops = ops->next)
		for (i = 0; i < ops->nr; i++)
			patch(ops->ips[i], true);
}

void sim_patch(unsigned long addr, bool call)
{
	patch(sim_site(addr), call);
}

bool sim_is_patched(unsigned long addr)
{
	return *(u8 *)sim_site(addr) == 0xe8;
}

/* --- ftrace -------------------------------------------------------------------------------- */

static bool is_registered(const struct ftrace_ops *ops)
{
	const struct ftrace_ops *other;

	for (other = registered; other && other != ops; other = other->next)
		;
	return other;
}

static void update(const struct ftrace_ops *ops, unsigned long ip)
{
	if (!is_registered(ops))
		return;
	if (!ops->nr)
		sim_breach("an empty filter: every function is traced");
	patch(ip, is_traced(ip));
	if (is_traced(ip))
		make_int3(ip);
}

static void drop(struct ftrace_ops *ops, unsigned int i)
{
	unsigned long ip = ops->ips[i];

	ops->ips[i] = ops->ips[--ops->nr];
	nr_filters -= !ops->nr;
	update(ops, ip);
}

int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	unsigned int i;

	if (sim_trouble.no_memory) {
		sim_trouble.no_memory--;
		return -ENOMEM;
	}
	if (!remove && is(sim_trouble.no_memory_for, ip))
		return -ENOMEM;
	if (!ip)
		sim_breach("a filter for no function");
	if (ops->next == FREED)
		sim_breach("a filter that was freed is used");
	if (is_registered(ops) && !sim_mutexes_held())
		sim_breach("the filter of a set changes without a mutex");
	while (reset && ops->nr)
		drop(ops, 0);
	for (i = 0; i < ops->nr && ops->ips[i] != ip; i++)
		;
	if (remove) {
		sim_note("-%s", sim_name(ip));
		if (i < ops->nr)
			drop(ops, i);
		return 0;
	}
	if (is_registered(ops) && ops->flags & FTRACE_OPS_FL_IPMODIFY && is(sim_trouble.held, ip))
		return -EBUSY;
	if (is(sim_trouble.direct_comes, ip))
		sim_trouble.direct = sim_trouble.direct_comes;
	sim_note("+%s", sim_name(ip));
	if (i == ops->nr) {
		nr_filters += !ops->nr;
		ops->ips[ops->nr++] = ip;
	}
	update(ops, ip);
	return 0;
}

int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int nr,
			  int remove, int reset)
{
	int err = 0;

	for (; nr && !err; nr--, ips++)
		err = ftrace_set_filter_ip(ops, *ips, remove, reset);
	return err;
}

void ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	(void)buf;
	(void)len;
	if (sim_trouble.no_memory) {
		sim_trouble.no_memory--;
		return;
	}
	while (reset && ops->nr)
		drop(ops, 0);
}

void ftrace_free_filter(struct ftrace_ops *ops)
{
	if (is_registered(ops))
		sim_breach("the filter of a registered ops is freed");
	sim_note("filter_freed");
	nr_filters -= ops->nr != 0;
	ops->nr = 0;
	ops->next = FREED;
	ops->flags &= ~(unsigned long)FTRACE_OPS_FL_ENABLED;
}

int register_ftrace_function(struct ftrace_ops *ops)
{
	unsigned int i;

	if (is_registered(ops))
		sim_breach("registered twice");
	if (!ops->nr)
		sim_breach("registered for every function");
	if (sim_trouble.switched_off && ops->flags & FTRACE_OPS_FL_PERMANENT)
		return -EBUSY;
	for (i = 0; i < ops->nr; i++)
		if (ops->flags & FTRACE_OPS_FL_IPMODIFY && is(sim_trouble.held, ops->ips[i]))
			return -EBUSY;
	if (sim_trouble.contended && ops->flags & FTRACE_OPS_FL_IPMODIFY) {
		sim_trouble.contended--;
		return -EAGAIN;
	}
	sim_note("register:%s", sim_name(ops->ips[0]));
	ops->flags |= FTRACE_OPS_FL_ENABLED;
	ops->next = registered;
	registered = ops;
	for (i = 0; i < ops->nr; i++)
		update(ops, ops->ips[i]);
	return sim_trouble.dies;
}

int unregister_ftrace_function(struct ftrace_ops *ops)
{
	struct ftrace_ops **at = &registered;
	unsigned int i;

	if (sim_trouble.refuses)
		return sim_trouble.refuses;
	if (ops->nr && is(sim_trouble.keeps, ops->ips[0]))
		return -ENODEV;
	while (*at && *at != ops)
		at = &(*at)->next;
	if (!*at) {
		sim_breach("unregistered, and wasn't registered");
		return -EINVAL;
	}
	*at = ops->next;
	if (!ops->nr)
		sim_note("unregister:nothing");
	for (i = 0; i < ops->nr; i++) {
		sim_note("unregister:%s", sim_name(ops->ips[i]));
		patch(ops->ips[i], is_traced(ops->ips[i]));
	}
	ops->flags &= ~(unsigned long)FTRACE_OPS_FL_ENABLED;
	if (sim_preemption)
		synchronize_rcu_tasks();
	return 0;
}

bool sim_ftrace_refuses_off(void)
{
	const struct ftrace_ops *ops;

	for (ops = registered; ops; ops = ops->next)
		if (ops->flags & FTRACE_OPS_FL_PERMANENT)
			return true;
	return false;
}

unsigned int sim_nr_registered(void)
{
	const struct ftrace_ops *ops;
	unsigned int nr = 0;

	for (ops = registered; ops; ops = ops->next)
		nr++;
	return nr;
}

unsigned int sim_nr_filters(void)
{
	return nr_filters;
}

unsigned long sim_ftrace_location(unsigned long addr)
{
	const struct sim_function *function = function_at(addr);

	if (is(sim_trouble.untraceable, sim_site(addr)))
		return 0;
	return function && function->untraceable ? 0 : sim_site(addr);
}

unsigned long sim_find_rec_direct(unsigned long ip)
{
	if (!sim_no_preempt)
		sim_breach("direct calls are looked up with preemption on");
	if (!is(sim_trouble.direct, ip))
		return 0;
	sim_trouble.no_memory += sim_trouble.no_memory_then;
	sim_trouble.no_memory_then = 0;
	return 1UL << 40;
}

/* --- symbols, tracepoints, kprobes, work -------------------------------------------------- */

void sim_functions(const struct sim_function *all, unsigned int nr)
{
	functions = all;
	nr_functions = nr;
}

void sim_has_tracepoints(const char *const *names)
{
	for (nr_points = 0; names[nr_points]; nr_points++)
		points[nr_points].name = names[nr_points];
}

void for_each_kernel_tracepoint(void (*visit)(struct tracepoint *tp, void *data), void *data)
{
	static char longer[64];
	static struct tracepoint another = { longer };
	unsigned int i;

	/* Some names begin with others: mm_page_alloc, mm_page_alloc_extfrag. */
	snprintf(longer, sizeof(longer), "%s_more", points[0].name ?: "");
	for (i = nr_points; i-- > 0;)
		visit(&points[i], data);
	visit(&another, data);
}

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	(void)probe;
	(void)data;
	if (sim_trouble.no_point && !strcmp(sim_trouble.no_point, tp->name))
		return -ENOMEM;
	sim_note("tp+%s", tp->name);
	nr_probes++;
	return 0;
}

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	(void)probe;
	(void)data;
	if (!nr_probes--)
		sim_breach("a probe was taken away that wasn't there");
	sim_note("tp-%s", tp->name);
	return 0;
}

struct task_struct *sim_thread(struct task_struct *task)
{
	if (!sim_rcu_depth)
		sim_breach("tasks are walked through without RCU");
	return task;
}

/* A worker has a stack of its own. Whenever it has slept, the one who waits for it goes on. */
static ucontext_t waiter, worker;
static bool works;

static void worker_slept(void)
{
	if (works && swapcontext(&worker, &waiter))
		abort();
}

static void run_work(void)
{
	struct work_struct *work = sim_work;

	work->func(work);
	sim_work = NULL;
}

unsigned long wait_for_completion_timeout(struct completion *completion, unsigned long timeout)
{
	struct work_struct *work = sim_work;

	jiffies += timeout;
	/* It takes longer than the first wait. */
	if (work && !sim_did("waited")) {
		sim_note("waited");
		return 0;
	}
	if (work && !works) {
		static char stack[1 << 18];

		getcontext(&worker);
		worker.uc_stack.ss_sp = stack;
		worker.uc_stack.ss_size = sizeof(stack);
		worker.uc_link = &waiter;
		makecontext(&worker, run_work, 0);
		/* What another worker completed was waited for. */
		completion->done = false;
	}
	if (work) {
		works = true;
		sim_slept = worker_slept;
		swapcontext(&waiter, &worker);
		works = sim_work;
		sim_slept = NULL;
	}
	return completion->done;
}
