/* SPDX-License-Identifier: GPL-2.0-only */
/* How a batched flush reaches other CPUs. */
#ifndef TLBBATCH_COMPAT_TLB_H
#define TLBBATCH_COMPAT_TLB_H

#include <asm/cpufeature.h>

/*
 * AMD's INVLPGB, used since 6.15, flushes all CPUs by a broadcast: no IPI is
 * sent, and none can be avoided.
 */
static inline bool compat_flush_sends_ipis(void)
{
#ifdef X86_FEATURE_INVLPGB
	return !boot_cpu_has(X86_FEATURE_INVLPGB);
#else
	return true;
#endif
}

#endif /* TLBBATCH_COMPAT_TLB_H */
