// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/tlbbatch: see sysfs-docs/ABI/testing/sysfs-kernel-tlbbatch. Each
 * feature's row says which files it has.
 */
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "core/counters.h"
#include "core/feature.h"
#include "core/sysfs.h"
#include "hooks/hook.h"

/**
 * struct row_attribute - a read-only file that shows one hook or one counter
 * @kobj_attr: the file
 * @feature: the feature that has the hook or counter
 * @index: the place of the hook or counter among the feature's
 */
struct row_attribute {
	struct kobj_attribute kobj_attr;
	const struct tlbbatch_row *feature;
	unsigned int index;
};

/**
 * struct table - a directory with a file for each hook or counter
 * @group: the directory; it is there if @group.attrs is set
 * @rows: its files
 */
struct table {
	struct attribute_group group;
	struct row_attribute *rows;
};

/**
 * struct shown - the directories of a feature that have been made
 * @dir: its own directory; NULL if it has none
 * @hooks: its hooks/
 * @stats: its stats/
 */
struct shown {
	struct kobject *dir;
	struct table hooks;
	struct table stats;
};

static struct kobject *root;
static struct shown *all;

static const struct row_attribute *row_of(struct kobj_attribute *attr)
{
	return container_of(attr, struct row_attribute, kobj_attr);
}

static ssize_t hook_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	const struct row_attribute *row = row_of(attr);

	return tlbbatch_hook_describe(tlbbatch_hook_at(row->feature->feature->redirects,
						       row->index), buf);
}

static ssize_t stat_show(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	const struct row_attribute *row = row_of(attr);
	const struct tlbbatch_files *files = row->feature->files;

	if (files->settle)
		files->settle();
	return sysfs_emit(buf, "%llu\n",
			  tlbbatch_counter_read(files->counters, row->index));
}

static const char *hook_name(const struct tlbbatch_row *feature,
			     unsigned int index)
{
	return tlbbatch_hook_at(feature->feature->redirects, index)->name;
}

static const char *stat_name(const struct tlbbatch_row *feature,
			     unsigned int index)
{
	return feature->files->counters->names[index];
}

/**
 * struct rows - the hooks or counters that a directory is made from
 * @dir: the directory's name
 * @nr: how many hooks or counters there are
 * @name: returns the name of one
 * @show: reads one
 * @mode: the access mode of their files
 * @more: further files of the directory, ended by NULL; or NULL
 */
struct rows {
	const char *dir;
	unsigned int nr;
	const char *(*name)(const struct tlbbatch_row *feature,
			    unsigned int index);
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf);
	umode_t mode;
	struct kobj_attribute *const *more;
};

static void table_free(struct table *table)
{
	kfree(table->group.attrs);
	kfree(table->rows);
	table->group.attrs = NULL;
	table->rows = NULL;
}

static unsigned int count_more(const struct rows *rows)
{
	unsigned int nr = 0;

	while (rows->more && rows->more[nr])
		nr++;
	return nr;
}

static int table_make(struct kobject *parent, struct table *table,
		      const struct tlbbatch_row *feature,
		      const struct rows *rows)
{
	unsigned int nr_more = count_more(rows), i;
	int err = -ENOMEM;

	table->rows = kcalloc(rows->nr, sizeof(*table->rows), GFP_KERNEL);
	table->group.attrs = kcalloc(rows->nr + nr_more + 1,
				     sizeof(*table->group.attrs), GFP_KERNEL);
	if (!table->rows || !table->group.attrs)
		goto failed;
	table->group.name = rows->dir;
	for (i = 0; i < rows->nr; i++) {
		struct row_attribute *row = &table->rows[i];

		sysfs_attr_init(&row->kobj_attr.attr);
		row->feature = feature;
		row->index = i;
		row->kobj_attr.attr.name = rows->name(feature, i);
		row->kobj_attr.attr.mode = rows->mode;
		row->kobj_attr.show = rows->show;
		table->group.attrs[i] = &row->kobj_attr.attr;
	}
	for (i = 0; i < nr_more; i++)
		table->group.attrs[rows->nr + i] = &rows->more[i]->attr;
	err = sysfs_create_group(parent, &table->group);
	if (!err)
		return 0;
failed:
	table_free(table);
	return err;
}

static void table_drop(struct kobject *parent, struct table *table)
{
	if (!table->group.attrs)
		return;
	sysfs_remove_group(parent, &table->group);
	table_free(table);
}

static int make_tables(struct kobject *parent, struct shown *shown,
		       const struct tlbbatch_row *feature)
{
	const struct tlbbatch_files *files = feature->files;
	struct rows hooks = {
		.dir = "hooks",
		.name = hook_name,
		.show = hook_show,
		.mode = 0444,
	};
	struct rows stats = {
		.dir = "stats",
		.name = stat_name,
		.show = stat_show,
		.mode = files->mode,
		.more = files->derived,
	};
	int err = 0;

	if (files->shows_hooks) {
		hooks.nr = tlbbatch_nr_hooks(feature->feature->redirects);
		err = table_make(parent, &shown->hooks, feature, &hooks);
	}
	if (err || !files->counters)
		return err;
	stats.nr = files->counters->nr;
	return table_make(parent, &shown->stats, feature, &stats);
}

static struct kobject *parent_of(unsigned int i)
{
	return all[i].dir ?: root;
}

static void drop_dir(unsigned int i)
{
	struct shown *shown = &all[i];

	table_drop(parent_of(i), &shown->stats);
	table_drop(parent_of(i), &shown->hooks);
	kobject_put(shown->dir);
}

static int make(unsigned int i)
{
	const struct tlbbatch_row *feature = &tlbbatch_features[i];
	const struct tlbbatch_files *files = feature->files;
	struct shown *shown = &all[i];
	int err;

	if (!files)
		return 0;
	if (files->dir) {
		shown->dir = kobject_create_and_add(files->dir, root);
		if (!shown->dir)
			return -ENOMEM;
	}
	err = make_tables(parent_of(i), shown, feature);
	if (err)
		drop_dir(i);
	return err;
}

static const struct attribute_group *group_of(unsigned int i)
{
	const struct tlbbatch_files *files = tlbbatch_features[i].files;

	return files ? files->group : NULL;
}

/* The knobs of the features from @i on. */
static void drop_groups(unsigned int i)
{
	for (; i < tlbbatch_nr_features; i++)
		if (group_of(i))
			sysfs_remove_group(parent_of(i), group_of(i));
}

/*
 * The first feature's knobs are made last of all: whoever finds `enabled` finds all
 * other files, too.
 */
static int make_groups(void)
{
	unsigned int i = tlbbatch_nr_features;
	int err;

	while (i--) {
		if (!group_of(i))
			continue;
		err = sysfs_create_group(parent_of(i), group_of(i));
		if (err) {
			drop_groups(i + 1);
			return err;
		}
	}
	return 0;
}

static ssize_t version_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s\n", THIS_MODULE->version);
}

static struct kobj_attribute version_attr = __ATTR_RO(version);

/**
 * tlbbatch_sysfs_init() - make /sys/kernel/tlbbatch
 *
 * Context: load.
 * Return: 0, or a negative error; nothing is left behind then.
 */
int tlbbatch_sysfs_init(void)
{
	unsigned int i;
	int err = -ENOMEM;

	all = kcalloc(tlbbatch_nr_features, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	root = kobject_create_and_add("tlbbatch", kernel_kobj);
	if (!root)
		goto free;
	for (i = 0; i < tlbbatch_nr_features; i++) {
		err = make(i);
		if (err)
			goto drop;
	}
	err = sysfs_create_file(root, &version_attr.attr);
	if (err)
		goto drop;
	err = make_groups();
	if (!err)
		return 0;
	sysfs_remove_file(root, &version_attr.attr);
drop:
	while (i--)
		drop_dir(i);
	kobject_put(root);
free:
	kfree(all);
	return err;
}

/**
 * tlbbatch_sysfs_exit() - remove /sys/kernel/tlbbatch
 *
 * Waits until every read and write that has begun is over.
 *
 * Context: unload, as its first step.
 */
void tlbbatch_sysfs_exit(void)
{
	unsigned int i = tlbbatch_nr_features;

	drop_groups(0);
	sysfs_remove_file(root, &version_attr.attr);
	while (i--)
		drop_dir(i);
	kobject_put(root);
	kfree(all);
}
