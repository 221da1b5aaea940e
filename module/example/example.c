// SPDX-License-Identifier: GPL-2.0-only
/*
 * An example of a feature: it counts the passes of reclaim, and does nothing else.
 * CONTRIBUTING.md goes through it. Only builds for tests have it (module/.variant:
 * example), so that it is compiled and no user sees it.
 */
#include <linux/kobject.h>
#include <linux/percpu.h>
#include <linux/sysfs.h>
#include "core/counters.h"
#include "core/feature.h"
#include "core/knob.h"
#include "hooks/hook.h"
#include "pass/pass.h"
#include "example.h"

/* Section: counters */

#define EXAMPLE_COUNTERS(X)						\
	X(PASSES,	passes)						\
	X(PASSES_UNSEEN, passes_unseen)

enum example_counter {
#define X(upper, lower) EXAMPLE_##upper,
	EXAMPLE_COUNTERS(X)
#undef X
	EXAMPLE_NR_COUNTERS
};

struct example_counts {
	u64 value[EXAMPLE_NR_COUNTERS];
};

static DEFINE_PER_CPU(struct example_counts, example_counts);

static const char *const names[] = {
#define X(upper, lower) #lower,
	EXAMPLE_COUNTERS(X)
#undef X
};

static const struct tlbbatch_counters counters = {
	.value = example_counts.value,
	.names = names,
	.nr = ARRAY_SIZE(names),
};

/* Section: what it does in a pass */

/* It remembers nothing of a pass. */
static struct tlbbatch_pass_part part = {
	.size = 0,
	.unseen = &example_counts.value[EXAMPLE_PASSES_UNSEEN],
};

static void example_pass_begin(struct tlbbatch_pass *pass)
{
	this_cpu_inc(example_counts.value[EXAMPLE_PASSES]);
}

static void example_pass_end(struct tlbbatch_pass *pass)
{
}

/*
 * It has no hooks of its own. A feature with a part in passes gets the hook of passes.
 */
static struct tlbbatch_redirects redirects;

struct tlbbatch_feature tlbbatch_example = {
	.name = "example",
	.refuses = "example: cannot be enabled",
	.waits = "example/enabled=0",
	.redirects = &redirects,
	.pass = &part,
	.pass_begin = example_pass_begin,
	.pass_end = example_pass_end,
};

/* Section: files */

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(tlbbatch_example.on));
}

static ssize_t enabled_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t len)
{
	unsigned int value;
	int err;

	err = tlbbatch_knob_parse(buf, len, 0, 1, &value);
	if (!err)
		err = tlbbatch_feature_switch(&tlbbatch_example, value);
	return err ?: len;
}

static struct kobj_attribute enabled_attr = __ATTR_RW(enabled);

static struct attribute *attrs[] = {
	&enabled_attr.attr,
	NULL
};

static const struct attribute_group group = {
	.attrs = attrs,
};

const struct tlbbatch_files tlbbatch_example_files = {
	.dir = "example",
	.group = &group,
	.counters = &counters,
	.mode = 0444,
};
