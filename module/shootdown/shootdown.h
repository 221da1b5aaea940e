/* SPDX-License-Identifier: GPL-2.0-only */
/* Fewer receivers of flushes: what their row needs. */
#ifndef TLBBATCH_SHOOTDOWN_H
#define TLBBATCH_SHOOTDOWN_H

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_shootdown;
extern const struct tlbbatch_files tlbbatch_shootdown_files;

#endif /* TLBBATCH_SHOOTDOWN_H */
