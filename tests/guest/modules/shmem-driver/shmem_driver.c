// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: does to shmem pages what drivers do that keep their objects in shmem,
 * outside of any reclaim pass.
 *
 *   write FD INDEX		i915's __shmem_writeback(), for one page: lock it,
 *				and if nobody maps it and it is dirty, write it
 *   clean FD INDEX		take its dirty bit away, and keep a reference: it can't be
 *				freed, as it would be if it had been looked at before ...
 *   dirty FD INDEX		... until now; EBUSY if nobody else made it dirty again
 *   writeback FD INDEX		the same, and leave it under writeback ...
 *   written FD INDEX		... until now; EBUSY if nobody made it dirty meanwhile
 *   hold FD INDEX		take its dirty bit away, and leave it locked ...
 *   release FD INDEX		... until now, and mark it dirty again
 *   lock FD INDEX		lock it, and leave it locked ...
 *   unlock FD INDEX		... until now
 */
#define pr_fmt(fmt) "shmem_driver: " fmt
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/version.h>
#include <linux/writeback.h>
#include <linux/xarray.h>

/* The pages that were cleaned, by page frame. */
static DEFINE_XARRAY(cleaned);

/* For a folio that is locked and clean. If it returns 0, it has unlocked the folio. */
static int write_out(struct folio *folio)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
	struct writeback_control wbc = {
		.sync_mode = WB_SYNC_NONE,
		.nr_to_write = SWAP_CLUSTER_MAX,
		.range_start = 0,
		.range_end = LLONG_MAX,
		.for_reclaim = 1,
	};

	return folio->mapping->a_ops->writepage(&folio->page, &wbc);
#elif LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
	return shmem_writeout(folio, NULL, NULL);
#else
	return shmem_write_folio(folio);
#endif
}

static int do_write(struct folio *folio)
{
	if (folio_mapped(folio) || !folio_clear_dirty_for_io(folio)) {
		folio_unlock(folio);
		return -EBUSY;
	}
	folio_set_reclaim(folio);
	if (write_out(folio)) {
		folio_unlock(folio);
		return -EAGAIN;
	}
	if (!folio_test_writeback(folio))
		folio_clear_reclaim(folio);
	return 0;
}

static int do_clean(struct folio *folio)
{
	unsigned long pfn = folio_pfn(folio);
	int err = -EBUSY;

	if (folio_mapped(folio) || !folio_test_dirty(folio))
		goto out;
	err = xa_insert(&cleaned, pfn, folio, GFP_KERNEL);
	if (err)
		goto out;
	folio_clear_dirty_for_io(folio);
	folio_get(folio);
out:
	folio_unlock(folio);
	return err;
}

static int do_dirty(struct folio *folio)
{
	bool again = folio_test_dirty(folio);

	if (!xa_erase(&cleaned, folio_pfn(folio))) {
		folio_unlock(folio);
		return -ENOENT;
	}
	if (!again)
		folio_mark_dirty(folio);
	folio_unlock(folio);
	folio_put(folio);
	return again ? 0 : -EBUSY;
}

static int do_writeback(struct folio *folio)
{
	bool dirty = !folio_mapped(folio) && folio_clear_dirty_for_io(folio);

	if (dirty)
		folio_start_writeback(folio);
	folio_unlock(folio);
	return dirty ? 0 : -EBUSY;
}

static int do_written(struct folio *folio)
{
	bool writeback = folio_test_writeback(folio);
	bool again = folio_test_dirty(folio);

	if (writeback)
		folio_end_writeback(folio);
	folio_unlock(folio);
	return writeback && again ? 0 : -EBUSY;
}

static int do_hold(struct folio *folio)
{
	if (!folio_mapped(folio) && folio_test_dirty(folio) &&
	    !xa_insert(&cleaned, folio_pfn(folio), folio, GFP_KERNEL)) {
		folio_clear_dirty_for_io(folio);
		folio_get(folio);
		return 0;
	}
	folio_unlock(folio);
	return -EBUSY;
}

static int do_release(struct folio *folio)
{
	if (!xa_erase(&cleaned, folio_pfn(folio)))
		return -EBUSY;
	folio_mark_dirty(folio);
	folio_unlock(folio);
	folio_put(folio);
	return 0;
}

static int do_lock(struct folio *folio)
{
	return 0;
}

static int do_unlock(struct folio *folio)
{
	if (!folio_test_locked(folio))
		return -EBUSY;
	folio_unlock(folio);
	return 0;
}

static const struct {
	const char *name;
	int (*act)(struct folio *folio);
	bool is_locked;
} acts[] = {
	{ "write", do_write },
	{ "clean", do_clean },
	{ "dirty", do_dirty },
	{ "writeback", do_writeback },
	{ "written", do_written },
	{ "hold", do_hold },
	{ "release", do_release, true },
	{ "lock", do_lock },
	{ "unlock", do_unlock, true },
};

static int act(struct address_space *mapping, const char *name, pgoff_t index)
{
	struct folio *folio;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(acts); i++)
		if (!strcmp(acts[i].name, name))
			break;
	if (i == ARRAY_SIZE(acts))
		return -EINVAL;
	/* Like find_lock_page(): take a reference, and then wait for the lock. */
	folio = __filemap_get_folio(mapping, index, acts[i].is_locked ? 0 : FGP_LOCK, 0);
	if (IS_ERR_OR_NULL(folio))
		return -ENOENT;
	err = acts[i].act(folio);
	folio_put(folio);
	return err;
}

static int act_set(const char *text, const struct kernel_param *kp)
{
	unsigned long index;
	struct file *file;
	char name[16];
	int fd, err;

	if (sscanf(text, "%15s %d %lu", name, &fd, &index) != 3)
		return -EINVAL;
	file = fget(fd);
	if (!file)
		return -EBADF;
	err = act(file->f_mapping, name, index);
	fput(file);
	return err;
}

static const struct kernel_param_ops act_ops = {
	.set = act_set,
};

module_param_cb(act, &act_ops, NULL, 0200);
MODULE_PARM_DESC(act, "ACTION FD INDEX: on a page of the writer's file");

static int __init shmem_driver_init(void)
{
	return 0;
}

static void __exit shmem_driver_exit(void)
{
	struct folio *folio;
	unsigned long pfn;

	xa_for_each(&cleaned, pfn, folio)
		folio_put(folio);
	xa_destroy(&cleaned);
}

module_init(shmem_driver_init);
module_exit(shmem_driver_exit);

MODULE_DESCRIPTION("Writes shmem back from outside of reclaim (test)");
MODULE_AUTHOR("tlbbatch maintainers");
MODULE_LICENSE("GPL");
