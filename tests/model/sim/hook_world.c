// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel with a few functions, and three features that hook them. Their rows stand where the
 * module has its own (core/features.c), so all of the engine and of the core runs as it is. What
 * is weak here may be the module's own file in a program.
 */
#include "hook_rules.h"
#include "core/sysfs.h"
#include "kernel/btf.h"
#include "pass/pass_calls.h"
#include "pass/group.h"

/* No group is seen here. */
bool __weak tlbbatch_group_claim(struct tlbbatch_pass *pass, struct tlbbatch_group *group)
{
	return false;
}

struct world world;
struct task_struct admin = { .comm = "admin", .pid = 10, .start_boottime = 10 };
struct task_struct reclaimer = { .comm = "reclaimer", .pid = 11, .start_boottime = 11 };
struct task_struct other_reclaimer = { .comm = "other", .pid = 12, .start_boottime = 12 };

/* --- the kernel ------------------------------------------------------------------------ */

#define FN(name, which)								\
noinline __noclone int name(int x)						\
{										\
	barrier();								\
	world.ran[which]++;							\
	return x;								\
}

FN(fn_a, A)
FN(fn_b, B)
FN(fn_looked, LOOKED)
FN(fn_pass, PASS)
FN(fn_whole, WHOLE)
FN(fn_other, OTHER)
FN(fn_entry, ENTRY)
FN(fn_entry2, ENTRY2)

static unsigned long lookup(const char *name);

extern const char __executable_start[], etext[];
static char a_module[64];

static struct sim_function functions[40] = {
	{ "fn_a", fn_a, "int(int)", false, false },
	{ "fn_b", fn_b, "int(int)", false, false },
	{ "fn_looked", fn_looked, "int(int)", false, false },
	{ "fn_pass", fn_pass, "int(int)", false, false },
	{ "fn_whole", fn_whole, "int(int)", false, false },
	{ "fn_other", fn_other, "int(int)", false, false },
	{ "fn_entry", fn_entry, "int(int)", false, false },
	{ "fn_entry2", fn_entry2, "int(int)", false, false },
	{ "__traceiter_one", sim_note, "int(void *, int)", false, false },
	{ "__traceiter_two", sim_note, "int(void *, int)", false, false },
	{ "in_module", a_module, "int(int)", true, false },
	{ "untraceable", lookup, "int(int)", false, true },
	{ "kallsyms_lookup_name", lookup, "unsigned long(const char *)", false, false },
	{ "ftrace_location", sim_ftrace_location, "unsigned long(unsigned long)", false, false },
	{ "ftrace_find_rec_direct", sim_find_rec_direct, "unsigned long(unsigned long)",
	  false, false },
};

static unsigned int nr_functions = 15;

void hook_world_has(const char *name, void *addr, const char *proto)
{
	if (nr_functions == ARRAY_SIZE(functions))
		abort();
	functions[nr_functions++] = (struct sim_function){ name, addr, proto, false, false };
	sim_functions(functions, nr_functions);
}

void hook_world_proto(const char *name, const char *proto)
{
	unsigned int i;

	for (i = 0; i < nr_functions; i++)
		if (!strcmp(functions[i].name, name))
			functions[i].proto = proto;
}

u32 __weak sim_member_offset(const char *member)
{
	(void)member;
	return 8;
}

static unsigned long lookup(const char *name)
{
	unsigned int i;

	if (!strcmp(name, "__start_BTF"))
		return world.no_btf ? 0 : 1000;
	if (!strcmp(name, "__stop_BTF"))
		return 2000;
	if (!strcmp(name, "_stext"))
		return (unsigned long)__executable_start;
	if (!strcmp(name, "_etext"))
		return (unsigned long)etext;
	if (world.clone && !strcmp(name, world.clone))
		return (unsigned long)world.clone_at;
	for (i = 0; i < nr_functions; i++)
		if (!strcmp(functions[i].name, name))
			return (unsigned long)functions[i].addr;
	return 0;
}

static bool probing;

/* A kprobe that isn't disabled patches text. */
int register_kprobe(struct kprobe *probe)
{
	if (world.kprobe_fails)
		return world.kprobe_fails;
	sim_note("kprobe+%s", probe->symbol_name);
	if (!(probe->flags & KPROBE_FLAG_DISABLED))
		sim_breach("a kprobe is armed");
	probing = true;
	/* Behind the ENDBR: see sim_snprintf(). */
	probe->addr = (void *)(lookup(probe->symbol_name) + 4);
	return 0;
}

void unregister_kprobe(struct kprobe *probe)
{
	sim_note("kprobe-%s", probe->symbol_name);
	if (!probing)
		sim_breach("no such kprobe");
	probing = false;
}

int tlbbatch_btf_open(struct tlbbatch_btf *btf, const void *data, size_t size)
{
	(void)btf;
	(void)data;
	sim_note("btf_open");
	if (world.btf_fails)
		return world.btf_fails;
	return size == 1000 ? 0 : -EINVAL;
}

void tlbbatch_btf_close(struct tlbbatch_btf *btf)
{
	(void)btf;
	sim_note("btf_close");
}

int tlbbatch_btf_check_proto(const struct tlbbatch_btf *btf, const char *func,
			     const char *expected, char *found, size_t size)
{
	unsigned int i;

	(void)btf;
	for (i = 0; i < nr_functions; i++) {
		if (strcmp(functions[i].name, func))
			continue;
		if (!functions[i].proto)
			return -EINVAL;
		if (found)
			snprintf(found, size, "%s", functions[i].proto);
		return strcmp(functions[i].proto, expected) ? -EPROTOTYPE : 0;
	}
	return -ENOENT;
}

/* "absent" isn't there; "odd" is, in a form that can't be read. */
int tlbbatch_btf_struct_size(const struct tlbbatch_btf *btf, const char *tag, u32 *size)
{
	(void)btf;
	*size = 8;
	return !strcmp(tag, "absent") ? -ENOENT : !strcmp(tag, "odd") ? -EINVAL : 0;
}

int tlbbatch_btf_member_offset(const struct tlbbatch_btf *btf, const char *tag,
			       const char *member, u32 *offset)
{
	(void)member;
	return tlbbatch_btf_struct_size(btf, tag, offset);
}

int tlbbatch_btf_check_member(const struct tlbbatch_btf *btf, const char *tag, const char *member,
			      const char *expected, u32 *byte_offset, char *found, size_t size)
{
	(void)btf;
	(void)found;
	(void)size;
	if (!strcmp(expected, "another"))
		return -EPROTOTYPE;
	*byte_offset = sim_member_offset(member);
	return !strcmp(tag, "absent") || *byte_offset == SIM_NO_MEMBER ? -ENOENT : 0;
}

int tlbbatch_btf_enumerator(const struct tlbbatch_btf *btf, const char *name, s64 *value)
{
	(void)btf;
	(void)name;
	*value = 0;
	return 0;
}

/* --- alpha: redirects two functions, looks at one, and acts in passes --------------------- */

typedef int fn_type(int x);

#define REPLACEMENT(fn)								\
DEFINE_STATIC_CALL_NULL(orig_##fn, fn_type);					\
static int instead_of_##fn(int x)						\
{										\
	return static_call(orig_##fn)(x) + ADDS;				\
}

#define TARGETS(fn, ...)							\
static const struct tlbbatch_target targets_##fn[] = {				\
	__VA_ARGS__								\
	{ .function = { #fn, "int(int)" }, .replacement = instead_of_##fn,	\
	  .original = TLBBATCH_CALL(orig_##fn) },				\
	{ .function = { NULL, NULL } }						\
}

DEFINE_STATIC_CALL_NULL(orig_wrong, fn_type);

static int instead_of_wrong(int x)
{
	sim_breach("the replacement of another alternative is called");
	return x;
}

DEFINE_STATIC_CALL_NULL(writer_wrong, fn_type);
DEFINE_STATIC_CALL_NULL(writer_fn_b, fn_type);

#define WRONG(symbol, proto)							\
	{ .function = { symbol, proto }, .replacement = instead_of_wrong,	\
	  .original = TLBBATCH_CALL(orig_wrong), .write_out = instead_of_wrong,	\
	  .writer = TLBBATCH_CALL(writer_wrong) }

REPLACEMENT(fn_a)
REPLACEMENT(fn_b)
REPLACEMENT(fn_whole)
/* Rule H1: other kernels have the function with another prototype, or under another name. */
TARGETS(fn_a,
	WRONG("fn_a", "long(int)"), WRONG("fn_absent", "int(int)"), WRONG("in_module", "int(int)"),);

static void passes_fn_b(struct ftrace_regs *fregs)
{
	world.acts_raced |= !sim_preempt_off;
	world.passed += (int)fregs->regs.args[0];
}

static int write_out_fn_b(int x)
{
	return static_call(orig_fn_b)(x);
}

static const struct tlbbatch_target targets_fn_b[] = {
	{ .function = { "fn_b", "int(int)" }, .replacement = instead_of_fn_b,
	  .original = TLBBATCH_CALL(orig_fn_b), .passes = passes_fn_b,
	  .write_out = write_out_fn_b, .writer = TLBBATCH_CALL(writer_fn_b) },
	{ .function = { NULL, NULL } }
};

TARGETS(fn_whole);

static bool acts(unsigned long parent_ip)
{
	(void)parent_ip;
	world.acts_raced |= !sim_preempt_off;
	return world.acts;
}

static noinline int look_dummy(int x)
{
	barrier();
	return x;
}

static unsigned int looked;

static void look_callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			  struct ftrace_regs *fregs)
{
	(void)parent_ip;
	(void)ops;
	(void)fregs;
	looked++;
	world.saw[LOOKED] += ip == sim_site((unsigned long)fn_looked);
}

static int look_selftest(void)
{
	unsigned int before = looked;

	return look_dummy(1) == 1 && looked == before + 1 ? 0 : -EIO;
}

static struct tlbbatch_hook look_dummy_hook = { .name = "look", .addr = 0 };

struct tlbbatch_hook_set look_set = {
	.ops = { .func = look_callback, .flags = FTRACE_OPS_FL_PERMANENT },
	.dummy = &look_dummy_hook,
	.selftest = look_selftest,
};

static const struct tlbbatch_target look_targets[] = {
	{ .function = { "fn_looked", "int(int)" } },
	{ .function = { NULL, NULL } },
};

struct tlbbatch_hook alpha_hooks[] = {
	{ .name = "a", .lost = "much", .acts = acts, .targets = targets_fn_a },
	{ .name = "b", .lost = "much", .acts = acts, .targets = targets_fn_b },
	{ .name = "looked", .lost = "much", .look = &look_set, .targets = look_targets },
	/* No struct of that name: this kernel doesn't need it. */
	{ .name = "unneeded", .lost = "much", .acts = acts, .targets = targets_fn_b,
	  .need = { .tag = "absent", .without = "nothing of the sort" } },
};

static struct tlbbatch_redirects alpha_redirects = {
	.hooks = alpha_hooks, .nr = ARRAY_SIZE(alpha_hooks),
};

static struct tlbbatch_pass_part alpha_part = { .size = 8 }, beta_part = { .size = 24 };

static void alpha_begin(struct tlbbatch_pass *pass)
{
	world.begun++;
	*(u64 *)tlbbatch_pass_memory(pass, &alpha_part) = 7;
}

static void alpha_end(struct tlbbatch_pass *pass)
{
	world.ended++;
	pass->nr_reclaimed += *(u64 *)tlbbatch_pass_memory(pass, &alpha_part);
}

static void beta_does(struct tlbbatch_pass *pass)
{
	memset(tlbbatch_pass_memory(pass, &beta_part), 0xff, 24);
}

static const char *alpha_find(void)
{
	if (world.found)
		world.found();
	return NULL;
}

struct tlbbatch_feature __weak tlbbatch_batch = {
	.name = "alpha", .refuses = "alpha refused", .waits = "alpha",
	.redirects = &alpha_redirects, .pass = &alpha_part,
	.pass_begin = alpha_begin, .pass_end = alpha_end, .find = alpha_find,
};

static void freed(void)
{
	sim_note("stop_beta");
}

static struct tlbbatch_redirects beta_redirects;

/* Not one of the three: it has nothing to do. */
struct tlbbatch_feature __weak tlbbatch_hold = { .name = "hold", .refuses = "hold" };
struct tlbbatch_feature __weak tlbbatch_luf_check = { .name = "check", .refuses = "check" };
struct tlbbatch_feature __weak tlbbatch_defer = { .name = "defer", .refuses = "defer" };

struct tlbbatch_feature __weak tlbbatch_advise = { .name = "advise", .refuses = "advise" };

struct tlbbatch_feature __weak tlbbatch_wide = {
	.name = "beta", .refuses = "beta refused", .waits = "beta",
	.redirects = &beta_redirects, .pass = &beta_part,
	.pass_begin = beta_does, .pass_end = beta_does, .stop = freed,
};

/* Nothing but what the list of features needs. */
struct tlbbatch_feature __weak tlbbatch_lazyfree = { .name = "gamma" };
/* Its files alone switch it. */
struct tlbbatch_feature __weak tlbbatch_shootdown = {
	.name = "shootdown", .refuses = "shootdown refused",
};

/* --- luf: registered whole, watches, and has something to free ------------------------------ */

static void uses(void)
{
	if (world.stopped)
		sim_breach("what luf's stop() freed is used");
}

static bool acts_whole(unsigned long parent_ip)
{
	(void)parent_ip;
	uses();
	return true;
}

static void drain(void)
{
	if (sim_is_patched((unsigned long)fn_whole))
		sim_breach("drained while tasks still enter");
	sim_note("drain");
	world.inside = 0;
}

struct tlbbatch_hook luf_hooks[] = {
	{ .name = "whole", .acts = acts_whole, .targets = targets_fn_whole },
};

static struct tlbbatch_redirects luf_redirects = {
	.hooks = luf_hooks, .nr = ARRAY_SIZE(luf_hooks), .whole = true, .drain = drain,
};

#define SEE(entry, which)							\
static void see_##entry(struct ftrace_regs *fregs)				\
{										\
	uses();									\
	if (!sim_preempt_off)							\
		sim_breach("an entry is seen with preemption on");		\
	world.saw[which] += fregs->regs.args[0];				\
}

SEE(fn_entry, ENTRY)
SEE(fn_entry2, ENTRY2)

#define WATCHED(entry)								\
	(const struct tlbbatch_watched[]) {					\
		{ { #entry, "long(int)" }, NULL },				\
		{ { #entry, "int(int)" }, see_##entry }, { } }

static struct tlbbatch_entry entries[] = {
	{ .name = "fn_entry", .alternatives = WATCHED(fn_entry) },
	{ .name = "fn_entry2", .alternatives = WATCHED(fn_entry2) },
	{ .name = "absent", .optional = true,
	  .alternatives = (const struct tlbbatch_watched[]) { { { "absent", "int(int)" }, NULL },
							       { } } },
};

static struct tlbbatch_point luf_points[] = {
	{ .name = "one", .caller = "__traceiter_one", .proto = "int(void *, int)" },
	{ .name = "two", .caller = "__traceiter_two", .proto = "int(void *, int)" },
};

static struct tlbbatch_sites sites;
static struct tlbbatch_watches luf_watches = {
	.entries = entries, .nr_entries = ARRAY_SIZE(entries), .sites = &sites,
	.points = luf_points, .nr_points = ARRAY_SIZE(luf_points),
};

static const char *unfit(void)
{
	return world.unfit;
}

static int start(void)
{
	sim_note("start");
	if (!world.fails_to_start)
		world.stopped = false;
	return world.fails_to_start;
}

static void luf_close(void)
{
	sim_note("close");
}

static void stop(void)
{
	sim_note("stop");
	if (world.inside)
		sim_breach("luf's stop() came while a task was in a replacement");
	world.stopped = true;
}

struct tlbbatch_feature tlbbatch_luf = {
	.name = "luf", .lacks = "luf lacks", .refuses = "luf refused", .fails = "luf fails",
	.redirects = &luf_redirects, .watches = &luf_watches, .unfit = unfit,
	.start = start, .close = luf_close, .stop = stop,
};

/* --- passes ------------------------------------------------------------------------------------- */

DEFINE_STATIC_CALL_NULL(orig_fn_pass, fn_type);

static int instead_of_fn_pass(int x)
{
	struct tlbbatch_pass *pass = tlbbatch_pass_begin(NULL, NULL, NULL);

	return (int)tlbbatch_pass_end(pass, (unsigned int)static_call(orig_fn_pass)(x));
}

TARGETS(fn_pass);

struct tlbbatch_hook tlbbatch_pass_hook = {
	.name = "pass", .lost = "all", .acts = tlbbatch_pass_enter, .targets = targets_fn_pass,
};

/* --- the rest of the module ------------------------------------------------------------------------ */

const struct tlbbatch_files __weak tlbbatch_batch_files, tlbbatch_luf_sysfs_files;
const struct tlbbatch_files __weak tlbbatch_wide_files, tlbbatch_lazyfree_files;
const struct tlbbatch_files __weak tlbbatch_shootdown_files, tlbbatch_advise_files;
const struct tlbbatch_files __weak tlbbatch_hold_files;

int __weak tlbbatch_knobs_init(void)
{
	return 0;
}

void __weak tlbbatch_knobs_exit(void)
{
	sim_note("unload:alpha");
	tlbbatch_feature_retire(&alpha);
}

void tlbbatch_luf_unload(void)
{
	sim_note("unload:luf");
	tlbbatch_feature_retire(&luf);
}

int __weak tlbbatch_luf_load(void)
{
	return 0;
}

int __weak tlbbatch_sysfs_init(void)
{
	return 0;
}

void __weak tlbbatch_sysfs_exit(void)
{
	sim_note("sysfs_exit");
}

bool hook_world_writes(void)
{
	return static_call(writer_fn_b) == write_out_fn_b && !static_call(writer_wrong);
}

void hook_world_init(void)
{
	sim_init();
	sim_functions(functions, nr_functions);
	sim_tracepoints("one", "two");
	look_dummy_hook.addr = (unsigned long)look_dummy;
	current = &admin;
}

struct tlbbatch_pass *open_pass(struct task_struct *task)
{
	struct task_struct *me = current;
	struct tlbbatch_pass *pass;

	current = task;
	pass = tlbbatch_pass_enter(0) ? tlbbatch_pass_current() : NULL;
	current = me;
	return pass;
}

void close_pass(struct task_struct *task)
{
	struct task_struct *me = current;

	current = task;
	tlbbatch_pass_left(tlbbatch_pass_current());
	current = me;
}

bool nothing_attached(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		if (sim_is_patched((unsigned long)functions[i].addr))
			return false;
	return true;
}

int hook_world_done(void)
{
	ok_int(sim_nr_registered() + sim_allocated() + sim_breaches(), 0, "nothing is left");
	return tap_done();
}

void see_other(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
	       struct ftrace_regs *fregs)
{
	(void)ip;
	(void)parent_ip;
	(void)ops;
	(void)fregs;
	world.saw[OTHER]++;
}
