// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/tlbbatch: see sysfs-docs/ABI/testing/sysfs-kernel-tlbbatch. */
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <tlbbatch/batch_counters.h>
#include <tlbbatch/batch_policy.h>
#include <tlbbatch/hook.h>
#include <tlbbatch/knobs.h>
#include <tlbbatch/luf.h>
#include <tlbbatch/luf_counters.h>
#include <tlbbatch/luf_table.h>
#include <tlbbatch/reclaim_context.h>
#include <tlbbatch/sysfs.h>

static struct kobject *root, *luf;

/* Section: knobs */

static ssize_t knob_store(const char *buf, size_t len, unsigned int min,
			  unsigned int max, int (*set)(unsigned int value))
{
	unsigned int value;
	int err;

	err = tlbbatch_knob_parse(buf, len, min, max, &value);
	if (!err)
		err = set(value);
	return err ?: len;
}

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_knob_enabled());
}

static ssize_t enabled_store(struct kobject *kobj, struct kobj_attribute *attr,
			     const char *buf, size_t len)
{
	return knob_store(buf, len, 0, 1, tlbbatch_knob_set_enabled);
}

static ssize_t batch_size_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", tlbbatch_knob_batch_size());
}

static ssize_t batch_size_store(struct kobject *kobj,
				struct kobj_attribute *attr, const char *buf,
				size_t len)
{
	return knob_store(buf, len, TLBBATCH_BATCH_MIN, TLBBATCH_BATCH_MAX,
			  tlbbatch_knob_set_batch_size);
}

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s\n", THIS_MODULE->version);
}

static struct kobj_attribute enabled_attr = __ATTR_RW(enabled);
static struct kobj_attribute batch_size_attr = __ATTR_RW(batch_size);
static struct kobj_attribute version_attr = __ATTR_RO(version);

static struct attribute *knob_attrs[] = {
	&enabled_attr.attr,
	&batch_size_attr.attr,
	&version_attr.attr,
	NULL
};

static const struct attribute_group knob_group = {
	.attrs = knob_attrs,
};

/* Section: luf/ */

static const char *const luf_modes[] = {
	[TLBBATCH_LUF_MODE_OFF] = "off",
	[TLBBATCH_LUF_MODE_TRACK] = "track",
};

static ssize_t mode_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	bool tracks = tlbbatch_luf_mode() == TLBBATCH_LUF_MODE_TRACK;

	return sysfs_emit(buf, "%s\n", tracks ? "off [track]" : "[off] track");
}

static ssize_t mode_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *buf, size_t len)
{
	int wanted, err;

	/* A NUL in the middle would hide what follows it. */
	if (strnlen(buf, len) != len)
		return -EINVAL;
	wanted = sysfs_match_string(luf_modes, buf);
	if (wanted < 0)
		return wanted;
	err = tlbbatch_luf_set_mode(wanted);
	return err ?: len;
}

static ssize_t generation_show(struct kobject *kobj, struct kobj_attribute *attr,
			       char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n", tlbbatch_luf_youngest());
}

static ssize_t open_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n", tlbbatch_luf_nr_open(TLBBATCH_LUF_IDEAL));
}

static ssize_t open_as_posted_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n", tlbbatch_luf_nr_open(TLBBATCH_LUF_POSTED));
}

static struct kobj_attribute mode_attr = __ATTR_RW(mode);
static struct kobj_attribute generation_attr = __ATTR_RO_MODE(generation, 0400);
static struct kobj_attribute open_attr = __ATTR_RO_MODE(open, 0400);
static struct kobj_attribute open_as_posted_attr = __ATTR_RO_MODE(open_as_posted, 0400);

static struct attribute *luf_attrs[] = {
	&mode_attr.attr,
	&generation_attr.attr,
	&open_attr.attr,
	&open_as_posted_attr.attr,
	NULL
};

static const struct attribute_group luf_group = {
	.attrs = luf_attrs,
};

static u64 luf_counter(enum tlbbatch_luf_counter counter)
{
	return tlbbatch_counter_read(&tlbbatch_luf_counters, counter);
}

/* What LUF would have flushed, and what it would never have had to: ideal, as posted. */
static ssize_t flushes_luf_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n",
			  luf_counter(TLBBATCH_LUF_NEEDED) +
			  luf_counter(TLBBATCH_LUF_GIVEN_UP));
}

static ssize_t flushes_avoided_show(struct kobject *kobj,
				    struct kobj_attribute *attr, char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n",
			  luf_counter(TLBBATCH_LUF_SAVED));
}

static ssize_t flushes_luf_as_posted_show(struct kobject *kobj,
					  struct kobj_attribute *attr, char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n",
			  luf_counter(TLBBATCH_LUF_POSTED_NEEDED) +
			  luf_counter(TLBBATCH_LUF_POSTED_GIVEN_UP));
}

static ssize_t flushes_avoided_as_posted_show(struct kobject *kobj,
					      struct kobj_attribute *attr,
					      char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n",
			  luf_counter(TLBBATCH_LUF_POSTED_SAVED));
}

static struct kobj_attribute flushes_luf_attr = __ATTR_RO_MODE(flushes_luf, 0400);
static struct kobj_attribute flushes_avoided_attr = __ATTR_RO_MODE(flushes_avoided, 0400);
static struct kobj_attribute flushes_luf_as_posted_attr =
	__ATTR_RO_MODE(flushes_luf_as_posted, 0400);
static struct kobj_attribute flushes_avoided_as_posted_attr =
	__ATTR_RO_MODE(flushes_avoided_as_posted, 0400);

/* Section: hooks/ and stats/, a file per row of a table */

/**
 * struct row_attribute - a read-only file that stands for a row of a table
 * @kobj_attr: the file
 * @index: the row
 */
struct row_attribute {
	struct kobj_attribute kobj_attr;
	unsigned int index;
};

static unsigned int row_of(struct kobj_attribute *attr)
{
	return container_of(attr, struct row_attribute, kobj_attr)->index;
}

static ssize_t hook_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	return tlbbatch_hook_describe(&tlbbatch_hooks[row_of(attr)], buf);
}

static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%llu\n", tlbbatch_counter_read(&tlbbatch_batch_counters, row_of(attr)));
}

static ssize_t folios_waiting_show(struct kobject *kobj,
				   struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tlbbatch_contexts_waiting_folios());
}

static struct kobj_attribute folios_waiting_attr = __ATTR_RO(folios_waiting);

static ssize_t luf_stat_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	tlbbatch_luf_settle();
	return sysfs_emit(buf, "%llu\n", luf_counter(row_of(attr)));
}

static const char *stat_name(unsigned int index)
{
	return tlbbatch_batch_counters.names[index];
}

static const char *luf_stat_name(unsigned int index)
{
	return tlbbatch_luf_counters.names[index];
}

static const char *hook_name(unsigned int index)
{
	return tlbbatch_hooks[index].name;
}

/**
 * struct table - a directory with a file per row
 * @group: the directory
 * @rows: its files
 * @name: the name of a row
 * @show: reads a row
 * @mode: of its files
 * @extra: more files, or NULL
 */
struct table {
	struct attribute_group group;
	struct row_attribute *rows;
	const char *(*name)(unsigned int index);
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf);
	umode_t mode;
	struct kobj_attribute *extra[4];
};

static struct table hooks_table = {
	.group.name = "hooks",
	.name = hook_name,
	.show = hook_show,
	.mode = 0444,
};

static struct table stats_table = {
	.group.name = "stats",
	.name = stat_name,
	.show = stat_show,
	.mode = 0444,
	.extra = { &folios_waiting_attr },
};

static struct table luf_stats_table = {
	.group.name = "stats",
	.name = luf_stat_name,
	.show = luf_stat_show,
	/* Each read looks at all generations, and they tell of the whole machine. */
	.mode = 0400,
	.extra = { &flushes_luf_attr, &flushes_avoided_attr,
		   &flushes_luf_as_posted_attr, &flushes_avoided_as_posted_attr },
};

static void table_free(struct table *table)
{
	kfree(table->group.attrs);
	kfree(table->rows);
	table->group.attrs = NULL;
	table->rows = NULL;
}

static int table_make(struct kobject *parent, struct table *table,
		      unsigned int nr)
{
	unsigned int i;

	table->rows = kcalloc(nr, sizeof(*table->rows), GFP_KERNEL);
	table->group.attrs = kcalloc(nr + ARRAY_SIZE(table->extra) + 1,
				     sizeof(*table->group.attrs), GFP_KERNEL);
	if (!table->rows || !table->group.attrs)
		goto no_memory;
	for (i = 0; i < nr; i++) {
		struct row_attribute *row = &table->rows[i];

		sysfs_attr_init(&row->kobj_attr.attr);
		row->index = i;
		row->kobj_attr.attr.name = table->name(i);
		row->kobj_attr.attr.mode = table->mode;
		row->kobj_attr.show = table->show;
		table->group.attrs[i] = &row->kobj_attr.attr;
	}
	for (i = 0; i < ARRAY_SIZE(table->extra) && table->extra[i]; i++)
		table->group.attrs[nr + i] = &table->extra[i]->attr;
	if (!sysfs_create_group(parent, &table->group))
		return 0;
no_memory:
	table_free(table);
	return -ENOMEM;
}

static void table_drop(struct kobject *parent, struct table *table)
{
	sysfs_remove_group(parent, &table->group);
	table_free(table);
}

static int luf_make(void)
{
	int err = -ENOMEM;

	luf = kobject_create_and_add("luf", root);
	if (!luf)
		return -ENOMEM;
	if (table_make(luf, &luf_stats_table,
		       TLBBATCH_LUF_NR_COUNTERS))
		goto put;
	err = sysfs_create_group(luf, &luf_group);
	if (!err)
		return 0;
	table_drop(luf, &luf_stats_table);
put:
	kobject_put(luf);
	return err;
}

static void luf_drop(void)
{
	sysfs_remove_group(luf, &luf_group);
	table_drop(luf, &luf_stats_table);
	kobject_put(luf);
}

/**
 * tlbbatch_sysfs_init() - make /sys/kernel/tlbbatch
 *
 * Context: load. Return: 0 or -ENOMEM; nothing is left behind then.
 */
int tlbbatch_sysfs_init(void)
{
	int err = -ENOMEM;

	root = kobject_create_and_add("tlbbatch", kernel_kobj);
	if (!root)
		return -ENOMEM;
	if (table_make(root, &hooks_table, tlbbatch_nr_hooks))
		goto put;
	if (table_make(root, &stats_table, TLBBATCH_NR_COUNTERS))
		goto drop_hooks;
	if (luf_make())
		goto drop_stats;
	err = sysfs_create_group(root, &knob_group);
	if (!err)
		return 0;

	luf_drop();
drop_stats:
	table_drop(root, &stats_table);
drop_hooks:
	table_drop(root, &hooks_table);
put:
	kobject_put(root);
	return err;
}

/**
 * tlbbatch_sysfs_exit() - remove it
 *
 * Waits for readers and writers that are inside.
 *
 * Context: unload, the first step.
 */
void tlbbatch_sysfs_exit(void)
{
	sysfs_remove_group(root, &knob_group);
	luf_drop();
	table_drop(root, &stats_table);
	table_drop(root, &hooks_table);
	kobject_put(root);
}
