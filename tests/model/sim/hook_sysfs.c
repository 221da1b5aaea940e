// SPDX-License-Identifier: GPL-2.0-only
/* The files under /sys/kernel (sysfs.c): all are there, or none is. Rules H2 and H13. */
#include "hook_rules.h"
#include "core/counters.h"
#include "core/sysfs.h"

struct kobject {
	const char *name;
	struct kobject *parent;
};

static struct kobject kernel;
struct kobject *kernel_kobj = &kernel;

/* --- what is there -------------------------------------------------------------------------- */

static struct present {
	const struct kobject *kobj;
	const char *dir;		/* the group's name, or NULL */
	const struct attribute *attr;
} present[64];
static unsigned int nr_present, nr_dirs;
/* The @nr-th file or directory from now on can't be made. */
static unsigned int fail_file;

static bool fails(void)
{
	return fail_file && !--fail_file;
}

struct kobject *kobject_create_and_add(const char *name, struct kobject *parent)
{
	struct kobject *kobj = fails() ? NULL : calloc(1, sizeof(*kobj));

	if (kobj) {
		*kobj = (struct kobject){ name, parent };
		nr_dirs++;
	}
	return kobj;
}

void kobject_put(struct kobject *kobj)
{
	unsigned int i;

	if (!kobj)
		return;
	for (i = 0; i < nr_present; i++)
		if (present[i].kobj == kobj)
			sim_breach("a directory goes before its files");
	nr_dirs--;
	free(kobj);
}

static void add(const struct kobject *kobj, const char *dir, const struct attribute *attr)
{
	if (!attr->name || nr_present == ARRAY_SIZE(present))
		abort();
	present[nr_present++] = (struct present){ kobj, dir, attr };
	sim_note("file:%s", attr->name);
}

static void drop(unsigned int i)
{
	present[i] = present[--nr_present];
}

int sysfs_create_group(struct kobject *kobj, const struct attribute_group *group)
{
	unsigned int i;

	if (fails())
		return -ENOMEM;
	for (i = 0; group->attrs[i]; i++)
		add(kobj, group->name, group->attrs[i]);
	return 0;
}

void sysfs_remove_group(struct kobject *kobj, const struct attribute_group *group)
{
	unsigned int i = nr_present, found = 0;

	if (!group->attrs)
		sim_breach("a directory goes after its attributes");
	while (i--) {
		if (present[i].kobj != kobj || present[i].dir != group->name)
			continue;
		drop(i);
		found++;
	}
	if (!found)
		sim_breach("a group that isn't there goes");
}

int sysfs_create_file(struct kobject *kobj, const struct attribute *attr)
{
	if (fails())
		return -ENOMEM;
	/* Like a group of its own: it goes by itself. */
	add(kobj, attr->name, attr);
	return 0;
}

void sysfs_remove_file(struct kobject *kobj, const struct attribute *attr)
{
	unsigned int i;

	for (i = 0; i < nr_present; i++) {
		if (present[i].kobj != kobj || present[i].attr != attr)
			continue;
		drop(i);
		return;
	}
	sim_breach("a file that isn't there goes");
}

/* Who reads a file meanwhile reads its attribute. */
void sim_kfree(const void *memory)
{
	const char *begin = memory, *attr;
	unsigned int i;

	for (i = 0; memory && i < nr_present; i++) {
		attr = (const char *)present[i].attr;
		if (attr >= begin && attr < begin + sim_size(memory))
			sim_breach("the attribute of a file is freed");
	}
	sim_free(memory);
}

/* --- what the features show ----------------------------------------------------------------- */

static ssize_t knob_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", attr->attr.name);
}

#define KNOB(name_)	static struct kobj_attribute name_ = { { #name_, 0644 }, knob_show, NULL }
#define GROUP(name_)								\
	static struct attribute *name_##_attrs[] = { &name_.attr, NULL };	\
	static const struct attribute_group name_##_group = { .attrs = name_##_attrs }

KNOB(enabled);
KNOB(mode);
KNOB(ratio);
GROUP(enabled);
GROUP(mode);

static struct kobj_attribute *const derived[] = { &ratio, NULL };
static const char *const names[] = { "first", "second", "third" };
static const struct tlbbatch_counters counters = { .names = names, .nr = ARRAY_SIZE(names) };
static unsigned int settled, settled_at_read;

u64 tlbbatch_counter_read(const struct tlbbatch_counters *of, unsigned int index)
{
	settled_at_read = settled;
	/* The last one is larger than 32 bits. */
	return of == &counters ? 100 + index + (index == 2 ? 5ULL << 32 : 0) : 0;
}

static void settle(void)
{
	settled++;
}

const struct tlbbatch_files tlbbatch_batch_files = {
	.group = &enabled_group, .counters = &counters, .mode = 0444, .shows_hooks = true,
};
const struct tlbbatch_files tlbbatch_luf_sysfs_files = {
	.dir = "luf", .group = &mode_group, .counters = &counters, .derived = derived,
	.settle = settle, .mode = 0400, .shows_hooks = true,
};
/* A directory with nothing in it: this feature shows nothing else. */
const struct tlbbatch_files tlbbatch_wide_files = { .dir = "wide" };
const struct tlbbatch_files tlbbatch_advise_files = { .dir = "advise" };

/* The file DIR/GROUP/NAME; "" is the module's own directory, and no group. */
static const struct attribute *file(const char *dir, const char *group, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_present; i++) {
		const struct present *p = &present[i];
		bool own = p->kobj->parent == &kernel;

		if (!strcmp(p->attr->name, name) && (own ? !*dir : !strcmp(p->kobj->name, dir)) &&
		    (!p->dir || p->dir == p->attr->name ? !*group : !strcmp(p->dir, group)))
			return p->attr;
	}
	return NULL;
}

static const char *content(const char *dir, const char *group, const char *name)
{
	static char text[4096];
	const struct attribute *attr = file(dir, group, name);
	struct kobj_attribute *kobj_attr;

	if (!attr)
		return "no such file";
	kobj_attr = container_of(attr, struct kobj_attribute, attr);
	text[0] = '\0';
	if (kobj_attr->show(NULL, kobj_attr, text) != strlen(text))
		sim_breach("a file says another length");
	return text;
}

/* --- tests ---------------------------------------------------------------------------------- */

static void gone(const char *when)
{
	right(!nr_present && !nr_dirs && !sim_allocated() && !sim_breaches(),
	      "H2: nothing is left %s", when);
}

/* What is registered whole; and somebody else's call, which isn't the hook's. */
static void test_whole_shown(void)
{
	const char *whole = luf_hooks[0].name;

	ok_int(off(&alpha), 0, "the feature is off");
	sim_patch((unsigned long)fn_a, true);
	ok_str(content("", "hooks", alpha_hooks[0].name), "detached\n",
	       "H2: another tracer's call doesn't count as the hook's");
	sim_patch((unsigned long)fn_a, false);
	ok_int(on(&luf), 0, "what is registered whole is on");
	ok_str(content("luf", "hooks", whole), "attached\n", "H2: then it reads as attached");
	ok_int(tlbbatch_hooks_unregister(), 0, "the sets go");
	ok_str(content("luf", "hooks", whole), "attached\n", "H2: it doesn't go with a set");
	ok_int(off(&luf), 0, "it is off");
	sim_patch((unsigned long)fn_whole, true);
	ok_str(content("luf", "hooks", whole), "detached\n",
	       "H2: then another tracer's call doesn't count as its own, either");
	sim_patch((unsigned long)fn_whole, false);
}

static void test_files(void)
{
	unsigned int settled_before;
	char said[4096];

	sim_forget();
	ok_int(sim_load(), 0, "it loads");
	right(sim_in_order("file:mode", "file:enabled") && sim_in_order("file:third", "file:enabled") &&
	      sim_in_order("file:version", "file:enabled"), "whoever finds `enabled` finds all others");
	ok_int(nr_dirs, 4, "a directory for each feature that has its own");
	ok_str(content("", "", "version"), "sim\n", "the version");
	ok_str(content("", "", "enabled"), "enabled\n", "a knob");
	ok_str(content("luf", "", "mode"), "mode\n", "a knob of a feature with a directory");
	ok_str(content("", "stats", "first"), "100\n", "the first counter");
	ok_str(content("", "stats", "third"), "21474836582\n", "B13: the last counter, all of it");
	settled_before = settled;
	ok_int(settled_before, 0, "another feature's counters aren't settled");
	ok_str(content("luf", "stats", "second"), "101\n", "a counter of the other feature");
	ok_int(settled - settled_before, 1, "it was settled once");
	ok_int(settled_at_read, settled, "it was settled before it was read");
	ok_str(content("luf", "stats", "ratio"), "ratio\n", "a further file beside the counters");
	right(file("", "stats", "first")->mode == 0444 && file("luf", "stats", "first")->mode == 0400 &&
	      file("luf", "hooks", luf_hooks[0].name)->mode == 0444, "each has its mode");
	ok_str(content("", "hooks", alpha_hooks[0].name), "detached\n", "a hook that is off");
	ok_str(content("", "hooks", "unneeded"), "not needed: nothing of the sort\n",
	       "one that this kernel doesn't need, and why");
	ok_int(on(&alpha), 0, "a feature is on");
	tlbbatch_hook_describe(&alpha_hooks[0], said);
	right(strncmp(said, "attached", 8) == 0 &&
	      !strcmp(content("", "hooks", alpha_hooks[0].name), said), "a hook that is on");
	ok_str(content("", "hooks", tlbbatch_pass_hook.name), "attached\n",
	       "H2: the hook that it shares has a file there, too");
	ok_str(content("luf", "hooks", luf_hooks[0].name), "detached\n", "another one isn't");
	test_whole_shown();
	right(file("luf", "hooks", luf_hooks[0].name) && !file("", "hooks", luf_hooks[0].name) &&
	      !file("luf", "hooks", alpha_hooks[0].name), "each hook is where its feature is");
	sim_unload();
	gone("when the module goes");
}

/* Each file, each directory and each allocation fails once. */
static void test_fails(void)
{
	unsigned int nr;
	int err;

	for (nr = 1; ; nr++) {
		fail_file = nr;
		err = tlbbatch_sysfs_init();
		if (!err)
			break;
		right(err == -ENOMEM, "file %u can't be made", nr);
		gone("then");
	}
	right(fail_file == 1 && nr > 9, "H2: each of %u files and directories failed once", nr - 1);
	fail_file = 0;
	tlbbatch_sysfs_exit();
	gone("behind it");
	for (nr = 1; ; nr++) {
		sim_fail_alloc(nr);
		err = tlbbatch_sysfs_init();
		if (!err)
			break;
		right(err == -ENOMEM, "there is no memory for allocation %u", nr);
		gone("then");
	}
	right(nr > 9, "H2: each of %u allocations failed once", nr - 1);
	sim_fail_alloc(0);
	tlbbatch_sysfs_exit();
	gone("behind it");
}

int main(void)
{
	hook_world_init();
	test_files();
	test_fails();
	return tap_done();
}
