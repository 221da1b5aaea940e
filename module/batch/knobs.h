/* SPDX-License-Identifier: GPL-2.0-only */
/* The knobs: their values, their ranges, and what a change of one entails. */
#ifndef TLBBATCH_KNOBS_H
#define TLBBATCH_KNOBS_H

#include <linux/types.h>

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_batch;
extern const struct tlbbatch_files tlbbatch_batch_files;

int tlbbatch_knob_set_enabled(unsigned int value);
int tlbbatch_knob_set_batch_size(unsigned int folios);
unsigned int tlbbatch_knob_enabled(void);
unsigned int tlbbatch_knob_batch_size(void);

int tlbbatch_knobs_init(void);
void tlbbatch_knobs_exit(void);

#endif /* TLBBATCH_KNOBS_H */
