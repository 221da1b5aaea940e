/* SPDX-License-Identifier: GPL-2.0-only */
/* What the hook of move_hook.c, which only looks, needs of the kernel and of batching. */
#ifndef SIM_MOVE_KERNEL_H
#define SIM_MOVE_KERNEL_H

#include "ftrace.h"

/* Instead of headers of batching, which need all of mm. */
#define TLBBATCH_RECLAIM_HOOKS_H
#define TLBBATCH_FLUSH_H

#define PG_swapcache		10
#define PG_swapbacked		18
#define ASM_RET			"ret\n"

struct mm_struct;

struct vm_area_struct {
	struct mm_struct *vm_mm;
};

struct folio {
	unsigned long flags;
	bool mapped;
};

#define folio_test_swapcache(folio)	(!!((folio)->flags & BIT(PG_swapcache)))
#define folio_mapped(folio)		((folio)->mapped)

struct tlbbatch_hook;
struct tlbbatch_hook_set;
extern struct tlbbatch_hook_set tlbbatch_move_set;
extern struct tlbbatch_hook tlbbatch_move_dummy;
void tlbbatch_move_trampoline(void);
void tlbbatch_move_callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs);
int tlbbatch_move_selftest(void);
bool tlbbatch_move_selftest_saw(const struct folio *folio);
void tlbbatch_flush_before_move(struct mm_struct *mm);

#endif /* SIM_MOVE_KERNEL_H */
