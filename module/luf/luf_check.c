// SPDX-License-Identifier: GPL-2.0-only
/*
 * luf/check: watches that frames which are held back are left alone (rule D9). It looks at other
 * functions than deferral does, further down in the kernel: an event that deferral has missed is
 * noticed when the file changes.
 */
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include "compat/ftrace_compat.h"
#include "core/feature.h"
#include "core/knob.h"
#include "debug/debug.h"
#include "hooks/watch.h"
#include "luf/luf_check.h"
#include "luf/luf_defer_policy.h"
#include "luf/luf_held.h"
#include "targets.h"

/* luf/check. Only a debug build overwrites what is held back. */
enum { OFF, CHECKS, POISONS };
#define MOST	(IS_ENABLED(TLBBATCH_DEBUG) ? POISONS : CHECKS)

/* Serialises changes of the knob. */
static DEFINE_MUTEX(check_mutex);
static unsigned int level;

static bool may_stay(const struct address_space *file, bool replaced)
{
	/* A dirty folio that was cut off has no file, nor has the swap cache an inode. */
	const struct inode *inode = file ? file->host : NULL;

	return inode && tlbbatch_held_may_stay(&(struct tlbbatch_defer_file){
		.magic = inode->i_sb->s_magic,
		.open_for_write = inode_is_open_for_write(inode),
	}, replaced);
}

/*
 * Only what happens to the very pages counts: others are dirtied without a writer, too, by
 * writeback for one. What is held back has left the page cache, so this is another folio.
 */
static void see_dirty(const struct address_space *file, struct folio *folio)
{
	if (may_stay(file, false))
		return;
	tlbbatch_held_see_file(file, folio->index, folio->index + folio_nr_pages(folio) - 1,
			       TLBBATCH_HELD_WRITTEN);
}

static void see_dirties(struct ftrace_regs *fregs)
{
	see_dirty((const struct address_space *)compat_ftrace_argument(fregs, 1),
		  (struct folio *)compat_ftrace_argument(fregs, 0));
}

static void see_dirties_file(struct ftrace_regs *fregs)
{
	see_dirty((const struct address_space *)compat_ftrace_argument(fregs, 0),
		  (struct folio *)compat_ftrace_argument(fregs, 1));
}

static void see_cuts(struct ftrace_regs *fregs)
{
	const struct inode *inode = (const struct inode *)compat_ftrace_argument(fregs, 0);

	tlbbatch_held_see_file(inode->i_mapping, compat_ftrace_argument(fregs, 1) >> PAGE_SHIFT,
			       ULONG_MAX, TLBBATCH_HELD_CUT);
}

/* Somebody writes past the page cache. */
static void see_replaces(struct ftrace_regs *fregs)
{
	const struct address_space *file =
		(const struct address_space *)compat_ftrace_argument(fregs, 0);

	if (may_stay(file, true))
		return;
	tlbbatch_held_see_file(file, compat_ftrace_argument(fregs, 1),
			       compat_ftrace_argument(fregs, 2), TLBBATCH_HELD_WRITTEN);
}

static void see_ends(struct ftrace_regs *fregs)
{
	tlbbatch_held_see_end((const struct address_space *)compat_ftrace_argument(fregs, 0));
}

static void probe_allocates(void *data, struct page *page, unsigned int order, gfp_t flags,
			    int migratetype)
{
	if (page)
		tlbbatch_held_see_frames(page, order, TLBBATCH_HELD_ALLOCATED);
}

static void probe_frees(void *data, struct page *page, unsigned int order)
{
	tlbbatch_held_see_frames(page, order, TLBBATCH_HELD_FREED);
}

static struct tlbbatch_entry entries[] = {
	TLBBATCH_TBL_check_entry_names(TLBBATCH_ENTRY)
};

#define EVENT(name, symbol, proto)	\
	TLBBATCH_POINT(symbol, proto, probe_##name)
#define POINT(name, optional)	TLBBATCH_TBL_trace_##name(EVENT)

static struct tlbbatch_point points[] = {
	TLBBATCH_TBL_check_trace_names(POINT)
};

static struct tlbbatch_sites sites;

struct tlbbatch_watches tlbbatch_luf_check_watches = {
	.entries = entries,
	.nr_entries = ARRAY_SIZE(entries),
	.sites = &sites,
	.points = points,
	.nr_points = ARRAY_SIZE(points),
};

struct tlbbatch_feature tlbbatch_luf_check = {
	.name = "luf (check)",
	.lacks = "luf: unavailable, what is held back cannot be checked",
	.refuses = "luf: cannot check what is held back",
	.fails = "luf: cannot watch what is held back",
	.watches = &tlbbatch_luf_check_watches,
	.start = tlbbatch_held_init,
	.stop = tlbbatch_held_exit,
};

static ssize_t check_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(level));
}

static int set_level(unsigned int value)
{
	int err;

	if (mutex_lock_killable(&check_mutex))
		return -EINTR;
	err = tlbbatch_feature_switch(&tlbbatch_luf_check, value != OFF);
	if (!err) {
		WRITE_ONCE(level, value);
		tlbbatch_held_poison(value == POISONS);
	}
	mutex_unlock(&check_mutex);
	return err;
}

static ssize_t check_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			   size_t len)
{
	unsigned int value;
	int err;

	err = tlbbatch_knob_parse(buf, len, OFF, MOST, &value);
	if (!err)
		err = set_level(value);
	return err ?: len;
}

struct kobj_attribute tlbbatch_luf_check_attr = __ATTR_RW(check);
