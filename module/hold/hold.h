/* SPDX-License-Identifier: GPL-2.0-only */
/* One flush for all that a pass frees: what its row needs. */
#ifndef TLBBATCH_HOLD_H
#define TLBBATCH_HOLD_H

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_hold;
extern const struct tlbbatch_files tlbbatch_hold_files;

#endif /* TLBBATCH_HOLD_H */
