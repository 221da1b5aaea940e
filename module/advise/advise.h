/* SPDX-License-Identifier: GPL-2.0-only */
/* Would batching help here? What its row needs. */
#ifndef TLBBATCH_ADVISE_H
#define TLBBATCH_ADVISE_H

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_advise;
extern const struct tlbbatch_files tlbbatch_advise_files;

#endif /* TLBBATCH_ADVISE_H */
