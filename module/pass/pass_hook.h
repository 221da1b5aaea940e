/* SPDX-License-Identifier: GPL-2.0-only */
/* The hook by which passes begin and end. */
#ifndef TLBBATCH_PASS_HOOK_H
#define TLBBATCH_PASS_HOOK_H

struct tlbbatch_hook;

extern struct tlbbatch_hook tlbbatch_pass_hook;

#endif /* TLBBATCH_PASS_HOOK_H */
