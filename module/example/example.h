/* SPDX-License-Identifier: GPL-2.0-only */
/* An example of a feature: what its row needs. */
#ifndef TLBBATCH_EXAMPLE_H
#define TLBBATCH_EXAMPLE_H

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_example;
extern const struct tlbbatch_files tlbbatch_example_files;

#endif /* TLBBATCH_EXAMPLE_H */
