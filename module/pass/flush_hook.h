/* SPDX-License-Identifier: GPL-2.0-only */
/* The hook of reclaim's flush. */
#ifndef TLBBATCH_FLUSH_HOOK_H
#define TLBBATCH_FLUSH_HOOK_H

struct tlbbatch_hook;

extern struct tlbbatch_hook tlbbatch_flush_hook;

#endif /* TLBBATCH_FLUSH_HOOK_H */
