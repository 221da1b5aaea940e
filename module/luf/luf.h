/* SPDX-License-Identifier: GPL-2.0-only */
/* LUF tracking as a whole: on, off, and what it says. */
#ifndef TLBBATCH_LUF_H
#define TLBBATCH_LUF_H

#include <linux/types.h>

struct tlbbatch_feature;
struct tlbbatch_files;

extern struct tlbbatch_feature tlbbatch_luf;
extern const struct tlbbatch_files tlbbatch_luf_sysfs_files;

/* luf/mode; what is written there, in this order. */
enum tlbbatch_luf_mode {
	TLBBATCH_LUF_MODE_OFF,
	TLBBATCH_LUF_MODE_TRACK,
	TLBBATCH_LUF_MODE_DEFER,
	TLBBATCH_LUF_NR_MODES,
};

int tlbbatch_luf_set_mode(enum tlbbatch_luf_mode mode);
enum tlbbatch_luf_mode tlbbatch_luf_mode(void);
void tlbbatch_luf_settle(void);
int tlbbatch_luf_load(void);
void tlbbatch_luf_unload(void);

#endif /* TLBBATCH_LUF_H */
