/* SPDX-License-Identifier: GPL-2.0-only */
/* LUF's deferral as a whole. */
#ifndef TLBBATCH_DEFER_H
#define TLBBATCH_DEFER_H

#include <linux/kobject.h>

struct tlbbatch_feature;

extern struct tlbbatch_feature tlbbatch_defer;
/* A file of luf/. */
extern struct kobj_attribute tlbbatch_defer_held_attr;

#endif /* TLBBATCH_DEFER_H */
