/* SPDX-License-Identifier: GPL-2.0-only */
/* Which system call a task is in, on x86. */
#ifndef TLBBATCH_ARCH_X86_CALL_H
#define TLBBATCH_ARCH_X86_CALL_H

#include <linux/compat.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <asm/syscall.h>

/**
 * tlbbatch_arch_syscall() - the system call that the running task is in
 * @is_compat: set to whether its number is one of the 32-bit table
 *
 * A fault and an interrupt leave -1 where the number was.
 *
 * Context: a task that runs a program; not in an interrupt.
 * Return: its number; less than 0 if there is none.
 */
static inline int tlbbatch_arch_syscall(bool *is_compat)
{
	*is_compat = in_ia32_syscall();
	return syscall_get_nr(current, task_pt_regs(current));
}

#endif /* TLBBATCH_ARCH_X86_CALL_H */
