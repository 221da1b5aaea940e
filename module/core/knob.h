/* SPDX-License-Identifier: GPL-2.0-only */
/* What knobs have in common. */
#ifndef TLBBATCH_KNOB_H
#define TLBBATCH_KNOB_H

#include <linux/types.h>

int tlbbatch_knob_parse(const char *text, size_t len, unsigned int min,
			unsigned int max, unsigned int *value);
int tlbbatch_knob_choice(const char *const *names, size_t nr, const char *text, size_t len);

#endif /* TLBBATCH_KNOB_H */
