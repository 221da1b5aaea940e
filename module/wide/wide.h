/* SPDX-License-Identifier: GPL-2.0-only */
/* Wider passes: what their row needs. */
#ifndef TLBBATCH_WIDE_H
#define TLBBATCH_WIDE_H

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_wide;
extern const struct tlbbatch_files tlbbatch_wide_files;

#endif /* TLBBATCH_WIDE_H */
