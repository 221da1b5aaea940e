/* SPDX-License-Identifier: GPL-2.0-only */
/* What knobs have in common. */
#ifndef TLBBATCH_KNOB_H
#define TLBBATCH_KNOB_H

#include <linux/types.h>

int tlbbatch_knob_parse(const char *text, size_t len, unsigned int min,
			unsigned int max, unsigned int *value);

#endif /* TLBBATCH_KNOB_H */
