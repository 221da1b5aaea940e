/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks by which huge pages are discarded. */
#ifndef TLBBATCH_LAZYFREE_HOOKS_H
#define TLBBATCH_LAZYFREE_HOOKS_H

struct tlbbatch_redirects;

extern struct tlbbatch_redirects tlbbatch_lazyfree_redirects;

#endif /* TLBBATCH_LAZYFREE_HOOKS_H */
