/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks by which huge pages are discarded. */
#ifndef TLBBATCH_LAZYFREE_HOOKS_H
#define TLBBATCH_LAZYFREE_HOOKS_H

#include <linux/types.h>

struct tlbbatch_redirects;

extern struct tlbbatch_redirects tlbbatch_lazyfree_redirects;

void tlbbatch_lazyfree_set(bool acts);
bool tlbbatch_lazyfree_acts(void);

#endif /* TLBBATCH_LAZYFREE_HOOKS_H */
