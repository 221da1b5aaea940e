/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What runs instead of a hooked function of the kernel. Where its shape differs
 * from kernel to kernel, compat/ has the replacement, and this its parts.
 */
#ifndef TLBBATCH_RECLAIM_HOOKS_H
#define TLBBATCH_RECLAIM_HOOKS_H

#include <linux/ftrace.h>
#include <linux/mm_types.h>
#include <linux/types.h>
#include "batch/batch_policy.h"
#include "batch/dirty_batch.h"
#include "batch/reclaim_context.h"

struct tlbbatch_hook;
struct tlbbatch_hook_set;
struct tlbbatch_redirects;
struct tlbbatch_watches;

/* reclaim_hooks.c: a pass, and the flushes inside it */
void tlbbatch_batch_begin(struct tlbbatch_pass *pass, unsigned int batch_size);
bool tlbbatch_batch_end(struct tlbbatch_pass *pass);
bool tlbbatch_batch_tripped(void);
void tlbbatch_batch_rearm(void);
void tlbbatch_batch_flush(struct tlbbatch_pass *pass);
void tlbbatch_hook_try_to_unmap_flush_dirty(void);

/**
 * struct tlbbatch_file_write - reclaim writes a dirty folio, perhaps a file's
 * @nr_pages: its pages, if it is a file's, else 0
 */
struct tlbbatch_file_write {
	long nr_pages;
};

/* writeout_gate.c: nothing is written before its flush */
bool tlbbatch_gate_defers(struct tlbbatch_writeout *out);
int tlbbatch_gate_wrote(const struct tlbbatch_writeout *out, int ret);
void tlbbatch_file_write_begin(struct tlbbatch_file_write *write,
			       struct folio *folio, unsigned long writer);
int tlbbatch_file_write_end(const struct tlbbatch_file_write *write, int ret);

/* hook_table.c */
extern struct tlbbatch_redirects tlbbatch_batch_redirects;

/* move_hook.c: no swap entry is moved before its flush */
extern struct tlbbatch_hook_set tlbbatch_move_set;
void tlbbatch_move_trampoline(void);
void tlbbatch_move_callback(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, struct ftrace_regs *fregs);

/* move_selftest.c: that this works */
extern struct tlbbatch_hook tlbbatch_move_dummy;
int tlbbatch_move_selftest(void);
bool tlbbatch_move_selftest_saw(const struct folio *folio);

/* witness.c: what reclaim itself says that it wrote */
extern struct tlbbatch_watches tlbbatch_batch_watches;

#endif /* TLBBATCH_RECLAIM_HOOKS_H */
