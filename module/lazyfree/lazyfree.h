/* SPDX-License-Identifier: GPL-2.0-only */
/* Lazyfree: what its row needs. */
#ifndef TLBBATCH_LAZYFREE_H
#define TLBBATCH_LAZYFREE_H

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_lazyfree;
extern const struct tlbbatch_files tlbbatch_lazyfree_files;

#endif /* TLBBATCH_LAZYFREE_H */
