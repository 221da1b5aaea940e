/* SPDX-License-Identifier: GPL-2.0-only */
/* What advise looks at: folios, nodes, and which system call a task is in. */
#ifndef SIM_ADVISE_KERNEL_H
#define SIM_ADVISE_KERNEL_H

#include "ftrace.h"

#define PF_IO_WORKER		0x00000010
#define PF_USER_WORKER		0x00004000
#define PF_KTHREAD		0x00200000

struct pt_regs_of_task {
	int nr;
	bool is_compat;
};

/* Of the running task. */
extern struct pt_regs_of_task sim_call;
#define in_ia32_syscall()	sim_call.is_compat
#define task_pt_regs(task)	((void)(task), &sim_call)
#define syscall_get_nr(task, regs)	((void)(task), (regs)->nr)

struct folio {
	unsigned int nr;
	bool anon, swapbacked, writeback;
};

#define folio_test_anon(folio)		((folio)->anon)
#define folio_test_swapbacked(folio)	((folio)->swapbacked)
#define folio_test_writeback(folio)	((folio)->writeback)
#define folio_nr_pages(folio)		((folio)->nr)

typedef struct pglist_data {
	int node_id;
} pg_data_t;

typedef struct { unsigned long bits; } nodemask_t;

extern pg_data_t sim_nodes[2];
#define NODE_DATA(nid)		(&sim_nodes[nid])
#define nodes_empty(mask)	(!(mask).bits)

#include "sysfs_types.h"

#endif /* SIM_ADVISE_KERNEL_H */
