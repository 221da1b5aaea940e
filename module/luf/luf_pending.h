/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reclaim pass has pending. luf_pass.c has the slots, luf_unmap.c fills them. */
#ifndef TLBBATCH_LUF_PENDING_H
#define TLBBATCH_LUF_PENDING_H

#include <linux/spinlock.h>
#include "luf/luf_files.h"
#include "luf/luf_pages.h"

/**
 * struct pass - what one task has pending
 * @lock: held by its task while it looks, or by one that takes the slot over
 * @task: whose it is, alive as long as it stands here
 * @started: when that was started, in ns of boot time: addresses are used again
 * @used: when it was used last, in jiffies
 * @active: the task is in a pass, as far as is known
 * @demotes: it has begun to migrate folios to another node
 * @readonly: folios unmapped read-only since the last flush
 * @mixed: others
 * @untracked: some didn't fit
 * @remote: one of them is of a file system that others may write to
 * @open_write: the file of one is open for writing
 * @hit: an event of rule L11 met one of @files; written by anybody
 * @last_mixed: the last unmap wasn't read-only, and isn't settled yet
 * @was_pending: a flush was required before the last unmap
 * @stale_files: @files are of unmaps that are flushed already
 * @files: of the read-only ones; read by anybody
 * @pages: of the read-only ones
 * @before: the batch's CPUs before the last unmap
 * @sent: CPUs that the flush under way reaches
 * @owed: CPUs that certainly were added by unmaps that weren't read-only
 * @completes: the flush under way covers @owed up to @number
 * @number: the youngest generation when the flush began
 */
struct pass {
	raw_spinlock_t lock;
	const struct task_struct *task;
	u64 started;
	unsigned long used;
	bool active;
	bool demotes;
	unsigned int readonly;
	unsigned int mixed;
	bool untracked;
	bool remote;
	bool open_write;
	bool hit;
	bool last_mixed;
	bool was_pending;
	bool stale_files;
	struct tlbbatch_luf_files files;
	struct tlbbatch_luf_pages pages;
	unsigned long *before;
	unsigned long *sent;
	unsigned long *owed;
	bool completes;
	u64 number;
} ____cacheline_aligned_in_smp;

/* Lock debugging makes the lock larger. */
static_assert(IS_ENABLED(CONFIG_DEBUG_SPINLOCK) ||
	      sizeof(struct pass) == TLBBATCH_LUF_PASS_BYTES);

/* luf_pass.c */
struct pass *tlbbatch_luf_get_pass(void);
void tlbbatch_luf_put_pass(struct pass *pass);
void tlbbatch_luf_forget_files(struct pass *pass);
void tlbbatch_luf_forget_unmaps(struct pass *pass);
void tlbbatch_luf_forget(struct pass *pass);
bool tlbbatch_luf_is_closing(void);

#endif /* TLBBATCH_LUF_PENDING_H */
