/* SPDX-License-Identifier: GPL-2.0-only */
/* Dirty file pages: what their row needs. */
#ifndef TLBBATCH_FLUSHER_H
#define TLBBATCH_FLUSHER_H

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_flusher;
extern const struct tlbbatch_files tlbbatch_flusher_files;

#endif /* TLBBATCH_FLUSHER_H */
